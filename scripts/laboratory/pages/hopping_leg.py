"""The tables of docs/hopping_leg.md: the hopping leg in the hybrid model, and in MuJoCo against it.

Usage: tarsus page hopping_leg [--write]. Runtime: three minutes, most of it MuJoCo with `reference`.
"""

from __future__ import annotations

from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.controllers.raibert_laws import RaibertGains
from tarsus.mjcf.hopping_leg import PRESETS
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.hopping_leg import machine, steady

PLACE = Place("hopping_leg.md")
PACKAGES = ("tarsus", "mujoco", "numpy")
N_HOPS = 40
SPEEDS = (-0.5, 0.0, 0.5, 1.0, 1.5)
EXACT_HEAD = ("commanded [m/s]", "motor", "apex [m]", "spread [m]", "speed [m/s]", "stance [s]", "period [s]")
MUJOCO_HEAD = ("commanded [m/s]", "preset", "period [%]", "stance [%]", "apex [mm]", "spread [mm]", "speed [mm/s]")


def exact(speed: float, motor_mode: str = "ideal") -> dict[str, float]:
    """Return the means of the last ten hops of the hybrid model."""
    experiment = machine().experiment(HoppingLegParams(motor_mode=motor_mode), RaibertGains(speed=speed))
    return steady(runners.exact(machine(), experiment, N_HOPS, period=None))


def exact_row(speed: float, motor_mode: str, steady: dict[str, float]) -> tuple[str, ...]:
    """Return a line of the first table."""
    numbers = (f"{steady['apex_height']:.6f}", f"{steady['apex_spread']:.0e}", f"{steady['speed']:.4f}")
    return f"{speed:g}", motor_mode, *numbers, f"{steady['stance_time']:.5f}", f"{steady['period']:.5f}"


def mujoco_row(speed: float, preset: str, wanted: dict[str, float]) -> tuple[str, ...]:
    """Return a line of the second table: MuJoCo minus hybrid, and MuJoCo's own spread."""
    run = runners.in_mujoco(machine(), machine().experiment(gains=RaibertGains(speed=speed)), N_HOPS, preset=preset)
    if not run.completed:
        return f"{speed:g}", preset, run.status, "", "", "", ""
    means = steady(run)
    shares = [f"{100 * (means[name] / wanted[name] - 1):+.3f}" for name in ("period", "stance_time")]
    height, speed_error = (means[name] - wanted[name] for name in ("apex_height", "speed"))
    spread = f"{1e3 * means['apex_spread']:.3f}"
    return f"{speed:g}", preset, *shares, f"{1e3 * height:+.3f}", spread, f"{1e3 * speed_error:+.2f}"


def tables() -> Page:
    """Return the table of the hybrid model, and that of MuJoCo against it."""
    wanted = {speed: exact(speed) for speed in SPEEDS}
    rows = [exact_row(speed, "ideal", steady) for speed, steady in wanted.items()]
    rows += [exact_row(0.5, mode, exact(0.5, mode)) for mode in ("current", "voltage")]
    against = [mujoco_row(speed, preset, wanted[speed]) for preset in PRESETS for speed in SPEEDS]
    words = "The same controller in MuJoCo, called at every step: MuJoCo minus hybrid model, and MuJoCo's own spread."
    return Page(Table(EXACT_HEAD, rows), words, Table(MUJOCO_HEAD, against))
