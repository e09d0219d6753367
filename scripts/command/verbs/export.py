"""Write a trained policy as an ONNX model, which runs without Python, torch or this package.

Usage: tarsus export POLICY [--out policy.onnx] [--force]. POLICY is the name of a policy of the package, or the folder
of a checkpoint. Needs the extra: pip install 'tarsus[onnx]'.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.learning import playing, policies
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy


def trained(name: str) -> TrainedPolicy:
    """Return the trained policy of that name or folder.

    Raises:
        ValueError: If there is none.
    """
    path = policies.checkpoint_of(name)
    if path is None:
        raise ValueError(f"{name!r} is no trained policy; there are {', '.join(policies.shipped())}, and checkpoints")
    return TrainedPolicy(path)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Write the model; return 0, or 2 for a command line that cannot be run."""
    parser = arguments.Parser(prog="tarsus export", description=__doc__.partition("\n")[0])
    parser.add_argument("policy", help="a trained policy's name, or the folder of a checkpoint")
    parser.add_argument("--env", help="by default the policy's own; of MODULE:NAME the module is imported")
    parser.add_argument("--out", type=paths.file_to_write(".onnx"), default=Path("policy.onnx"))
    parser.add_argument("--force", action="store_true", help="replace the file that is there")
    with arguments.read(parser, argv) as args:
        if importlib.util.find_spec("onnx") is None:
            raise ValueError("onnx is needed: pip install 'tarsus[onnx]'")
        policy = trained(args.policy)
        playing.check(args.policy, args.env, {})
        output.new_file(args.out, args.force)
    from tarsus.scripts.library.learning import onnx_policy

    model = onnx_policy.build(policy)
    with saving.writing(args.out) as part:
        part.write_bytes(model.SerializeToString())
    n, m = policy.mean.size, policy.layers[-1][1].size
    print(f"{args.out}: `observation` (batch, {n}) to `action` (batch, {m}), of {policy.about['environment']}")
    return 0
