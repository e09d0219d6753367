"""Train Hexapod-v0 with RLlib on Ray: on this machine, or on the cluster of which it is the head.

Usage: tarsus train rllib [--iterations 50] [--runners 2] [--address auto] [--option action_mode=gait]
Needs the extra `ray` in an environment of its own, as RLlib pins an older Gymnasium.
Runtime: about a minute for a start with two runners, then seconds for an iteration.
"""

import importlib.util

from tarsus.analytic.compilation import extras
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning import rllib


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Train; return 0, or 2 for a command line that cannot be run."""
    parser = arguments.Parser(prog="tarsus train rllib", description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=arguments.count, default=50, help="iterations of training")
    parser.add_argument("--runners", type=arguments.integer(0, 1024), default=2, help="processes that simulate")
    parser.add_argument("--num-envs", type=arguments.integer(1, 10_000), default=8, help="simulations in each runner")
    parser.add_argument("--batch", type=arguments.count, default=4096, help="steps in each iteration")
    parser.add_argument("--address", help="address of a running Ray cluster; by default one is started here")
    parser.add_argument("--option", **arguments.PAIRS, help="options of the environment")
    with arguments.read(parser, argv) as args:
        if importlib.util.find_spec("ray") is None:
            raise ValueError(f"Ray is needed: {extras.install('ray')}")
        from tarsus.scripts.library.learning import playing

        options = dict(args.option)
        playing.make(rllib.NAME, options).close()
    rllib.train(options, args.iterations, args.runners, args.num_envs, args.batch, args.address)
    print(f"{stamp.versions('tarsus', 'ray', 'gymnasium', 'mujoco', 'torch')}, on {stamp.computer()}")
    return 0
