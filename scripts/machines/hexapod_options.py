"""The hexapod on a command line: which gait, robot and ground, for every command that runs one."""

from __future__ import annotations

import argparse
import dataclasses

from tarsus.analytic import terrain as terrains
from tarsus.analytic.clock import HEADINGS, TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.scripts import arguments

# Options of the gait: long name, the report's symbol, unit or meaning.
GAIT_OPTIONS = {
    "cycle_time": ("t_c", "period of the clock [s]"),
    "slow_time": ("t_s", "duration of the slow phase [s]"),
    "sweep_angle": ("phi_s", "angle of the slow phase [rad]"),
    "leg_offset": ("phi_o", "offset of all references [rad]"),
    "slow_time_difference": ("dt_s", "added to t_s on the left, taken off on the right [s]; right turns need < 0"),
    "offset_difference": ("dphi_o", "added to phi_o on the left, taken off on the right [rad]; right turns need > 0"),
}

SHORTEST_CYCLE = 0.01  # ten rows of a record: means over strides need some [s]


def add_robot_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `gait_from` reads, and those of robot and ground."""
    gait = parser.add_argument_group("gait")
    gait.add_argument("--gait", choices=tuple(CLOCK_GAITS), help="one with a name, which the options below change")
    for name, (symbol, meaning) in GAIT_OPTIONS.items():
        gait.add_argument(f"--{name.replace('_', '-')}", f"--{symbol}", dest=name, type=arguments.finite, help=meaning)
    gait.add_argument(
        "--duty", type=arguments.positive, help="slow phase as a share of the cycle, instead of --slow-time"
    )
    gait.add_argument("--heading", default="forward", help=f"{', '.join(HEADINGS)}; left and right turn in place")
    world = parser.add_argument_group("robot and ground")
    world.add_argument(
        "--terrain", nargs="+", metavar=("NAME", "ARG"), help=f"{', '.join(terrains.TERRAINS)}, and its arguments"
    )
    world.add_argument(
        "--set",
        nargs="+",
        default=[],
        action="extend",
        metavar="SYMBOL=VALUE",
        help="robot parameters by the manual's symbols, as in: --set body_mass=7 rho0_k=600",
    )


def gait_from(args: argparse.Namespace, params: HexapodParams) -> TripodGait:
    """Return the named or the parameters' gait with what the command line changes; a new cycle time keeps the duty.

    Raises:
        ValueError: If the gait is impossible, or slow time and duty are both given.
    """
    gait = params.gait if args.gait is None else CLOCK_GAITS[args.gait]
    given = {name: getattr(args, name) for name in GAIT_OPTIONS if getattr(args, name) is not None}
    if args.duty is not None and "slow_time" in given:
        raise ValueError("give either --slow-time or --duty, not both")
    cycle_time = given.get("cycle_time", gait.cycle_time)
    if not SHORTEST_CYCLE <= cycle_time:
        raise ValueError(f"cycle_time must be at least {SHORTEST_CYCLE} s, got {cycle_time:g}")
    if "slow_time" not in given:
        duty = gait.slow_time / gait.cycle_time if args.duty is None else args.duty
        given["slow_time"] = duty * cycle_time
    return dataclasses.replace(gait, heading=args.heading, **given)
