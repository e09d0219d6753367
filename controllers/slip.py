"""SLIP running on the articulated leg: one controller for the hybrid model, for MuJoCo, and for the environment.

`laws` are the functions that the hybrid model is built with: they are called at the exact time of events.
`SlipController` calls the same functions at the samples of a simulator or robot, and detects the events itself.
`SlipPolicy` is that controller in the action space of `SlipLeg-v0`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..analytic.compilation import compiled
from ..analytic.hybrid import vector
from ..analytic.hybrid.names import items
from ..analytic.models.slip_leg import NQ, SlipLegParams
from ..analytic.models.slip_leg_hybrid import CHARTS, LegControl
from . import slip_laws
from .slip_parameters import MEMORY, SlipControl
from .slip_sampled import sample


def laws(control: SlipControl | None = None) -> LegControl:
    """Return the controller as the functions that the hybrid model is built with."""
    return LegControl(
        params=control or SlipControl(),
        memory=MEMORY,
        flight_torque=slip_laws.flight_torque,
        stance_torque=slip_laws.stance_torque,
        spring=slip_laws.spring,
        reach=slip_laws.reach,
        clearance=slip_laws.clearance,
        on_clear=slip_laws.on_clear,
        on_apex=slip_laws.on_apex,
        on_touchdown=slip_laws.on_touchdown,
        on_liftoff=slip_laws.on_liftoff,
    )


class SlipController:
    """The controller for sampled use: it detects touchdown, liftoff, clearance and apex between two samples.

    Args:
        params: The controller's model of the leg.
        control: Its parameters; `energy_gain` of about 0.5 compensates the energy that sampling adds.
        hold: How long each torque will be held [s]: it is computed for the middle of that time. Otherwise a held torque
            lags by half the time, and a lagging spring does work.

    Attributes:
        phase: One of `CHARTS`.
        memory: Its memory, in the order of `slip_laws.D`.
    """

    def __init__(self, params: SlipLegParams | None = None, control: SlipControl | None = None, hold: float = 0.0):
        self.params, self.control, self.hold = params or SlipLegParams(), control or SlipControl(), hold
        self._p = vector({**items(self.params), **items(self.control)})
        self._sample = compiled(sample)
        self.reset()

    def reset(self) -> None:
        """Clear the memory; the next sample begins a flight."""
        self.memory = vector({"foot_x": 0.0, "foot_z": 0.0, **MEMORY})
        self._code = -1
        self._last = np.zeros(1 + 2 * NQ + 2)  # time, state, torque

    @property
    def phase(self) -> str:
        """The current phase; an empty string before the first sample."""
        return CHARTS[self._code] if self._code >= 0 else ""

    def __call__(self, t: float, qpos: np.ndarray, qvel: np.ndarray, ground: float = 0.0) -> np.ndarray:
        """Return the torques of hip and knee, shape (2,) [N m].

        Args:
            t: Time [s].
            qpos: Base position x, z [m], hip and knee [rad], shape (4,).
            qvel: Their rates, shape (4,).
            ground: Height of the ground under the foot [m].
        """
        x, tau = np.concatenate([qpos, qvel]), np.zeros(2)
        self._code = self._sample(t, x, self.memory, self._p, self._code, self._last, ground, self.hold, tau)
        return tau


class SlipPolicy:
    """The controller as a policy of `SlipLeg-v0`: `policy(observation, info)` returns an action.

    Args:
        controller: The controller; its `hold` should be the environment's control period.
        scale: The torques of an action of 1, hip and knee [N m].
    """

    def __init__(self, controller: SlipController, scale: np.ndarray):
        self.controller, self.scale = controller, np.asarray(scale, float)

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the action for the time and state in `info`; at time zero it resets the controller."""
        if info["time"] == 0.0:
            self.controller.reset()
        torque = self.controller(info["time"], info["qpos"], info["qvel"], info["ground"])
        return (torque / self.scale).astype(np.float32)
