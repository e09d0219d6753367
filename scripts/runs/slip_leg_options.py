"""The articulated leg on a command line: its parameters, its controller, the report's slips, and the ground."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

from tarsus.analytic import terrain as terrains
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.controllers.slip_parameters import DEFECTS, SlipControl
from tarsus.scripts import arguments


def add_leg_options(parser: argparse.ArgumentParser) -> None:
    """Add what `experiment_from` reads."""
    parser.add_argument("--no-compensation", action="store_true", help="without impact compensation")
    parser.add_argument(
        "--erratum", type=int, nargs="+", default=[], choices=DEFECTS, help="slips of the report to run with"
    )
    parser.add_argument(
        "--terrain", nargs="+", default=["flat"], metavar=("NAME", "ARG"), help=", ".join(terrains.TERRAINS)
    )
    parser.add_argument(
        "--set", nargs="+", default=[], action="extend", metavar="NAME=VALUE", help="parameters of leg or controller"
    )


def experiment_from(args: argparse.Namespace, energy_gain: float = 0.0):
    """Return the experiment of a command line.

    Args:
        args: With the options of `add_leg_options`.
        energy_gain: The controller's, with impact compensation.

    Raises:
        ValueError: If a name is unknown or a value cannot be read.
    """
    from tarsus.scripts.runs.slip_leg_runs import Experiment

    control = {DEFECTS[number]: 1.0 for number in args.erratum} | {"energy_gain": energy_gain}
    control |= {"compensate": 0.0, "energy_gain": 0.0} if args.no_compensation else {}
    leg: dict[str, float] = {}
    tables = {entry.name: leg for entry in fields(SlipLegParams)}
    tables |= {entry.name: control for entry in fields(SlipControl)}
    for name, value in arguments.assignments(args.set, "--set").items():
        if name not in tables:
            raise ValueError(f"unknown parameter {name!r}; there are {', '.join(tables)}")
        tables[name][name] = value
    ground = arguments.terrain(args.terrain)
    return Experiment(replace(SlipLegParams(), **leg), replace(SlipControl(), **control), ground)
