"""What a policy does: return, speed, cost of transport and falls, mean and spread over seeds and episodes.

Usage: tarsus evaluate POLICY [--env Hexapod-v0] [--option terrain=rough ...] [--seeds 5] [--video walk.mp4].
POLICY is a name (zero, random, clock, PD, ...) or the folder of a checkpoint, which brings its environment and options.
Runtime: about a second for an episode.
"""

from __future__ import annotations

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.learning import evaluation
from tarsus.scripts.library.views import rendering


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(prog="tarsus evaluate", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("policy", help="a name, or the folder of a checkpoint")
    words = "by default Hexapod-v0, or the checkpoint's; of MODULE:NAME the module is imported"
    parser.add_argument("--env", help=words)
    parser.add_argument("--option", **arguments.PAIRS, help="of the environment")
    parser.add_argument("--seeds", type=arguments.integer(1, evaluation.SEEDS), default=5)
    parser.add_argument("--episodes", type=arguments.count, default=1, help="of each seed")
    parser.add_argument("--jobs", type=arguments.jobs, default=1, help="processes")
    parser.add_argument("--video", type=paths.film, help="film of the first seed's episode (.mp4, .gif)")
    parser.add_argument("--force", action="store_true", help="replace the film that is there")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Evaluate, print the table, film; return 0, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        options = dict(args.option)
        if args.video and not rendering.choose_opengl():  # before anything imports MuJoCo
            raise ValueError(rendering.NO_OPENGL)
        if args.video:
            output.new_file(args.video, args.force)
        from tarsus.scripts.library.learning import playing

        playing.check(args.policy, args.env, options, render_mode="rgb_array" if args.video else None)
    finished: list[evaluation.Episode] = []
    try:
        for episode in evaluation.evaluate(args.policy, args.env, options, args.seeds, args.episodes, args.jobs):
            finished.append(episode)
    finally:  # Ctrl-C leaves what was finished
        if finished:
            print(evaluation.table(args.policy, finished, args.seeds * args.episodes), flush=True)
    if args.video:
        evaluation.film_episode(args.policy, args.env, options, 0, args.video)
    return 0
