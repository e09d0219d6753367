"""The tables of docs/robot.md: RHex of 2001 in both engines, beside what was published of it.

Usage: tarsus page robot [--jobs 1] [--write]. Runtime: ten minutes of one core.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.analytic import rhex_gaits
from tarsus.analytic.battery import Battery
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.rhex import MOTORS
from tarsus.controllers.slope import SlopeLaw
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies.rhex_walks import ENGINES, RhexWalk, WalkNumbers, measure
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.records import record

PLACE = Place("robot.md")
PACKAGES = record.PACKAGES
SPEEDS = range(rhex_gaits.FASTEST + 1)
PUBLISHED = 0.55  # [m/s]; Saranli, Buehler and Koditschek, IJRR 20(7), 2001, table 1
SLOPES = (-10, -5, 5, 10)  # [degrees]
SLOPED = (1, 2)  # speeds
TURN_SECONDS = 8.0
CAPACITY = 3.0 * 3600.0  # of a supposed 24 V battery without Peukert's loss [A s]

RHEX = HexapodParams.rhex()
SPEED_2 = rhex_gaits.gait(2)
Case = tuple[RhexWalk, str]


def robots_changed() -> dict[str, HexapodParams]:
    """Return the robot with one thing changed, by what that is."""
    scaled = {"J": (0.5, 2.0), "rho_k": (0.7, 1.5), "rho_d": (2.0,)}
    changed = {f"{name} x {by:g}": {name: by * getattr(RHEX, name)} for name, all_by in scaled.items() for by in all_by}
    changed |= {"limit 24 V (9.5 N m)": MOTORS["voltage"], "drive (6.1 N m)": MOTORS["drive"]}
    changed |= {f"gains x {by:g}": {"KP": by * RHEX.KP, "KD": by * RHEX.KD} for by in (0.5, 2.0)}
    changed |= {"gains of Table 2": {"KP": 10.0, "KD": 0.5}}
    changed |= {f"friction {mu:g}": {"friction_coeff": mu} for mu in (0.3, 0.8, 1.2)}
    changed |= {f"toe {1e3 * mass:g} g": {"leg_mass": mass} for mass in (0.01, 0.05)}
    changed |= {"body 8 kg": {"body_mass": 8.0}, "rest length 0.175 m (q_rl)": {"rho_r0": np.full(6, 0.175)}}
    return {words: replace(RHEX, **values) for words, values in changed.items()}


def sensitivity() -> dict[str, RhexWalk]:
    """Return the walks of the sensitivity at speed 2."""
    offsets = {
        f"leg offset {offset:g} rad": replace(SPEED_2, leg_offset=offset) for offset in (0.0, 0.05, 0.1, 0.15, 0.2)
    }
    found = {"as it is": RhexWalk(SPEED_2, RHEX)} | {words: RhexWalk(gait, RHEX) for words, gait in offsets.items()}
    found["corners, no blends"] = RhexWalk(replace(SPEED_2, blend=0.0), RHEX)
    return found | {words: RhexWalk(SPEED_2, params) for words, params in robots_changed().items()}


def compensated(speed: int, degrees: float) -> tuple[TripodGait, TripodGait]:
    """Return a speed's gait as it is, and by the slope law with the slope known."""
    gait = rhex_gaits.gait(speed)
    return gait, SlopeLaw().compensated(gait, np.deg2rad(degrees))


def turns() -> dict[str, RhexWalk]:
    """Return the turning walks."""
    walking = {f"speed {speed}, right": rhex_gaits.gait(speed, turn=-1.0) for speed in SPEEDS}
    walking |= {"speed 2, left": rhex_gaits.gait(2, turn=1.0)}
    walking |= {
        f"in place, speed {speed}, {side}": rhex_gaits.gait(speed, side)
        for speed, side in ((0, "right"), (2, "right"), (2, "left"))
    }
    return {words: RhexWalk(gait, RHEX, seconds=TURN_SECONDS) for words, gait in walking.items()}


def plan() -> dict[Any, Case]:
    """Return every run of the page, by a key that its table knows."""
    cases: dict[Any, Case] = {}
    for engine in ENGINES:
        cases |= {("speed", speed, engine): (RhexWalk(rhex_gaits.gait(speed), RHEX), engine) for speed in SPEEDS}
        cases |= {("turn", words, engine): (walk, engine) for words, walk in turns().items()}
    cases |= {
        ("back", speed, "exact"): (RhexWalk(rhex_gaits.gait(speed, "backward"), RHEX), "exact") for speed in SPEEDS
    }
    cases |= {("change", words, "exact"): (walk, "exact") for words, walk in sensitivity().items()}
    for motor in MOTORS:
        robot = HexapodParams.rhex(motor)
        cases |= {
            ("motor", (motor, speed), "MuJoCo"): (RhexWalk(rhex_gaits.gait(speed), robot), "MuJoCo") for speed in SPEEDS
        }
    for speed in SLOPED:
        for degrees in SLOPES:
            gaits = zip((False, True), compensated(speed, degrees), strict=True)
            cases |= {
                ("slope", (speed, degrees, law), "MuJoCo"): (RhexWalk(gait, RHEX, float(np.deg2rad(degrees))), "MuJoCo")
                for law, gait in gaits
            }
    return cases


def compute(n_jobs: int = -1) -> dict[Any, WalkNumbers]:
    """Return the measures of every run of the page."""
    cases = plan()
    return dict(zip(cases, parallel.each(measure, list(cases.values()), n_jobs, unit="run"), strict=True))


def walks_table(made: dict, kind: str, head: str, title: str) -> Table:
    """Return a table of runs in both engines."""
    columns = (
        *(head, "engine", "speed [m/s]", "height, peak to peak [mm]", "power drawn, net [W]", "armature heat [W]"),
        *("cost of transport", "specific resistance; with the drive", "largest torque [N m], current [A], voltage [V]"),
        *("slide per stride [mm]", "feet down, all up [%]"),
    )
    rows = [
        [
            *(name, engine, f"{m.speed:.4f}", f"{1e3 * m.height:.1f}, {1e3 * m.bounce:.0f}"),
            *(f"{m.electric.drawn:.1f}, {m.electric.net:.1f}", f"{m.electric.armature_heat:.1f}", f"{m.cot:.3f}"),
            f"{m.resistance:.2f}; {m.with_drive:.2f}",
            f"{m.peak_torque:.2f}, {m.peak_current:.1f}, {m.peak_voltage:.1f}",
            *(f"{1e3 * m.slide:.0f}", f"{100 * m.duty:.0f}, {100 * m.aloft:.0f}"),
        ]
        for (what, name, engine), m in sorted(made.items(), key=lambda item: str(item[0][1]))
        if what == kind
    ]
    return Table(columns, rows, title)


def engines_apart(made: dict) -> str:
    """Return the difference of the engines over the speeds, a sentence."""
    pairs = [[made["speed", speed, engine] for engine in ENGINES] for speed in SPEEDS]
    speed = max(abs(b.speed / a.speed - 1) for a, b in pairs)
    power = max(abs(b.electric.drawn / a.electric.drawn - 1) for a, b in pairs)
    off = [a.speed / PUBLISHED - 1 for a, _ in pairs[2:]]
    return (
        f"The engines differ by at most {100 * speed:.1f} % in speed and {100 * power:.1f} % in power. Speeds 2 and 3 "
        f"are {100 * off[0]:+.0f} and {100 * off[1]:+.0f} % off the published {PUBLISHED} m/s with nothing fitted. "
        "Backward: " + ", ".join(f"{made['back', s, 'exact'].speed:.3f}" for s in SPEEDS) + " m/s."
    )


def change_table(made: dict) -> Table:
    """Return the sensitivity."""
    rows = [
        [words, f"{m.speed:.3f}", f"{m.electric.drawn:.1f}", f"{m.cot:.3f}", f"{m.resistance:.2f}"]
        for (kind, words, _), m in made.items()
        if kind == "change"
    ]
    head = ("change", "speed [m/s]", "power drawn [W]", "cost of transport", "specific resistance")
    return Table(head, rows, "## What decides: speed 2 with one thing changed")


def motor_table(made: dict) -> Table:
    """Return the motors' walks."""

    def cell(m: WalkNumbers) -> str:
        flight = f", all up {100 * m.aloft:.0f} %" if m.aloft > 0.005 else ""
        return f"{m.speed:.3f} m/s, {m.resistance:.2f}{flight}"

    rows = [[f"`{motor}`", *(cell(made["motor", (motor, speed), "MuJoCo"]) for speed in SPEEDS)] for motor in MOTORS]
    return Table(("motor", *(f"speed {speed}" for speed in SPEEDS)), rows, "## Motors")


def slope_table(made: dict) -> Table:
    """Return the slopes."""

    def cell(speed: int, degrees: int, law: bool) -> str:
        m, level = made["slope", (speed, degrees, law), "MuJoCo"], made["speed", speed, "MuJoCo"].speed
        horizontal = m.speed * np.cos(np.deg2rad(degrees))
        return f"{horizontal:.3f} m/s ({100 * (horizontal / level - 1):+.1f} %), {m.electric.drawn:.0f} W"

    head = ("slope", *(f"speed {speed}, {words}" for speed in SLOPED for words in ("as it is", "by the law")))
    rows = [
        [f"{degrees:+d} degrees", *(cell(speed, degrees, law) for speed in SLOPED for law in (False, True))]
        for degrees in SLOPES
    ]
    return Table(head, rows, "## Slopes")


def turn_table(made: dict) -> Table:
    """Return the turning walks."""
    head = ("gait", *(f"yaw rate, {engine} [rad/s]" for engine in ENGINES), "speed [m/s]", "radius [m]")
    rows = []
    for words in turns():
        exact, mujoco = (made["turn", words, engine] for engine in ENGINES)
        way = ("", "") if "place" in words else (f"{exact.speed:.3f}", f"{exact.speed / abs(exact.yaw_rate):.2f}")
        rows.append([words, f"{exact.yaw_rate:+.3f}", f"{mujoco.yaw_rate:+.3f}", *way])
    return Table(head, rows, "## Turning")


def battery_table(made: dict) -> Table:
    """Return the table of battery lives."""
    packs = Battery(nominal_voltage=24.0)
    rows = []
    for speed in SPEEDS:
        m = made["speed", speed, "exact"]
        amperes = [m.electric.drawn / 24.0, (m.electric.drawn + m.drive_loss) / 24.0]
        minutes = (
            [f"{1 / packs.discharge_rate(i) / 60:.0f}" for i in amperes],
            [f"{CAPACITY / i / 60:.0f}" for i in amperes],
        )
        rows.append([speed, *("; ".join(cells) for cells in ([f"{i:.2f}" for i in amperes], *minutes))])
    lead, metal = "two 12 V, 2.2 A h lead packs [min]", "24 V, 3 A h without losses, supposed [min]"
    return Table(("speed", "current; with the drive [A]", lead, metal), rows, "## Battery")


def tables(jobs: Jobs = -1) -> Page:
    """Return the page's tables."""
    made = compute(jobs)
    return Page(
        walks_table(made, "speed", "speed", "## Its own gaits"),
        engines_apart(made),
        change_table(made),
        motor_table(made),
        slope_table(made),
        turn_table(made),
        battery_table(made),
    )
