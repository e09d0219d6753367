"""Write a trained policy as an ONNX model, which runs without Python, torch or this package.

Usage: tarsus export POLICY [--env NAME] [--option NAME=VALUE ...] [--out FOLDER]. POLICY is the
name of a policy of the package, the folder of a checkpoint, a .zip of Stable-Baselines3 with its normaliser beside it,
an .onnx that is to say what it was made for, or MODULE:FUNCTION that returns a `TrainedPolicy`.
Needs the extra `onnx`.
"""

import importlib.util

from tarsus.analytic.compilation import extras
from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.learning import playing, wrappers

FILE = "policy.onnx"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Write the model; return 0, or 2 for a command line that cannot be run."""
    parser = wrappers.parser("export", __doc__)
    output.add_options(parser, "export-*")
    with arguments.read(parser, argv) as args:
        if importlib.util.find_spec("onnx") is None:
            raise ValueError(f"onnx is needed: {extras.install('onnx')}")
        from tarsus.scripts.library.learning import onnx_policy

        policy = playing.check(args.policy, args.env, wrappers.options(args), wrappers=wrappers.of(args))
        files = output.Output(args, FILE, of=args.policy)
        model = onnx_policy.model_of(policy)
    with files.writing(FILE) as (part,):
        part.write_bytes(model.SerializeToString())
    ends = [model.graph.input[0], model.graph.output[0]]
    n, m = (end.type.tensor_type.shape.dim[-1].dim_value for end in ends)
    words = (
        f"{FILE}: `{ends[0].name}` (batch, {n}) to `{ends[1].name}` (batch, {m}), {policy.name} of {policy.environment}"
    )
    told = {"used": dict(policy.used), "lines": list(policy.lines)}
    told |= {"policy": policy.name, "environment": policy.environment, "inputs": n, "outputs": m}
    files.report("tarsus export", "\n".join([words, *policy.lines]), **told)
    return 0
