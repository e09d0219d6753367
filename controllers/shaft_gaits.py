"""Gaits of robots with one continuously rotating motor per leg: tripod, trot, wave, ripple, metachronal.

Legs are in the order of the hexapods: those of the right side from the rear to the front, then those of the left. A
shaft angle of 0 is mid-stance and a growing angle walks forward. Every leg follows the same profile of one turn per
cycle, shifted by its phase; its intended stance is the sweep around the angle 0.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.1.4 (tripod by the Buehler clock, steering) and 3.1.5 (metachronal);
Song and Waldron, Machines That Walk (1989), for the phases of wave gaits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.analytic.spelling import check_name

from ..analytic.clock import TURN, profile


def cubic_profile(cycles, cycle_time, slow_time, sweep_angle):
    """Return angle [rad] and rate [rad/s] of a shaft whose angle in stance is a cubic of time.

    In stance the angle is sweep/2 (2 tau/slow_time)^3, so that feet in mid-stance are at rest while those at either end
    move at three times the mean rate: feet on the ground at different phases must slide. The rest of the turn is also a
    cubic, with the rates of the stance at its ends; angle and rate are continuous.

    Args:
        cycles: Cycles since a mid-stance, any shape.
        cycle_time: Period of one turn [s].
        slow_time: Duration of the stance [s], in (0, cycle_time).
        sweep_angle: Angle of the stance [rad], in (0, 2 pi).
    """
    turns = np.floor(cycles + 0.5)
    tau = (cycles - turns) * cycle_time  # time since the nearest mid-stance
    u = tau / (0.5 * slow_time)
    stance = np.abs(u) <= 1.0
    end_rate = 3.0 * sweep_angle / slow_time
    rest = 0.5 * (cycle_time - slow_time)  # half the way from stance to stance
    w = np.where(tau > 0, tau - 0.5 * cycle_time, tau + 0.5 * cycle_time) / rest  # -1 to 1 through the rest of the turn
    half, slope = 0.5 * (TURN - sweep_angle), end_rate * rest
    cube = 0.5 * (slope - half)  # the odd cubic with the value `half` and the slope `slope` at w = 1
    line = half - cube
    middle = np.where(tau > 0, 0.5, -0.5) * TURN
    angle = np.where(stance, 0.5 * sweep_angle * u**3, middle + line * w + cube * w**3)
    rate = np.where(stance, end_rate * u**2, (line + 3 * cube * w**2) / rest)
    return TURN * turns + angle, rate


PROFILES = {"uniform": profile, "cubic": cubic_profile}


@dataclass(frozen=True)
class ShaftGait:
    """A gait of rotating legs: `gait(t)` returns every shaft's angle and rate.

    Raises:
        ValueError: If a value is out of its range, the legs are an odd number, or the profile is unknown.
    """

    phase: np.ndarray  # of each leg, shape (n_legs,) [cycle]; 0 is mid-stance at t = 0
    cycle_time: float = 10.0  # [s]; BigANT ran at 0.1 Hz (paper, 3.1.4)
    duty: float = 0.5  # share of the cycle meant to be on the ground, in (0, 1)
    sweep_angle: float = 0.5 * np.pi  # of the stance [rad]; over which the foot path of BigANT's linkage is level
    steering: float = 0.0  # turns left if positive: right legs sweep 1 + steering, left legs 1 - steering as far
    profile: str = "uniform"  # one of PROFILES

    def __post_init__(self) -> None:
        object.__setattr__(self, "phase", np.array(self.phase, float))
        if self.phase.ndim != 1 or self.n_legs < 2 or self.n_legs % 2 or not np.isfinite(self.phase).all():
            raise ValueError(f"phase must be finite, one per leg of an even number of legs, got {self.phase}")
        if not 0 < self.cycle_time < np.inf:
            raise ValueError(f"cycle_time must be positive, got {self.cycle_time} s")
        if not 0 < self.duty < 1:
            raise ValueError(f"duty must lie between 0 and 1, got {self.duty}")
        if not -1 < self.steering < 1:
            raise ValueError(f"steering must lie between -1 and 1, got {self.steering}")
        if not (0 < self.sweep_angle and self.sweep_angle * (1 + abs(self.steering)) < TURN):
            raise ValueError(
                f"every leg must sweep between 0 and 2 pi, got sweep_angle {self.sweep_angle}, steering {self.steering}"
            )
        check_name("profile", self.profile, PROFILES)

    @property
    def n_legs(self) -> int:
        """Number of legs."""
        return len(self.phase)

    @property
    def period(self) -> float:
        """Time after which every leg has gone round once [s]."""
        return self.cycle_time

    def __call__(self, t) -> tuple[np.ndarray, np.ndarray]:
        """Return angle [rad], growing by a turn per cycle, and rate [rad/s] of every shaft, shape (..., n_legs)."""
        side = np.repeat([1.0, -1.0], self.n_legs // 2)  # right, left
        sweep = self.sweep_angle * (1 + self.steering * side)
        return PROFILES[self.profile](self._cycles(t), self.cycle_time, self.duty * self.cycle_time, sweep)

    def stance(self, t) -> np.ndarray:
        """Return whether each leg is meant to be on the ground at time t [s], shape (..., n_legs)."""
        cycles = self._cycles(t)
        return np.abs(cycles - np.round(cycles)) < 0.5 * self.duty

    def _cycles(self, t) -> np.ndarray:
        return np.asarray(t, float)[..., None] / self.cycle_time + self.phase


def wave_phases(n_legs: int, lag: float) -> np.ndarray:
    """Return the phases of a wave that runs along the body, sides half a cycle apart, shape (n_legs,) [cycle].

    Args:
        n_legs: Even number of legs.
        lag: Delay of a leg's touchdown after that of the leg behind it on its side [cycle]. With the lag 1 - duty a
            leg lifts off as the one behind it touches down: Song and Waldron's wave gaits.
    """
    from_rear = np.arange(n_legs) % (n_legs // 2)
    return np.mod(np.repeat([0.0, 0.5], n_legs // 2) - lag * from_rear, 1.0)


def _need(name: str, n_legs: int, least: int, why: str) -> None:
    if n_legs % 2 or n_legs < least:
        raise ValueError(f"the gait {name} needs an even number of {least} legs or more ({why}), got {n_legs}")


def tripod(n_legs: int = 6, **fields) -> ShaftGait:
    """Return the alternating tripod by the Buehler clock: neighbours half a cycle apart; overlap by its duty of 0.55.

    Further fields are those of `ShaftGait`, also in the functions below.
    """
    _need("tripod", n_legs, 6, "at least three of them stand while the others swing")
    return ShaftGait(wave_phases(n_legs, 0.5), **{"duty": 0.55} | fields)


def trot(n_legs: int = 4, **fields) -> ShaftGait:
    """Return the trot of a quadruped: diagonal pairs by turns, two feet on the ground at a time.

    Raises:
        ValueError: If there are not four legs.
    """
    if n_legs != 4:
        raise ValueError(f"a trot is a gait of four legs, got {n_legs}; the gait tripod alternates for six and more")
    return ShaftGait(wave_phases(4, 0.5), **{"duty": 0.5} | fields)


def wave(n_legs: int, **fields) -> ShaftGait:
    """Return the wave gait, the slowest: one leg swings at a time, from the rear to the front on each side."""
    _need("wave", n_legs, 4, "three stand while one swings")
    duty = 1 - 1 / n_legs
    return ShaftGait(wave_phases(n_legs, 1 - duty), **{"duty": duty} | fields)


def ripple(n_legs: int, **fields) -> ShaftGait:
    """Return the ripple gait: a third of the legs swings at a time, in waves from the rear to the front."""
    _need("ripple", n_legs, 6, "a third of them swings, and three or more stand")
    return ShaftGait(wave_phases(n_legs, 1 / 3), **{"duty": 2 / 3} | fields)


def metachronal(n_legs: int = 6, **fields) -> ShaftGait:
    """Return the gait designed to slide: the phases of a ripple, the angle in stance a cubic of time."""
    _need("metachronal", n_legs, 6, "a third of them swings, and three or more stand")
    return ShaftGait(wave_phases(n_legs, 1 / 3), **{"duty": 2 / 3, "profile": "cubic"} | fields)
