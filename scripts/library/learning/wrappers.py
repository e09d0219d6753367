"""What was wrapped around the environment of a policy's training, as far as the user says."""

import argparse
from dataclasses import dataclass

from tarsus.scripts.command import arguments

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


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add `--normaliser` and `--stack`, which say how a .zip is read."""
    words = "of a .zip, file of its VecNormalize, or none; by default what belongs to it and lies beside it"
    parser.add_argument("--normaliser", metavar="FILE|none", help=words)
    words = "of a .zip, how many observations it sees together (VecFrameStack); by default what its shape says"
    parser.add_argument("--stack", type=arguments.count, metavar="N", help=words)


def of(args: argparse.Namespace) -> Wrappers:
    """Return the choices of a command line."""
    return Wrappers(args.normaliser, args.stack)
