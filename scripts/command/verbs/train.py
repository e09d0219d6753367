"""Train a policy with Stable-Baselines3 on the native vector environment.

Usage: tarsus train [RUN] [--env NAME] [--option NAME=VALUE ...] [--algo ppo|sac] [--set NAME=VALUE ...] [--plain]
[--start POLICY] [--seed 0] [--steps N] [--out FOLDER] [--resume].
RUN is a name of scripts/library/learning/training_runs.py, or a file in TOML with the fields of a `TrainingRun`.
`--env` trains in any environment, `--plain` with the library's settings in place of ours, `--start` begins with a
trained policy, to train it further under other options. Needs the extra: pip install 'tarsus[rl]'.
Runtime: a million steps take ten minutes on two cores.

Into FOLDER/RUN-SEED go `latest/` and `best/` (checkpoints, see scripts/library/learning/checkpoint.py), `progress.csv`,
`evaluations.npz`, and events for TensorBoard. `latest/` is written with every evaluation and when Ctrl-C ends the
training; `--resume` goes on from it, or from `latest-previous/` if it is damaged.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
from dataclasses import replace
from pathlib import Path

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.learning import checkpoint, environments, playing, starting, training_runs
from tarsus.scripts.library.learning.training_runs import TrainingRun

OURS = ("policy", "env", "seed", "device", "tensorboard_log", "verbose", "_init_setup_model")  # keywords we give
PLAIN_ENVS = 16  # simulations of a run with the library's own settings


def how_to_go_on(folder: Path) -> str:
    """Return how to go on with a training that was ended before its time, in words."""
    latest = checkpoint.newest(folder / "latest")
    if not latest.exists():
        return "there is no checkpoint yet, the training starts afresh"
    return f"--resume goes on from step {checkpoint.settings(latest)['steps']}, in {latest}"


def asked(args: argparse.Namespace) -> TrainingRun:
    """Return the run that the command line describes.

    Raises:
        ValueError: If there is no such run, environment, option or setting.
        OSError: If a run's file cannot be read.
    """
    if (args.run is None) == (args.env is None):
        names = ", ".join(training_runs.RUNS)
        raise ValueError(f"takes a run or --env NAME; runs are {names}, and files NAME.toml")
    run = TrainingRun(args.env) if args.run is None else training_runs.find(args.run)
    run = replace(run, environment=environments.environment_of(run.environment))
    algorithm = args.algo and args.algo.upper()
    more = {"total_steps": args.steps, "num_envs": args.num_envs, "start": args.start}
    run = training_runs.changed(run, algorithm, dict(args.option), **more)
    if args.plain:
        run = replace(run, settings={}, normalise=False, num_envs=args.num_envs or PLAIN_ENVS)
    return starting.adopted(replace(run, settings={**run.settings, **dict(args.set)}))


def check(run: TrainingRun) -> None:
    """Refuse settings that the algorithm does not have, and options that the environment does not take.

    Raises:
        ValueError: If there are any; the sentence names them.
    """
    import stable_baselines3

    known = [
        name for name in inspect.signature(getattr(stable_baselines3, run.algorithm)).parameters if name not in OURS
    ]
    if unknown := [name for name in run.settings if name not in known]:
        raise ValueError(f"{run.algorithm} has no setting {unknown[0]!r}; there are {', '.join(known)}")
    playing.make(run.environment, run.options).close()
    starting.policy_of(run)


def planned(args: argparse.Namespace) -> tuple[TrainingRun, Path]:
    """Return what to train, and its folder.

    Raises:
        ValueError: If it cannot be trained there; the sentence says why.
    """
    run = asked(args)
    if importlib.util.find_spec("stable_baselines3") is None:
        raise ValueError("Stable-Baselines3 is needed: pip install 'tarsus[rl]'")
    from tarsus.scripts.library.learning import training

    folder = args.out / f"{Path(args.run).stem if args.run else args.env}-{args.seed}"
    if checkpoint.newest(folder / "latest").exists() and not args.resume:
        raise ValueError(f"{folder} exists; --resume goes on from it, another --out or --seed starts afresh")
    if args.resume:
        checkpoint.check(training.checkpoint_in(folder), run)
    check(run)
    output.check(folder / "evaluations.npz")
    return run, folder


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(prog="tarsus train", description=(__doc__ or "").partition("\n")[0])
    steps = arguments.integer(1, 10**12)
    pairs = dict(type=arguments.assignment, nargs="+", default=[], metavar="NAME=VALUE", action="extend")
    parser.add_argument("run", nargs="?", help=f"what to train: {', '.join(training_runs.RUNS)}, or a file NAME.toml")
    parser.add_argument("--env", help="instead of a run: an environment, with our settings of the algorithm")
    parser.add_argument("--option", **pairs, help="of the environment")
    parser.add_argument(
        "--algo", choices=[name.lower() for name in training_runs.SETTINGS], help="by default the run's"
    )
    parser.add_argument("--set", **pairs, help="keywords of the algorithm: learning_rate=3e-4 n_steps=128")
    parser.add_argument(
        "--plain", action="store_true", help=f"the library's own settings, nothing normalised, {PLAIN_ENVS} simulations"
    )
    parser.add_argument("--start", metavar="POLICY", help="a trained policy to begin with: its name or its folder")
    parser.add_argument("--seed", type=arguments.seed, default=0)
    parser.add_argument("--steps", type=steps, help="of all simulations together; by default the run's own")
    parser.add_argument("--num-envs", type=arguments.simulations, help="simulations; by default the run's own")
    parser.add_argument("--out", type=paths.folder_to_write, default=Path("runs"))
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on from the latest checkpoint, which is unpickled, and can run any code",
    )
    parser.add_argument("--eval-every", type=steps, default=50_000, help="steps between evaluations and checkpoints")
    idle = "0, the default, is one for each processor that is idle now"
    parser.add_argument("--threads", type=arguments.threads, default=0, help=f"of physics and learning; {idle}")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Train; return 0, 1 if a file cannot be written, 2 for what cannot be trained, 130 after Ctrl-C."""
    with arguments.read(parser(), argv) as args:
        run, folder = planned(args)
    import torch

    from tarsus.scripts.library.learning import training

    threads = args.threads or training.idle_processors(run.num_envs)
    torch.set_num_threads(threads)
    try:
        least = run.settings.get("n_steps", 1) * run.num_envs  # of PPO, which never does less
        every = max(least, min(args.eval_every, run.total_steps))  # a short run is judged once, at its end
        done = training.train(run, args.seed, folder, resume=args.resume, eval_every=every, n_threads=threads)
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus train: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"tarsus train: {problem.strerror or problem}; {how_to_go_on(folder)}", file=sys.stderr)
        return 1
    if done < run.total_steps:
        print(f"tarsus train: interrupted at step {done}; {how_to_go_on(folder)}", file=sys.stderr)
        return interrupts.EXIT_STATUS
    print(f"{folder}/best is the best policy; tarsus evaluate {folder}/best shows what it does")
    return 0
