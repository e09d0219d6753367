"""The gait of the hexapod's clock, as the command line gives it: by name, by its numbers, or both."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tarsus.analytic.clock import BLEND_SHAPES, HEADINGS, TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Terrain
from tarsus.controllers import clock_gaits
from tarsus.controllers.slope import SlopeLaw, slope_of
from tarsus.scripts.command import arguments

# Options: long name, the report's symbol if it has one, unit or meaning.
GAIT_OPTIONS = {
    "cycle_time": ("t_c", "period of the clock [s]"),
    "slow_time": ("t_s", "duration of the slow phase [s]"),
    "sweep_angle": ("phi_s", "angle of the slow phase [rad]"),
    "leg_offset": ("phi_o", "offset of all references [rad]"),
    "slow_time_difference": ("dt_s", "added to t_s on the left, taken off on the right [s]; right turns need < 0"),
    "offset_difference": ("dphi_o", "added to phi_o on the left, taken off on the right [rad]; right turns need > 0"),
    "sweep_difference": ("dphi_s", "added to phi_s on the left, taken off on the right [rad]; right turns need > 0"),
    "phase_difference": (
        "",
        "of the second tripod's clock from the first's [cycle]; 0.5 for a tripod gait, 0 to pronk",
    ),
    "middle_phase": ("", "of the middle legs' clock from what their tripod has [cycle]"),
    "front_phase": ("", "the same of the front legs"),
    "blend": ("", "width of the blends between slow and fast [cycle]; 0 for corners"),
}
SHORTEST_CYCLE = 0.01  # ten rows of a record: means over strides need some [s]


def add_options(gait: argparse._ArgumentGroup) -> None:
    gait.add_argument("--gait", metavar="NAME", help=f"{clock_gaits.NAMES}; the options below change it")
    for name, (symbol, words) in GAIT_OPTIONS.items():
        flags = [f"--{name.replace('_', '-')}", *([f"--{symbol}"] if symbol else [])]
        gait.add_argument(*flags, dest=name, type=arguments.finite, help=words)
    gait.add_argument("--blend-shape", choices=BLEND_SHAPES, help="shape of the blends; by default cubic")
    words = "slow phase as a share of the cycle, instead of --slow-time"
    gait.add_argument("--duty", type=arguments.positive, help=words)
    words = "lean the legs by RHex's law, for the known slope or the one felt by the accelerometer (MuJoCo)"
    gait.add_argument("--compensate-slope", choices=("known", "felt"), help=words)
    words = "in that law, share of the slope by which hips are lowered; RHex's code had 0.01 (default: %(default)s)"
    gait.add_argument("--iota", type=arguments.number(0.0), default=SlopeLaw.iota, help=words)
    gait.add_argument("--heading", default="forward", help=f"{', '.join(HEADINGS)}; left and right turn in place")


def gait_from(args: argparse.Namespace, params: HexapodParams) -> TripodGait:
    """Return the named or the parameters' gait, changed, or ValueError; a new cycle time keeps the duty."""
    gait = params.gait if args.gait is None else clock_gaits.find(args.gait, args.heading)
    given = {name: getattr(args, name) for name in (*GAIT_OPTIONS, "blend_shape") if getattr(args, name) is not None}
    if args.duty is not None and "slow_time" in given:
        raise ValueError("give either --slow-time or --duty, not both")
    cycle_time = given.get("cycle_time", gait.cycle_time)
    if not SHORTEST_CYCLE <= cycle_time:
        raise ValueError(f"cycle_time must be at least {SHORTEST_CYCLE} s, got {cycle_time:g}")
    if "slow_time" not in given:
        duty = gait.slow_time / gait.cycle_time if args.duty is None else args.duty
        given["slow_time"] = duty * cycle_time
    return replace(gait, heading=args.heading, **given)


def compensated(args: argparse.Namespace, gait: TripodGait, ground: Terrain) -> tuple[TripodGait, SlopeLaw | None]:
    """Return the gait for the ground's known slope, and the law if it is to be felt; ValueError if it cannot be."""
    law = SlopeLaw(iota=args.iota)
    if args.compensate_slope == "known":
        return law.compensated(gait, slope_of(ground)), None
    if args.compensate_slope == "felt" and args.engine != "mujoco":
        raise ValueError("--compensate-slope felt needs the accelerometer of --engine mujoco; both engines have known")
    return gait, law if args.compensate_slope == "felt" else None
