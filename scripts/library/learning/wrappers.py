"""What a command line says of a policy's environment, and of what was wrapped around that in training."""

import argparse
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tarsus.scripts.command import arguments, cli

NONE = "none"  # as a normaliser


@dataclass(frozen=True)
class Wrappers:
    """What a .zip of Stable-Baselines3 does not say."""

    normaliser: str | None = None  # file of the `VecNormalize`; "none" for none, None for what lies beside the policy
    stack: int | None = None  # how many observations are stacked; None for what the policy's observation says

    def refuse(self, policy: str) -> None:
        """Refuse to be used with a policy that has its own within."""
        for name, value in (("normaliser", self.normaliser), ("stack", self.stack)):
            if value is not None:
                raise ValueError(f"--{name} is for a .zip of Stable-Baselines3; {policy} is none, so leave it out")


UNSAID = Wrappers()


def parser(verb: str, about: str | None) -> arguments.Parser:
    """Return the parser of a verb for policies, described by a docstring's first line, with options of environments."""
    words, listing = (about or "").partition("\n")[0], functools.partial(cli.listed, verb)
    made = arguments.Parser(prog=f"tarsus {verb}", description=words, listing=listing)
    words = "a name, folder of a checkpoint, .onnx, MODULE:FUNCTION, or .zip: that is unpickled, and can run any code"
    made.add_argument("policy", help=words)
    add_options(made)
    return made


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the environment with its options, and `--normaliser` and `--stack`, which say how a .zip is read."""
    words = "by default the policy's own, or Hexapod-v0; MODULE:NAME imports the module, a robot's FILE is read"
    parser.add_argument("--env", help=words)
    parser.add_argument("--option", **arguments.PAIRS, help="options of the environment")
    words = "of a robot's FILE, coefficient of the ground; by default that of the file's feet on its floor"
    parser.add_argument("--friction", type=arguments.number(0, 100), help=words)
    words = "of a .zip, file of its VecNormalize, or none; by default what belongs to it and lies beside it"
    parser.add_argument("--normaliser", metavar="FILE|none", help=words)
    words = "of a .zip, how many observations it sees together (VecFrameStack); by default what its shape says"
    parser.add_argument("--stack", type=arguments.count, metavar="N", help=words)


def of(args: argparse.Namespace) -> Wrappers:
    """Return the choices of a command line."""
    return Wrappers(args.normaliser, args.stack)


def options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the environment's options of a command line."""
    return with_friction(dict(args.option), args.friction)


def with_friction(options: Mapping[str, Any] | None, friction: float | None) -> dict[str, Any]:
    """Return options with the coefficient of the ground of a robot's file among them, if it is given."""
    return {**(options or {}), **({} if friction is None else {"friction": friction})}
