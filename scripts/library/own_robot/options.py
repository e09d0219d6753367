"""What the command line says of a robot besides its file."""

from __future__ import annotations

import argparse
from typing import Any

from tarsus.scripts.command import arguments


def add(parser: arguments.Parser) -> None:
    """Add feet, friction, servo, keyframe and forward axis."""
    parser.add_argument("--feet", nargs="+", metavar="NAME", help="geoms or bodies that are feet; by default found")
    words = "coefficient of the ground; by default that of the file's feet on its floor"
    parser.add_argument("--friction", type=arguments.number(0, 100), help=words)
    words = "stiffness [N m/rad] and damping [N m s/rad] of joints without a servo; by default from weight and legs"
    parser.add_argument("--servo", nargs=2, type=float, metavar=("KP", "KD"), help=words)
    words = "name or number of that in which it starts; by default the first of the file"
    parser.add_argument("--keyframe", type=lambda word: int(word) if word.isdecimal() else word, help=words)
    parser.add_argument("--forward", choices=("x", "y"), default="x", help="axis of the world that it faces at rest")


def given(args: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of `OwnRobot` that a command line gives."""
    found: dict[str, Any] = {"feet": tuple(args.feet)} if args.feet else {}
    found |= {"friction": args.friction} if args.friction is not None else {}
    found |= {"servo": tuple(args.servo)} if args.servo else {}
    found |= {"keyframe": args.keyframe} if args.keyframe is not None else {}
    return found | ({"forward": args.forward} if args.forward != "x" else {})
