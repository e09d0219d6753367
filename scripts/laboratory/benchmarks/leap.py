"""What it takes to plan the hopping leg's leaps over ditches by exact events, and where MuJoCo lands with the plans.

Usage: tarsus benchmark leap
Runtime: half a minute of processor time, and two minutes that compile the models the first time. CPU time of this
process, one run each; compiling is not counted. Needs the extra `control`.

Each width is planned from the plan of the one before, the first from a guess. In MuJoCo, with the accurate preset, the
joints follow the same angles, open loop.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.analytic.hybrid import control
from tarsus.scripts.laboratory.benchmarks.control import timed
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.laboratory.models import hopping_leg_leap
from tarsus.scripts.laboratory.models.hopping_leg_leap import MOTORS_OF, Leap

PACKAGES = ("tarsus", "mujoco", "numpy", "scipy", "clarabel")
WIDTHS = (0.6, 0.7, 0.8, 0.9, 1.0)  # [m]
FIRST = 4  # knot at which the leg has pushed
SETTINGS = {"radius": 0.2, "held": True, "tol": 1e-5, "refine": 8}


def plan(leap: Leap, guess: Mapping[str, float] | None = None) -> control.Solution:
    """Return the leap of least heat from a guess; None takes that of the model."""
    order, given = hopping_leg_leap.order_and_guess(leap, FIRST)
    return control.solve(hopping_leg_leap.problem(leap), guess or given, order, **SETTINGS)


def in_mujoco(leap: Leap, decisions: Mapping[str, float]) -> tuple[float, float]:
    """Return the foot's landing behind the first bank in MuJoCo [m], and the joints' speed at the end [rad/s].

    It is NaN if the foot is not off the ground once and down once.
    """
    import mujoco

    from tarsus.mjcf import hopping_leg

    model = hopping_leg.build(MOTORS_OF, preset="reference").compile()
    data, (angles, _, start) = mujoco.MjData(model), hopping_leg_leap.rest(leap)
    knots, dt, landed, flew = hopping_leg_leap.knots(leap, decisions), model.opt.timestep, [], False
    data.qpos[:] = angles
    mujoco.mj_forward(model, data)
    for k in range(round(leap.final_time / dt)):
        data.ctrl[:] = hopping_leg_leap.torque_asked(leap, knots, k * dt, data.qpos[2:], data.qvel[2:])
        mujoco.mj_step(model, data)
        foot = data.site("foot_0").xpos
        if flew and data.sensordata[0] > 0:
            landed.append(hopping_leg_leap.along(foot, start))
            flew = False
        flew = flew or foot[2] > 0.01
    return landed[0] if len(landed) == 1 else np.nan, float(np.abs(data.qvel).max())


def tables() -> Page:
    """Return the table."""
    plan(Leap(width=WIDTHS[0]))  # compiles
    rows, guess = [], None
    for width in WIDTHS:
        leap = Leap(width=width)
        found, cpu = timed(lambda leap=leap, guess=guess: plan(leap, guess))
        checked, (landed, speed) = control.verify(found), in_mujoco(leap, found.decisions)
        rows.append((
            f"{width:.1f}", found.status.name.lower(), f"{found.cost:.4f}", f"{found.violation:.0e}",
            f"{found.n_derived} with derivatives, {found.n_runs} plain", f"{cpu:.1f}",
            "same events, same cost" if checked.agrees else checked.message, f"{landed:.3f}", f"{speed:.2f}",
        ))  # fmt: skip
        guess = found.decisions
    head = ("width [m]", "status", "heat [s]", "violation", "runs", "CPU [s]", "verified")
    return Page(
        "Leaps of the hopping leg over a ditch, from rest to rest in a second.",
        Table((*head, "MuJoCo lands at [m]", "and moves at the end by [rad/s]"), rows),
    )
