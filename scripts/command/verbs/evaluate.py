"""What a policy does: return, speed, cost of transport and falls, mean and spread over seeds and episodes.

Usage: tarsus evaluate POLICY [--env Hexapod-v0] [--option terrain=rough ...] [--seeds 5] [--stochastic]
[--normaliser FILE|none] [--stack 4] [--out FOLDER] [--video walk.mp4]; policies are those of `loading.load`. In a
frozen task (--env tarsus/HexapodWalk-v0) its ten evaluation seeds are played; the folder is an entry for a leaderboard.
Runtime: about a second for an episode.
"""

from tarsus.envs import TASKS
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.learning import evaluation, wrappers


def parser() -> arguments.Parser:
    parser = wrappers.parser("evaluate", __doc__)
    words = "seeds, from 0 on; default 5, of a frozen task its own"
    parser.add_argument("--seeds", type=arguments.integer(1, evaluation.SEEDS), help=words)
    parser.add_argument("--episodes", type=arguments.count, help="episodes of each seed; default 1")
    parser.add_argument("--jobs", type=arguments.jobs, default=1, help="number of processes")
    parser.add_argument("--stochastic", action="store_true", help="draw actions as in training")
    parser.add_argument("--video", type=paths.film, help="film of the first seed's episode (.mp4, .gif)")
    output.add_options(parser, "evaluate-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Evaluate, print the table, film; return 0, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        asked, wrapped = (args.policy, args.env, wrappers.options(args)), wrappers.of(args)
        if args.video:
            evaluation.check_film(args.video, args.force)
        files = output.Output(args, *evaluation.FILES, of=args.policy)
        from tarsus.scripts.library.learning import playing

        mode = "rgb_array" if args.video else None
        policy = playing.check(*asked, args.stochastic, wrapped, render_mode=mode)
        if policy.environment in TASKS and (args.seeds or args.episodes):
            raise ValueError(f"{policy.environment} has evaluation seeds of its own: leave --seeds and --episodes out")
    many = args.seeds or 5, args.episodes or 1
    seeds = evaluation.seeds_of(*many, policy.environment)
    finished: dict[int, evaluation.Episode] = {}
    try:
        named = policy.name, policy.environment if policy.environment in TASKS else args.env, asked[2]
        episodes = evaluation.evaluate(*named, *many, args.jobs, args.stochastic, args.normaliser, args.stack)
        for seed, episode in zip(seeds, episodes, strict=True):
            finished[seed] = episode
    finally:  # Ctrl-C leaves what was finished
        if finished:
            evaluation.report(files, policy, finished, len(seeds))
    if args.video:
        evaluation.film_episode(*asked, 0, args.video, args.stochastic, wrapped)
    return 0
