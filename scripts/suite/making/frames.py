"""A frame on many springy feet that all slide, each on a belt of its own: its motion, to rounding.

A trunk carries light feet on vertical slides with springs. The trunk's centre is at the height of the contacts, so
that friction does not pitch it and every foot keeps the load of its spring. What is left is a rigid body in the plane
of the ground, pushed by as many constant friction forces as there are feet, whose directions are those of the slips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

from .parts import G

FOOT, FOOT_MOMENT = 0.02, 1e-6  # mass and moments of inertia of a foot
SLOWEST = 0.02  # slip of a sliding foot, so that no case is about whether one sticks [m/s]


@dataclass(frozen=True)
class SlidingFrame:
    """The frame at t = 0, its x axis along the world's.

    Arrays of places (n, 2), friction (n,), loads of springs (n,), velocities of the belts (n, 2); `stuck` is the foot
    that stands on its belt, if one does.
    """

    mass: float  # of the trunk [kg]
    moment: float  # of the trunk, about the vertical [kg m^2]
    places: np.ndarray
    friction: np.ndarray
    springs: np.ndarray
    belts: np.ndarray
    stuck: int | None = None

    @property
    def loads(self) -> np.ndarray:
        """Loads of the contacts (n,)."""
        return self.springs + FOOT * G

    @property
    def whole(self) -> tuple[float, np.ndarray, float]:
        """Mass, centre from the trunk's, and moment of inertia about it, of all together."""
        mass = self.mass + FOOT * len(self.places)
        centre = FOOT * self.places.sum(axis=0) / mass
        apart = ((self.places - centre) ** 2).sum() * FOOT + len(self.places) * FOOT_MOMENT
        return mass, centre, self.moment + self.mass * centre @ centre + apart

    def feet(self, turn: float) -> np.ndarray:
        """Return the feet from the common centre, in the world (n, 2)."""
        c, s = np.cos(turn), np.sin(turn)
        return (self.places - self.whole[1]) @ np.array([[c, s], [-s, c]])

    def forces(self, turn: float, twist: np.ndarray) -> np.ndarray:
        """Return friction on the feet (n, 2), 0 on a stuck one, at a twist (velocity of the centre, turn rate)."""
        feet = self.feet(turn)
        slips = twist[:2] + twist[2] * np.stack([-feet[:, 1], feet[:, 0]], axis=1) - self.belts
        speeds = np.linalg.norm(slips, axis=1)
        if self.stuck is not None:
            speeds[self.stuck], slips[self.stuck] = 1.0, 0.0
        return -(self.friction * self.loads / speeds)[:, None] * slips

    def balance(self) -> np.ndarray:
        """Return the twist at t = 0 at which friction balances."""
        if self.stuck is None:
            typical = np.abs(self.belts).max()

            def wrench(twist):
                forces = self.forces(0.0, twist)
                return [*forces.sum(axis=0), _moment(self.feet(0.0), forces)]

            start = np.linalg.lstsq(self._rigid(), self.belts.ravel(), rcond=None)[0]
            found, info, code, message = fsolve(wrench, start, xtol=1e-13, full_output=True)
            if np.abs(info["fvec"]).max() > 1e-10:
                raise RuntimeError(f"friction does not balance: {message} (belts of {typical} m/s)")
            return found
        rate = brentq(lambda w: self._about_stuck(0.0, w), -20.0, 20.0, xtol=1e-15)  # it falls as the rate grows
        return self._pinned(0.0, rate)

    def motion(self, duration: float):
        """Return the motion from the balance on: a function of time to (x, y, turn, velocities, turn rate)."""
        start, centre = self.balance(), self.whole[1]
        if self.stuck is None:
            state = [*centre, 0.0, *start]
            return _solve(self._slide, state, duration, self.slowest)
        pinned = _solve(self._pivot, [0.0, start[2]], duration)

        def state_at(t):
            turn, rate = pinned(t)
            foot = self.places[self.stuck] + self.belts[self.stuck] * t
            place = foot - self.feet(turn)[self.stuck]
            return np.array([*place, turn, *self._pinned(turn, rate)])

        return state_at

    def all_forces(self, state: np.ndarray) -> np.ndarray:
        """Return friction on all feet (n, 2), on a stuck one what accelerates it with the others."""
        turn, twist = state[2], np.asarray(state[3:])
        forces = self.forces(turn, twist)
        if self.stuck is not None:
            mass, _, _ = self.whole
            arm, rate = -self.feet(turn)[self.stuck], twist[2]
            change = self._pivot(0.0, [turn, rate])[1]
            acceleration = change * np.array([-arm[1], arm[0]]) - rate**2 * arm
            forces[self.stuck] = mass * acceleration - forces.sum(axis=0)
        return forces

    def slowest(self, state: np.ndarray) -> float:
        """Return the least slip speed of the sliding feet [m/s]."""
        feet, twist = self.feet(state[2]), np.asarray(state[3:])
        slips = twist[:2] + twist[2] * np.stack([-feet[:, 1], feet[:, 0]], axis=1) - self.belts
        speeds = np.linalg.norm(slips, axis=1)
        return float(np.delete(speeds, [] if self.stuck is None else self.stuck).min())

    def _rigid(self) -> np.ndarray:
        feet = self.feet(0.0)
        rows = np.zeros((len(feet), 2, 3))
        rows[:, 0, 0] = rows[:, 1, 1] = 1.0
        rows[:, 0, 2], rows[:, 1, 2] = -feet[:, 1], feet[:, 0]
        return rows.reshape(-1, 3)

    def _slide(self, t, state):
        mass, _, moment = self.whole
        forces = self.forces(state[2], state[3:])
        return [*state[3:], *(forces.sum(axis=0) / mass), _moment(self.feet(state[2]), forces) / moment]

    def _pinned(self, turn, rate) -> np.ndarray:
        arm = -self.feet(turn)[self.stuck]  # of the common centre from the stuck foot
        return np.array([*(self.belts[self.stuck] + rate * np.array([-arm[1], arm[0]])), rate])

    def _about_stuck(self, turn, rate) -> float:
        feet = self.feet(turn)
        return _moment(feet - feet[self.stuck], self.forces(turn, self._pinned(turn, rate)))

    def _pivot(self, t, state):
        mass, _, moment = self.whole
        arm = self.feet(state[0])[self.stuck]
        return [state[1], self._about_stuck(*state) / (moment + mass * arm @ arm)]


def _moment(places: np.ndarray, forces: np.ndarray) -> float:
    return float((places[:, 0] * forces[:, 1] - places[:, 1] * forces[:, 0]).sum())


def _solve(slopes, start, duration, slowest=None):
    events = None
    if slowest:

        def events(t, state):
            return slowest(state) - SLOWEST

        events.terminal = True
    found = solve_ivp(
        slopes, (0.0, duration), start, "DOP853", rtol=1e-12, atol=1e-14, dense_output=True, events=events
    )
    if found.status != 0:
        raise RuntimeError(f"a foot nearly sticks at {found.t[-1]} s: {found.message}")
    return found.sol


def spread(rng: np.random.Generator, places: np.ndarray, weight: float) -> np.ndarray:
    """Return loads of springs (n,) that carry a weight over the origin; legs of unequal length make them uneven."""
    rows = np.vstack([np.ones(len(places)), places.T])
    even = np.linalg.pinv(rows) @ [weight, 0.0, 0.0]
    free = np.eye(len(places)) - np.linalg.pinv(rows) @ rows
    some = free @ rng.uniform(-1, 1, len(places))
    if np.abs(some).max() > 1e-9:
        even = even + 0.4 * even.min() / np.abs(some).max() * some
    return even
