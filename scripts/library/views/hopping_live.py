"""The hopping leg in a plot that follows a run while it is computed, can be stopped, and is played back afterwards.

What is seen is the circle of the hip unrolled: the way along it, and height.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.closing import forces
from tarsus.analytic.models import hopping_leg_hybrid
from tarsus.analytic.models.hopping_leg import HoppingLegParams, places
from tarsus.analytic.models.hopping_leg_hybrid import AUX
from tarsus.analytic.models.hopping_leg_mechanics import numbers
from tarsus.controllers.raibert import raibert
from tarsus.controllers.raibert_laws import STANCE
from tarsus.scripts.library.views.leg_plot import LegPlot

FORCE_SCALE = 2e-3  # length of a drawn force [m/N]
TRACE = 100  # moments of the hip's trace that stay visible
FPS = 30.0  # moments per simulated second


class HoppingLegFollower:
    """Shows states of a run as they come.

    Args:
        experiment: What runs.

    Attributes:
        plot: The plot.
    """

    period = 1 / FPS  # between moments [s]

    def __init__(self, experiment) -> None:
        self.params, self._trace, ground = experiment.params, [], experiment.ground
        gains = experiment.gains
        self._p = hy.vector(numbers(self.params) | gains.numbers(self.params))
        self._loads = forces(raibert(gains, self.params), hopping_leg_hybrid.plant())
        radius = self.params.LB
        self.plot = LegPlot(
            width=1.6,
            heights=(-0.05, 0.6),
            ground=lambda s: ground.height(radius * np.cos(s / radius), radius * np.sin(s / radius)),
        )

    def __call__(self, engine: str, *now) -> bool:
        """Show what an engine says of now; return whether the run should stop."""
        return self.row(*now) if engine == "mujoco" else self.frame(*now)

    def frame(self, t: float, x: np.ndarray, d: np.ndarray, chart: int) -> bool:
        """Show a state of the hybrid model; return whether the run should stop."""
        out = np.zeros(len(AUX))
        self._loads(t, x, d, self._p, chart, out)
        return self._show(t, x[:4], x[4:], out[2:], out[:2], chart == STANCE)

    def row(self, t: float, x: np.ndarray, d: np.ndarray, phase: int, loads: np.ndarray) -> bool:
        """Show a row of a MuJoCo run, if a moment is due; return whether the run should stop."""
        if self.plot.moments and t < self.plot.moments[-1].t + (1 - 1e-6) / FPS:
            return self.plot.stopped
        torque, force, yaw = loads[:2], loads[2:], x[0]
        along = force[1] * np.cos(yaw) - force[0] * np.sin(yaw)
        return self._show(t, x[:4], x[4:], np.array([along, force[2]]), torque, phase == STANCE)

    def _show(self, t, qpos, qvel, force: np.ndarray, torque, in_stance: bool) -> bool:
        plot, way = self.plot, self.params.LB * qpos[0]
        hip, knee, foot = joints(self.params, qpos)
        self._trace.append(hip)
        plot.points(t, "b:", *self._trace[-TRACE:])
        plot.points(t, "ko-", hip, knee, foot)
        plot.points(t, "g--", hip, foot)
        plot.vector(t, foot, FORCE_SCALE * force, "r")
        phase = "stance" if in_stance else "flight"
        plot.text(t, f"t {t:6.3f} s  {phase}\nspeed {self.params.LB * qvel[0]:+5.2f} m/s  way {way:5.2f} m")
        plot.signal(t, hip_height=hip[1], force_z=force[1], hip_torque=torque[0], knee_torque=torque[1])
        return plot.show()


def joints(params: HoppingLegParams, qpos: np.ndarray) -> np.ndarray:
    """Return hip, knee and foot as (way along the circle, height) in a state (4,), shape (3, 2) [m]."""
    at = places(params, qpos)
    way, height = params.LB * qpos[0], at.hip[2]
    knee = (way + params.LH * at.sine[2], height - params.LH * at.cosine[2] * at.cosine[1])
    return np.array([(way, height), knee, (way + at.leg[0], at.foot[2])])
