"""Hopping on one leg after Raibert: ground force along a Bezier profile, foot placement, height and speed regulation.

One object drives both engines. The hybrid model uses its laws (plain functions, which it compiles), parameters and
memory; a simulator calls it with time, joint state and whether the foot is on the ground.

Source: Ding & Ramos, section 2.2; Raibert, Legged Robots That Balance (1986), chapter 2.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..analytic.compilation import compiled
from ..analytic.hybrid import vector
from ..analytic.models import hopping_leg_laws as laws
from ..analytic.models.hopping_leg import HoppingLegParams, limited_torque
from ..analytic.models.hopping_leg_laws import MEMORY, RaibertGains
from ..analytic.models.hopping_leg_mechanics import numbers

SETTLED = 0.02  # time after a touchdown or liftoff in which contact is ignored [s]


class Raibert:
    """The controller of the hopping leg.

    Args:
        gains: Its gains, with the commanded speed and height.
        params: The leg it controls: link lengths, and the motors' limits.
        fast: Compile the torque laws for calls from Python: takes seconds once, then a tenth of the time per call.

    Attributes:
        memory: Values stored at events, shape (8,), in the order of `MEMORY`; initialised by `reset`.
        in_stance: Whether the stance law is active.

    Raises:
        ValueError: If the leg cannot have the length that the gains require.
    """

    swing_torque = staticmethod(laws.swing_torque)
    stance_torque = staticmethod(laws.stance_torque)
    at_start = staticmethod(laws.at_start)
    at_touchdown = staticmethod(laws.at_touchdown)
    at_liftoff = staticmethod(laws.at_liftoff)
    at_apex = staticmethod(laws.at_apex)

    def __init__(
        self, gains: RaibertGains | None = None, params: HoppingLegParams | None = None, fast: bool = False
    ) -> None:
        self.gains = RaibertGains() if gains is None else gains
        self.params = HoppingLegParams() if params is None else params
        self._limits = self.params.torque_limits
        self.numbers = self.gains.numbers(self.params)
        self.memory_names = MEMORY
        self._p = vector(numbers(self.params))
        self._k = vector(self.numbers)
        self._laws = (self.swing_torque, self.stance_torque)
        if fast:
            self._laws = tuple(compiled(law) for law in self._laws)
        self.memory = np.zeros(len(MEMORY))
        self.in_stance, self._rising, self._changed = False, False, -np.inf

    def reset(self, t: float, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """Start in flight, with the current state of the leg, shapes (4,) [rad], [rad/s]."""
        self.memory = np.zeros(len(MEMORY))
        self.in_stance, self._rising, self._changed = False, bool(qvel[1] < 0), -np.inf
        self.at_start(t, qpos, qvel, self._p, self._k, self.memory)

    def __call__(self, t: float, qpos: np.ndarray, qvel: np.ndarray, contact: bool) -> np.ndarray:
        """Return the commanded torques of hip and knee, limited as the motors are, shape (2,) [N m].

        Args:
            t: Time [s].
            qpos: Yaw, pitch, hip, knee, shape (4,) [rad].
            qvel: Their rates, shape (4,) [rad/s].
            contact: Whether the foot is on the ground: a change is a touchdown or a liftoff, except changes within
                `SETTLED` of the last: a simulated contact may chatter, and a real switch bounces.
        """
        self._notice(t, qpos, qvel, contact)
        torque = np.empty(2)
        self._laws[self.in_stance](t, qpos, qvel, self._p, self._k, self.memory, torque)
        return limited_torque(self._limits, torque, qvel[2:])

    def _notice(self, t: float, qpos: np.ndarray, qvel: np.ndarray, contact: bool) -> None:
        """Call the law of each event that has happened since the last call."""
        arguments = (t, qpos, qvel, self._p, self._k, self.memory)
        rising = bool(qvel[1] < 0)  # the boom's pitch is positive downward
        if not self.in_stance and self._rising and not rising:
            self.at_apex(*arguments)
        if contact != self.in_stance and t > self._changed + SETTLED:
            self.in_stance, self._changed = bool(contact), t
            (self.at_touchdown if contact else self.at_liftoff)(*arguments)
        self._rising = rising


class RaibertPolicy:
    """The controller as a policy of `HoppingLeg-v0`: `policy(observation, info)` returns an action.

    Args:
        controller: The controller.
        scale: Torques of an action of 1, shape (2,) [N m].
    """

    def __init__(self, controller: Raibert, scale: np.ndarray) -> None:
        self.controller, self.scale = controller, np.asarray(scale, float)

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the action for the state in `info`; the observation is not used."""
        t, qpos, qvel = info["time"], info["qpos"], info["qvel"]
        if t == 0.0:
            self.controller.reset(t, qpos, qvel)
        torque = self.controller(t, qpos, qvel, bool(info["foot_contact"][0]))
        return (torque / self.scale).astype(np.float32)
