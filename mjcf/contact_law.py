"""MuJoCo's law of one contact, along its normal: what `solref` and `solimp` are for a body of some mass.

With the distance r, negative in contact, its rate v, and the acceleration a0 that there were without contact,

    a = a0 + f / m,   f = max(0, (aref - a0) / (1 / m + R)),   R = (1 - d) / d / m',   aref = -B v - K d r

where d(r) is the impedance of `solimp`, K and B are of `solref`, and m' is the mass that MuJoCo estimates from the
bodies alone where the true one depends on the pose. With the share s = 1 / (1 + (1 - d) / d m / m'), which is d if
m' = m, and a constant d this is a spring and damper under a body that weighs less: f = m s (-B v - K d r - a0). The
integrator `discrete` takes the reference at the step's end: B' = (B + h K d) / q, (K d)' = K d / q, R' = R / q with
q = 1 + h B + h^2 K d.

Source: MuJoCo's documentation, Computation, "Constraint model"; for `discrete`, which it does not state, MuJoCo 4.0.0's
`efc_aref`, `efc_diagA` and `efc_R`. The tests compare it with MuJoCo step by step.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..analytic.finite import check_finite, check_signs

IMPEDANCE = (1e-4, 0.9999)  # to which MuJoCo clips an impedance
PHASES = 16  # places within a timestep at which a body meets the ground
LONGEST = 20_000  # steps of a contact that is followed
RESTS = 1e-3  # of the speed of the fall: a body that rises more slowly, once it has turned, stays
DEEPEST = 1e3  # at which a contact that no depth holds is given up [m]


class Bounce(NamedTuple):
    """The effect of a contact on a body that falls on it, the mean over the instants of a step at which they meet."""

    restitution: float  # of the height that it rises to, the square root of its ratio to that of the fall
    scatter: float  # how far it is from that at most, by where within the step
    depth: float  # greatest [m]
    duration: float  # while force acts [s]; of a body that stays, until it nearly rests


@dataclass(frozen=True)
class ContactLaw:
    """One contact. The names that MuJoCo has are MuJoCo's.

    Raises:
        ValueError: If a value is impossible.
    """

    timestep: float  # [s]
    solref: tuple[float, float]  # time constant [s] and damping ratio; or -stiffness [1/s^2] and -damping [1/s]
    solimp: tuple[float, float, float, float, float] = (0.9, 0.95, 0.001, 0.5, 2.0)
    integrator: str = "Euler"
    mass: float = 1.0  # that the contact moves: inverse of how a unit of force accelerates the distance [kg]
    estimate: float = 1.0  # mass over the one that MuJoCo estimates
    refsafe: bool = True  # whether time constants too short for the timestep are lengthened

    def __post_init__(self) -> None:
        check_finite(self)
        check_signs(self, ("timestep", "mass", "estimate"))
        if (self.solref[0] > 0) != (self.solref[1] > 0):
            raise ValueError(f"solref must be two positive numbers or two that are not, got {self.solref}")

    @property
    def is_direct(self) -> bool:
        """Whether `solref` is a stiffness and a damping, both with a minus."""
        return self.solref[0] <= 0

    def time_constant(self, impedance=None) -> np.ndarray:
        """Return the time constant that MuJoCo uses at an impedance, by default the largest [s].

        Of a direct `solref`, the one of its damping; infinite without damping.
        """
        if self.is_direct:
            return np.asarray(2.0 / -self.solref[1] if self.solref[1] else np.inf)
        if not self.refsafe:
            return np.asarray(self.solref[0])
        d = self._most if impedance is None else impedance
        implicit = np.sqrt(d) / (self._most * self.solref[1])  # so that h^2 K d is at most 1
        return np.maximum(self.solref[0], self.timestep * (implicit if self.integrator == "discrete" else 2.0))

    @property
    def _most(self) -> float:
        return float(np.clip(self.solimp[1], *IMPEDANCE))

    def gains(self, impedance=None) -> tuple[np.ndarray, np.ndarray]:
        """Return K [1/s^2] and B [1/s] at an impedance, by default the largest."""
        if self.is_direct:
            return np.asarray(-self.solref[0] / self._most**2), np.asarray(-self.solref[1] / self._most)
        constant = self._most * self.time_constant(impedance)
        return 1.0 / (constant * self.solref[1]) ** 2, 2.0 / constant

    def impedance(self, distance) -> np.ndarray:
        """Return d at distances [m], of their shape."""
        least, most = np.clip(self.solimp[:2], *IMPEDANCE)
        width, middle, power = max(self.solimp[2], 1e-15), np.clip(self.solimp[3], *IMPEDANCE), max(1.0, self.solimp[4])
        x = np.minimum(np.abs(distance) / width, 1.0)
        low, high = x**power / middle ** (power - 1), 1 - (1 - x) ** power / (1 - middle) ** (power - 1)
        return least + (most - least) * np.where(x <= middle, low, high)

    def acceleration(self, distance, speed, free) -> np.ndarray:
        """Return the acceleration a of the distance that the contact leaves [m/s^2].

        Args:
            distance: r [m].
            speed: Its rate v [m/s].
            free: The acceleration a0 without contact [m/s^2].
        """
        d, h = self.impedance(distance), self.timestep
        stiff, damp = self.gains(d)
        stiff, rest = stiff * d, (1 - d) / d * self.estimate
        reference = -damp * speed - stiff * distance
        if self.integrator == "discrete":
            q = 1 + h * damp + h * h * stiff
            reference, rest = (reference - h * stiff * speed) / q, rest / q
        pushed = np.maximum(reference - free, 0.0) / (1 + rest)
        return free + np.where(np.asarray(distance) < 0, pushed, 0.0)

    def force(self, distance, speed, free) -> np.ndarray:
        """Return the normal force [N], as `acceleration`."""
        return self.mass * (self.acceleration(distance, speed, free) - free)

    def share(self, distance=-np.inf) -> float:
        """Return s at a distance, by default the one far within."""
        d = self.impedance(distance)
        return float(1 / (1 + (1 - d) / d * self.estimate))

    @property
    def stiffness(self) -> float:
        """Force over depth far within, where the impedance no longer changes [N/m]."""
        return self.mass * self.share() * float(self.gains()[0]) * self._most

    @property
    def damping(self) -> float:
        """Force over speed there [N s/m]."""
        return self.mass * self.share() * float(self.gains()[1])

    @property
    def damping_ratio(self) -> float:
        """Of the body on spring and damper, there; 1 is critical."""
        return self.damping / (2 * np.sqrt(self.stiffness * self.mass)) if self.stiffness else np.inf

    def depth_at_rest(self, pressing: float = 9.81) -> float:
        """Return the depth at rest [m] of a body that without contact would accelerate into it by so much [m/s^2].

        Infinite if no depth holds it.
        """
        low, high = 0.0, 1e-9
        while self.acceleration(-high, 0.0, -pressing) < 0:
            low, high = high, 2.0 * high
            if high > DEEPEST:
                return np.inf
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.acceleration(-middle, 0.0, -pressing) < 0 else (low, middle)
        return high

    @property
    def is_stable(self) -> bool:
        """Whether the steps of a body at rest in the contact do not grow: Jury's conditions of the linear map.

        With c = s B and k = s K d that is h c < 2 and h^2 k < 4 - 2 h c where contact forces are of the step's start.
        """
        if self.integrator == "discrete":
            return True
        h, share = self.timestep, self.share()
        stiff, damp = share * float(self.gains()[0]) * self._most, share * float(self.gains()[1])
        return bool(h * damp < 2 and h * h * stiff < 4 - 2 * h * damp)

    def drop(self, speed: float, gravity: float = 9.81) -> Bounce:
        """Return the motion of a body that meets the contact at a speed [m/s], pressed by gravity [m/s^2].

        Raises:
            ValueError: If the speed is not positive, or gravity negative.
        """
        if not (speed > 0 and gravity >= 0):
            raise ValueError(f"speed must be positive and gravity not negative, got {speed} and {gravity}")
        h = self.timestep
        r, v = (np.arange(PHASES) + 0.5) / PHASES * speed * h, np.full(PHASES, -speed)
        before = speed**2 + 2 * gravity * r
        depth, steps = np.zeros(PHASES), np.zeros(PHASES, int)
        moves, rises, rests = (np.full(PHASES, at) for at in (True, False, False))
        for _ in range(LONGEST):
            pushed = self.acceleration(r, v, -gravity) > -gravity
            moves &= (pushed | (steps == 0)) & ~rests
            if not moves.any():
                break
            steps += moves & pushed
            ahead = self.step(r, v, -gravity)
            r, v = np.where(moves, ahead[0], r), np.where(moves, ahead[1], v)
            depth, rises = np.maximum(depth, -r), rises | (v > RESTS * speed)
            rests |= rises & (v < RESTS * speed) & pushed
        after = np.where(moves | rests | (v <= 0), 0.0, np.maximum(v * v + 2 * gravity * r, 0.0))
        found = np.sqrt(after / before)
        return Bounce(
            float(found.mean()), float(abs(found - found.mean()).max()), float(depth.mean()), float(steps.mean() * h)
        )

    def step(self, r, v, free: float) -> tuple[np.ndarray, np.ndarray]:
        """Return distance [m] and speed [m/s] a step later; `free` as `acceleration` has it."""
        h = self.timestep
        if self.integrator != "RK4":
            ahead = v + h * self.acceleration(r, v, free)
            return r + h * ahead, ahead
        a = self.acceleration(r, v, free)
        slopes = [(v, a)]
        for part in (0.5, 0.5, 1.0):
            at, rate = r + part * h * slopes[-1][0], v + part * h * slopes[-1][1]
            slopes.append((rate, self.acceleration(at, rate, free)))
        return tuple(
            start + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
            for start, k in zip((r, v), zip(*slopes, strict=True), strict=True)
        )
