"""Deadbeat running of SLIP: the next apex has the height and speed asked for, and if asked the stride its duty factor.

The controls of a stride are the touchdown angle and the spring's stiffness before and after the bottom. The energy of
the next apex fixes the second stiffness: what the change of springs adds is known at the bottom. The height then
follows from the angle alone, a zero of one function, which is searched on the exact model; the speed follows from the
energy. The first stiffness is free, and sets the duty factor.

Where these controls do not exist within their limits, the status says so, and no stride is proposed.

Source: Saranli, Schwind & Koditschek, Toward the control of a multi-jointed, monoped runner, Proc. IEEE Int. Conf.
Robotics and Automation (1998); there with an approximate stance map, here with the exact one.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.analytic.models.slip import P, Slip
from tarsus.scripts.laboratory.models import deadbeat_slip

N_ANGLES = 121  # of the search for sign changes
N_STIFFNESSES = 9  # tried before the bottom, besides 1
RTOL = 1e-11
MISS = 1e-7  # of the apex height relative to the leg: a sign change that does not close to this is a jump of the map


class DeadbeatStatus(Enum):
    """Whether the next apex can be reached."""

    REACHED = "the next apex has the height and speed asked for"
    NO_ANGLE = "no touchdown angle within its limits leads to that height and speed"
    STIFFNESS_LIMIT = "the height and speed would need a stiffness beyond its limits"
    NO_DUTY_FACTOR = "height and speed can be reached, but not with that duty factor within the stiffness's limits"


@dataclass(frozen=True)
class DeadbeatLimits:
    """Within which the controls exist.

    Raises:
        ValueError: If a range is empty, or holds what it must not.
    """

    angle: tuple[float, float] = (-1.0, 1.0)  # at touchdown [rad]
    stiffness: tuple[float, float] = (0.3, 3.0)  # factors of the model's k

    def __post_init__(self) -> None:
        if not -math.pi / 2 < self.angle[0] < self.angle[1] < math.pi / 2:
            raise ValueError(f"angle must be a range within -pi/2 and pi/2, got {self.angle} rad")
        if not 0 < self.stiffness[0] < self.stiffness[1]:
            raise ValueError(f"stiffness must be a range of positive factors, got {self.stiffness}")


@dataclass(frozen=True)
class DeadbeatStride:
    """The controls of a stride and what it does. Check `status`; all is NaN unless it is REACHED."""

    status: DeadbeatStatus
    angle: float = math.nan  # at touchdown [rad]
    compression: float = math.nan  # factors of the stiffness
    decompression: float = math.nan
    height: float = math.nan  # of the next apex [m]
    speed: float = math.nan  # at it [m/s]
    duty_factor: float = math.nan  # share of the stride in stance


class DeadbeatRunner:
    """Plans strides of SLIP with two springs.

    Args:
        params: The runner; its spring is unloaded at touchdown and liftoff.
        limits: Of the controls.
        mode: As in `hybrid.compile`.
    """

    def __init__(self, params: Slip | None = None, limits: DeadbeatLimits | None = None, mode: str = "auto") -> None:
        self.params, self.limits = params or Slip(), limits or DeadbeatLimits()
        self.sim = hy.compile(deadbeat_slip.build(self.params), mode=mode)
        self.p = hy.vector(self.params)

    def plan(
        self,
        apex: tuple[float, float],
        target: tuple[float, float],
        *,
        compression: float | None = None,
        duty_factor: float | None = None,
    ) -> DeadbeatStride:
        """Return the stride from one apex to the next.

        Args:
            apex: Height [m] and speed [m/s] now.
            target: Height and speed of the next apex.
            compression: Factor of the stiffness before the bottom; None: 1, or the nearest to 1, of those tried, with
                which there is such a stride.
            duty_factor: Share of the stride in stance, in (0, 1); None: free.

        Raises:
            ValueError: If a height is not positive, duty factor or stiffness are out of range, or both are given.
        """
        if not (apex[0] > 0 and target[0] > 0 and np.all(np.isfinite([apex, target]))):
            raise ValueError(f"apex and target need a positive height and a finite speed, got {apex} and {target}")
        if duty_factor is not None and not 0 < duty_factor < 1:
            raise ValueError(f"duty_factor must lie between 0 and 1, got {duty_factor}")
        low, high = self.limits.stiffness
        if compression is None:
            tried = sorted({*np.geomspace(low, high, N_STIFFNESSES).tolist(), min(max(1.0, low), high)})
        elif low <= compression <= high and duty_factor is None:
            tried = [compression]
        else:
            raise ValueError(f"compression must lie in {self.limits.stiffness}, and be None with a duty factor")
        if duty_factor is None:
            by_distance = sorted(tried, key=lambda factor: abs(math.log(factor)))
            return _first_reached(self._with(factor, apex, target) for factor in by_distance)
        return self._with_duty(duty_factor, apex, target, tried)

    def run(self, apex: tuple[float, float], stride: DeadbeatStride) -> hy.Result:
        """Run the model from an apex through a stride to the next apex (STOPPED).

        Raises:
            ValueError: If the stride was not found.
        """
        if stride.status is not DeadbeatStatus.REACHED:
            raise ValueError(f"this stride cannot be run: {stride.status.value}")
        memory = [0.0, 0.0, stride.angle, stride.compression, stride.decompression]
        x = [0.0, apex[0], apex[1], 0.0]
        return self.sim.run(x, memory, self.p, chart="descent", stop_at="apex", final_time=60.0, rtol=RTOL)

    def strides(self, apex: tuple, target: tuple, compression: float, angles: np.ndarray) -> np.ndarray:
        """Return the strides at touchdown angles (m,) that have the target's energy, shape (m, 4).

        Columns: height and speed of the next apex, decompression, duty factor; NaN where there is no such stride.
        """
        g, mass, m = self.p[P.g_flight], self.p[P.body_mass], len(angles)
        gain = mass * (g * (target[0] - apex[0]) + 0.5 * (target[1] ** 2 - apex[1] ** 2))
        x0s = np.tile([0.0, apex[0], apex[1], 0.0], (m, 1))
        d0s = np.column_stack([np.zeros((m, 2)), angles, np.full((m, 2), compression)])
        ok = apex[0] > self.params.q_rt * np.cos(angles)  # the foot is above the ground at the apex
        settings = {"params": self.p, "final_time": 60.0, "rtol": RTOL, "n_threads": 1}
        down = self.sim.batch(x0s, d0s, chart="descent", stop_at="bottom", **settings)
        q = np.hypot(down.x[:, 0] - down.d[:, 0], down.x[:, 1])
        stored = np.array([slip.spring_potential(self.p, qi) for qi in q])
        with np.errstate(all="ignore"):
            after = np.where(stored > 0, compression + gain / stored, np.nan)
        ok &= (down.status == hy.Status.STOPPED) & (after > 0)
        down.d[:, deadbeat_slip.AFTER] = np.where(ok, after, 1.0)
        up = self.sim.batch(down.x, down.d, chart="decompression", stop_at="liftoff", **settings)
        rise, fall = up.x[:, 3] / g, np.sqrt(2.0 * np.maximum(apex[0] - self.params.q_rt * np.cos(angles), 0.0) / g)
        ok &= (up.status == hy.Status.STOPPED) & (rise > 0)
        stance = down.t - fall + up.t
        height = up.x[:, 1] + 0.5 * g * rise**2
        duty = np.divide(stance, stance + rise + fall, out=np.full(m, np.nan), where=ok)
        table = np.column_stack([height, up.x[:, 2], after, duty])
        return np.where(ok[:, None], table, np.nan)

    def _with(self, compression: float, apex: tuple, target: tuple) -> DeadbeatStride:
        """Return the stride with a given first stiffness."""
        from scipy.optimize import brentq  # slow to import, and needed only here

        def miss(angle: float) -> float:
            return self.strides(apex, target, compression, np.array([angle]))[0, 0] - target[0]

        angles = np.linspace(*self.limits.angle, N_ANGLES)
        misses = self.strides(apex, target, compression, angles)[:, 0] - target[0]
        found = []
        for i in np.flatnonzero(misses[:-1] * misses[1:] <= 0.0):
            try:
                angle = brentq(miss, angles[i], angles[i + 1], xtol=1e-14, rtol=1e-14)
            except ValueError:  # NaN between the two: no stride there
                continue
            height, speed, after, duty = self.strides(apex, target, compression, np.array([angle]))[0].tolist()
            if abs(height - target[0]) < MISS * self.params.q_0 and speed * target[1] >= 0.0:
                found.append(DeadbeatStride(DeadbeatStatus.REACHED, angle, compression, after, height, speed, duty))
        low, high = self.limits.stiffness
        within = [one for one in found if low <= one.decompression <= high]
        if not within:
            return DeadbeatStride(DeadbeatStatus.STIFFNESS_LIMIT if found else DeadbeatStatus.NO_ANGLE)
        return min(within, key=lambda one: abs(math.log(one.decompression / compression)))

    def _with_duty(self, duty_factor: float, apex: tuple, target: tuple, tried: list[float]) -> DeadbeatStride:
        """Return the stride with a given duty factor: a zero over the first stiffness."""
        from scipy.optimize import brentq  # slow to import, and needed only here

        def miss(factor: float) -> float:
            return self._with(factor, apex, target).duty_factor - duty_factor

        strides = [self._with(factor, apex, target) for factor in tried]
        misses = np.array([stride.duty_factor for stride in strides]) - duty_factor
        for i in np.flatnonzero(misses[:-1] * misses[1:] <= 0.0):
            try:
                stride = self._with(brentq(miss, tried[i], tried[i + 1], xtol=1e-13), apex, target)
            except ValueError:  # NaN between the two: no stride there
                continue
            if abs(stride.duty_factor - duty_factor) < MISS:
                return stride
        without = _first_reached(strides)
        return DeadbeatStride(DeadbeatStatus.NO_DUTY_FACTOR) if without.status is DeadbeatStatus.REACHED else without


def _first_reached(strides: Iterable[DeadbeatStride]) -> DeadbeatStride:
    """Return the first stride that reaches its target; if none does, one that says why."""
    others = []
    for stride in strides:
        if stride.status is DeadbeatStatus.REACHED:
            return stride
        others.append(stride)
    return next((one for one in others if one.status is DeadbeatStatus.STIFFNESS_LIMIT), others[0])
