"""Train a policy with Stable-Baselines3 on the native vector environment.

Usage: tarsus train [RUN] [--env NAME] [--option NAME=VALUE ...] [--algorithm ppo|sac] [--plain] [--start POLICY]
[--seed 0] [--steps N] [--out FOLDER] [--resume].
RUN is a name of scripts/library/learning/training_runs.py, or a file in TOML with the fields of a `TrainingRun`.
Needs the extra `rl`. A million steps take ten minutes on two cores.
FOLDER/RUN-SEED gets `latest/` and `best/` (see `checkpoint.py`), `progress.csv`, `evaluations.npz`, and TensorBoard's
events; `--resume` goes on.
"""

import argparse
import sys

from tarsus.scripts.command import arguments, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.learning import planning, training_runs

OWN = ("run", "environment", "options", "algorithm", "settings")  # of what is asked for, in words of the command line


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus train", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("run", nargs="?", help=f"what to train: {', '.join(training_runs.RUNS)}, or a file NAME.toml")
    parser.add_argument(
        "--env",
        help="environment, without a run or instead of a file's; MODULE:NAME imports MODULE, a robot's FILE is read",
    )
    parser.add_argument("--option", **arguments.PAIRS, help="options of the environment")
    parser.add_argument("--algorithm", choices=("ppo", "sac"), help="algorithm; by default the run's")
    parser.add_argument("--algorithm-set", **arguments.PAIRS, help="its keywords, as learning_rate=3e-4 n_steps=128")
    signature.add_options(parser, planning.Asked, OWN)
    return parser


def asked_by(args: argparse.Namespace) -> planning.Asked:
    """Return the experiment of a command line."""
    own = dict(zip(OWN, (args.run, args.env, dict(args.option), args.algorithm, dict(args.algorithm_set)), strict=True))
    return planning.Asked(**own, **signature.keywords(args, planning.Asked, OWN))


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Train; return 0, 1 if a file cannot be written, 2 for what cannot be trained, 130 after Ctrl-C."""
    with arguments.read(parser(), argv) as args:
        asked = asked_by(args)
        run = planning.planned(asked)
    try:
        done = planning.carried_out(run, asked)
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus train: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"tarsus train: {problem.strerror or problem}; {planning.how_to_go_on(asked.folder)}", file=sys.stderr)
        return 1
    if done < run.total_steps:
        print(f"tarsus train: interrupted at step {done}; {planning.how_to_go_on(asked.folder)}", file=sys.stderr)
        return interrupts.EXIT_STATUS
    print(planning.how_to_look(asked.folder))
    return 0
