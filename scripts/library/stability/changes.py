"""Changes of a machine that its policy does not know of: payload, friction, slopes, motor strength, delay.

An episode starts from rest with the change; it is survived if it lasts for `SECONDS`, and the speed over ground at its
end is at least half of that without the change. Parameters are changed as `randomise` changes them, so that the policy,
made for the nominal machine, is the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from tarsus.analytic.spelling import listed
from tarsus.analytic.terrain import Slope
from tarsus.scripts.library.stability import calm, remembered
from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.loop import Loop
from tarsus.scripts.library.stability.pushes import WINDOW, FallsByItself, least_speed, speed_after

SECONDS = 4.0  # of an episode


@dataclass(frozen=True)
class Change:
    """A change of some size."""

    meaning: str  # of its size, in words
    unit: str  # of its size
    bound: float  # the largest size that is tried
    options: Callable[[Loop, float], Mapping[str, Any]]  # of a reset, from the loop and the size
    step: float = 0.0  # sizes are whole multiples of this; 0 for any
    absent: Callable[[Loop], str] = lambda loop: ""  # why a machine has no such change; "" if it has


def _factor(name: str, sign: float) -> dict[str, Callable]:
    """Return options and absence of a factor 1 + sign size on a parameter."""

    def options(loop: Loop, size: float) -> dict[str, Any]:
        return {"randomise": {name: (1.0 + sign * size,) * 2}}

    def absent(loop: Loop) -> str:
        known = loop.base.config.randomisable()
        return "" if name in known else f"this machine has no parameter {name}; there are {listed(name, known)}"

    return {"options": options, "absent": absent}


def _slope(sign: float) -> dict[str, Callable]:
    """Return options and absence of a slope along the forward axis."""

    def options(loop: Loop, size: float) -> dict[str, Any]:
        rise = sign * float(np.tan(size))
        return {"terrain": Slope(0.0, rise) if loop.chart.axis else Slope(rise, 0.0)}

    def absent(loop: Loop) -> str:
        turns = loop.base.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_HINGE
        return "this machine goes around on a boom, where no slope goes on" if turns else ""

    return {"options": options, "absent": absent}


def _later(loop: Loop, size: float) -> dict[str, Any]:
    own = loop.candidate.options.get("action_delay", (0, 0))[1]
    return {"action_delay": (own + round(size),) * 2}


CHANGES: dict[str, Change] = {
    "payload": Change("mass added to the body over its own", "", 4.0, **_factor("body_mass", 1.0)),
    "friction": Change("share of friction lost", "", 0.95, **_factor("friction_coeff", -1.0)),
    "uphill": Change("slope that rises ahead", "rad", 0.7, **_slope(1.0)),
    "downhill": Change("slope that falls ahead", "rad", 0.7, **_slope(-1.0)),
    "motor strength": Change("share of the largest torque lost", "", 0.95, **_factor("max_torque", -1.0)),
    "delay": Change("control periods by which actions are late", "periods", 12.0, _later, step=1.0),
}


class Changed:
    """Whether changes of a nominal machine's loop, which is used up, are survived: a function of a trial.

    An episode has at least twice the periods over which speed is measured. FallsByItself if it falls without a change.
    """

    def __init__(self, loop: Loop, change: Change, steps_per_period: int, seconds: float = SECONDS):
        self._loop, self._change, self._window = loop, change, WINDOW * steps_per_period
        self._steps = max(round(seconds / loop.ctrl_dt), 2 * self._window)
        self._command = calm.calmed(loop.base.config)[1]
        loop.reset(0)
        self._fresh = remembered.memory(loop.policy)
        speed = speed_after(loop, self._steps, self._window)
        if not np.isfinite(speed):
            raise FallsByItself(
                f"{loop.candidate.name} falls without any change, after {loop.time:.2f} s: {loop.ended}"
            )
        self._least = least_speed(speed)
        self._last: tuple[float, Mapping[str, Any]] = (0.0, {})

    def __call__(self, trial: Trial) -> bool:
        loop = self._loop
        if trial.size != self._last[0]:  # the same options once more do not compile the model anew
            self._last = trial.size, self._change.options(loop, trial.size)
        remembered.recall(loop.policy, self._fresh)
        loop.observation, loop.info = loop.env.reset(seed=trial.seed, options={**self._command, **self._last[1]})
        loop.ended = ""
        return speed_after(loop, self._steps, self._window) >= self._least
