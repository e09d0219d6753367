"""Gaits of the hexapod's clock by name; `gaits` has those of shafts and pairs, for any number of legs.

`find` knows those of RHex's own table besides.

Source: the walk is Table 2's of the SimSect manual; the sprint and RHex's found ones are what `tarsus search hexapod`
found.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tarsus.analytic.spelling import meant

from ..analytic import rhex_gaits
from ..analytic.clock import TripodGait

CLOCK_GAITS = {
    "walk": TripodGait(),
    "run": TripodGait(0.5, 0.3),
    # 1.57 m/s in either engine from rest. One 3 % faster is harder to start (docs/hexapod.md).
    "sprint": TripodGait(0.310331691253667, 0.22587973649909246, 1.8684179124156806, -0.44670630986996007),
}
# What `tarsus search hexapod --robot rhex-drive --blend 0.1` found for that robot, and for stairs a search in MuJoCo
# (docs/robot.md).
RHEX_FOUND = {
    "rhex-fast": TripodGait(0.227668665951, 0.18155377694792174, 1.67672086593, 0.197209585508, blend=0.1),
    "rhex-cheap": TripodGait(0.407706480119, 0.26598857630700123, 0.902227773831, -0.0251219617771, blend=0.1),
    # Half the time in the air; open loop it is slowly unstable: a disturbance grows by a quarter in a stride.
    "rhex-pronk": TripodGait(0.3002282, 0.22819133320728565, 1.23283264, -0.54226732, blend=0.1, phase_difference=0.0),
    "rhex-stairs": TripodGait(0.84, 0.544, 1.036, 0.187, rear_lean=-0.012, front_lean=0.097),
}

# Gaits that no start from rest reaches (docs/robot.md): a tripod that is stable once `rhex-fast` has brought the robot
# near it, and a pronk that falls by the clock alone, disturbances growing threefold in a stride, which `held` holds.
RHEX_NOT_FROM_REST = {
    "rhex-sprint": TripodGait(
        0.1873, 0.14048, 1.7664, 0.3223, blend=0.1303, rear_lean=0.0383, middle_lean=-0.0739, front_lean=0.0361
    ),
    "rhex-pronk-fast": TripodGait(
        0.28416,
        0.19857,
        1.3063,
        -0.7205,
        blend=0.0285,
        rear_lean=0.0218,
        middle_lean=0.048,
        front_lean=-0.0029,
        phase_difference=0.0,
    ),
}

# Stairs of 28 cm tread on half-circle legs, in pairs: rear, front, middle; found by a search in MuJoCo (docs/robot.md).
RHEX_CLIMBS = {
    "rhex-climb": TripodGait(
        1.0088,
        0.6054,
        0.7656,
        0.5008,
        middle_lean=0.1004,
        front_lean=0.2443,
        phase_difference=0.0,
        middle_phase=0.7104,
        front_phase=0.3328,
    ),
    "rhex-climb-18": TripodGait(
        1.0085,
        0.5202,
        0.7372,
        0.5497,
        middle_lean=0.1513,
        front_lean=0.6493,
        phase_difference=0.0,
        middle_phase=0.7474,
        front_phase=0.2967,
    ),
}

# Speed settings of RHex's table and commands of its triwheel, with a turn while walking, as "rhex-1.5-left".
TABLED = re.compile(r"(rhex|triwheel)-(\d+(?:\.\d+)?)(?:-(left|right))?")
NAMES = (
    f"{', '.join(CLOCK_GAITS | RHEX_FOUND | RHEX_CLIMBS)}, rhex-SPEED with a SPEED from 0 to {rhex_gaits.FASTEST}, "
    "triwheel-SHARE up to 1, and the same turning, as rhex-1.5-left"
)


def find(name: str, heading: str = "forward") -> TripodGait:
    """Return a gait by its name.

    Args:
        name: In `CLOCK_GAITS`, `RHEX_FOUND` or `RHEX_CLIMBS`, or as `NAMES` says.
        heading: One of `clock.HEADINGS`; RHex's table has a leg offset for each.

    Raises:
        ValueError: If no gait has that name, it cannot start from rest, or it has no such speed or heading.
    """
    if name in RHEX_NOT_FROM_REST:
        raise ValueError(f"{name!r} cannot start from rest; `laboratory.studies.rhex_walks` and `rhex_held` run it")
    named = CLOCK_GAITS | RHEX_FOUND | RHEX_CLIMBS
    if name in named:
        return replace(named[name], heading=heading)
    found = TABLED.fullmatch(name)
    if not found:
        raise ValueError(f"unknown gait {name!r}; there are {NAMES}{meant(name, named)}")
    family, value, side = found.groups()
    turn = {"left": 1.0, "right": -1.0, None: 0.0}[side]
    if family == "rhex":
        return rhex_gaits.gait(float(value), heading, turn)
    if heading in ("left", "right"):
        raise ValueError(
            f"the triwheel rolls forward or backward and cannot turn in place, got the heading {heading!r}"
        )
    return replace(rhex_gaits.triwheel(float(value), turn), heading=heading)
