r"""The clock's reference profile: angle and rate of each leg at time t.

Once per `cycle_time` a leg moves slowly through `sweep_angle` around the vertical (its stance, of duration `slow_time`)
and fast through the rest of the turn. The profile F rises by one turn per cycle; the hip follows

.. math:: \varphi_d = \sigma\, (F + \varphi_o),

where :math:`\varphi_o` is `leg_offset` and :math:`\sigma` the `direction`, -1 forward and +1 backward,

because a rising hip angle pushes the body towards -y. phi = 0 is a leg straight down. Time t = 0 is mid-stance of the
legs of phase 0. Angles here are unwrapped: they keep growing, and only `wrap` reduces them.

The corners between the phases may be blended over a share `blend` of the cycle, half of it on either side: "linear", at
the mean of the two rates, or "cubic", by the Hermite cubic between the lines, which here is a parabola.

Source: SimSect manual 5.2, figure 8; hexapod report 5.1. Sign of forward: erratum 3. Blends: RHexLib,
include/Profiler.hh.
"""

from dataclasses import dataclass, replace

import numpy as np

from .finite import check_angle
from .spelling import check_name

TURN = 2 * np.pi
BLEND_SHAPES = ("linear", "cubic")


def wrap(angle: np.ndarray) -> np.ndarray:
    """Return angles [rad], of any shape, in (-pi, pi]."""
    return np.pi - np.mod(np.pi - angle, TURN)


def slow_phase(tau, slow_time, sweep_angle):
    """Return F [rad] and its rate [rad/s] in a slow phase, a time tau [s] after its mid-stance.

    Plain arithmetic, as the next two: the exact engine compiles them for scalars, `profile` maps them over arrays.
    """
    rate = sweep_angle / slow_time
    return rate * tau, rate


def fast_phase(tau, edge, cycle_time, slow_time, sweep_angle):
    """Return F and its rate in the fast phase after (`edge` 0.5) or before (-0.5) the slow phase around tau = 0."""
    rate = (TURN - sweep_angle) / (cycle_time - slow_time)
    return edge * sweep_angle + rate * (tau - edge * slow_time), rate


def blended_corner(into, width, cubic, jump):
    """Return the angle and the rate that a blend adds to the line before its corner.

    Args:
        into: Time since the blend began, in [0, width] [s].
        width: Of the blend [s], positive.
        cubic: Whether the rate rises evenly, else it jumps half the way at either end.
        jump: Of the rate at the corner [rad/s].
    """
    if cubic:
        return 0.5 * jump * into * into / width, jump * into / width
    return 0.5 * jump * into, 0.5 * jump


def reference(angle, rate, leg_offset, direction):
    """Return the hip's reference phi_d [rad] and its rate [rad/s] at a profile's angle F and rate."""
    return direction * (angle + leg_offset), direction * rate


def profile(cycles, cycle_time, slow_time, sweep_angle, blend=0.0, blend_shape="cubic"):
    """Return F [rad] and its rate dF/dt [rad/s] after a number of cycles since mid-stance.

    Args:
        cycles: Cycles since a mid-stance, any shape; F grows by a full turn per cycle.
        cycle_time: Period of one turn [s].
        slow_time: Duration of the slow phase [s], in (0, cycle_time).
        sweep_angle: Angle of the slow phase [rad], in (0, 2 pi).
        blend: Width of the blended corners [cycle], at most the duty and 1 - duty; 0 for corners.
        blend_shape: One of `BLEND_SHAPES`.

    At a kink the rate is that of the phase that begins.
    """
    turns = np.floor(cycles + 0.5)
    tau = (cycles - turns) * cycle_time  # time since the nearest mid-stance, in [-t_c/2, t_c/2)
    late = tau >= 0.5 * slow_time
    is_slow = (tau >= -0.5 * slow_time) & ~late
    slow, slow_rate = slow_phase(tau, slow_time, sweep_angle)
    fast, fast_rate = fast_phase(tau, np.where(late, 0.5, -0.5), cycle_time, slow_time, sweep_angle)
    angle, rate = np.where(is_slow, slow, fast), np.where(is_slow, slow_rate, fast_rate)
    if np.any(blend):
        width = blend * cycle_time
        into = np.abs(tau) - 0.5 * (slow_time - width)
        inside = np.where(tau < 0, (into > 0) & (into <= width), (into >= 0) & (into < width))
        line, some_width = slow_phase(np.abs(tau), slow_time, sweep_angle)[0], np.where(inside, width, 1.0)
        rise, more = blended_corner(into, some_width, blend_shape == "cubic", fast_rate - slow_rate)
        angle, rate = np.where(inside, np.copysign(line + rise, tau), angle), np.where(inside, slow_rate + more, rate)
    return TURN * turns + angle, rate


@dataclass(frozen=True)
class Clock:
    """The reference of every leg. Fields broadcast over the legs: scalars, or arrays of shape (n_legs,).

    Raises:
        ValueError: If a time, angle, direction or blend is out of its range, or the blend's shape is unknown.
    """

    phase: np.ndarray  # [cycle]; 0 is mid-stance at t = 0
    cycle_time: float = 1.0  # t_c [s]
    slow_time: np.ndarray | float = 0.6  # t_s [s]
    sweep_angle: np.ndarray | float = 0.75  # phi_s [rad]
    leg_offset: np.ndarray | float = 0.0  # phi_o [rad]
    direction: np.ndarray | float = -1.0  # -1 forward, +1 backward
    blend: float = 0.0  # width of the blended corners [cycle]
    blend_shape: str = "cubic"  # one of BLEND_SHAPES

    def __post_init__(self) -> None:
        t_c, t_s, phi_s = np.asarray(self.cycle_time), np.asarray(self.slow_time), np.asarray(self.sweep_angle)
        if not np.all(t_c > 0):
            raise ValueError(f"cycle_time must be positive, got {self.cycle_time} s")
        if not np.all((t_s > 0) & (t_s < t_c)):
            raise ValueError(
                f"slow_time must lie between 0 and cycle_time = {self.cycle_time} for every leg, got {self.slow_time} s"
            )
        check_angle("sweep_angle", phi_s, 0.0, TURN)
        check_angle("leg_offset", self.leg_offset, -TURN, TURN)
        if not np.all(np.abs(self.direction) == 1):
            raise ValueError(f"direction must be -1 (forward) or +1 (backward), got {self.direction}")
        check_name("blend_shape", self.blend_shape, BLEND_SHAPES)
        widest = float(np.min([t_s / t_c, 1.0 - t_s / t_c]))
        if not 0.0 <= self.blend <= widest:
            raise ValueError(
                f"blend must lie between 0 and {widest:.4g}, the shorter phase's share of the cycle, got {self.blend}"
            )

    def __call__(self, t) -> tuple[np.ndarray, np.ndarray]:
        """Return angle [rad] and rate [rad/s] of every leg at time t [s], shape (..., n_legs)."""
        return self.at(np.asarray(t, float)[..., None] / self.cycle_time)

    def at(self, cycles) -> tuple[np.ndarray, np.ndarray]:
        """Return angle and rate of every leg, shape (..., n_legs), after `cycles`, (..., n_legs) or (..., 1).

        For a clock whose cycle time may change under way.
        """
        shape = self.cycle_time, self.slow_time, self.sweep_angle, self.blend, self.blend_shape
        angle, rate = profile(cycles + self.phase, *shape)
        return reference(angle, rate, self.leg_offset, self.direction)

    def kinks(self, start: float, stop: float) -> np.ndarray:
        """Return the times in (start, stop] at which some leg changes between slow, blend and fast, sorted, shape (n,).

        The rate jumps there, or, where blends are cubic, the acceleration.
        """
        duty = np.asarray(self.slow_time) / self.cycle_time
        ends = [0.5 * (duty + width) for width in {self.blend, -self.blend}]
        shift = np.concatenate(np.broadcast_arrays(*(side * end - self.phase for end in ends for side in (1, -1))))
        first = np.floor(start / self.cycle_time - shift.max()) - 1
        turns = np.arange(first, np.ceil(stop / self.cycle_time - shift.min()) + 2)
        times = np.unique((turns[:, None] + shift) * self.cycle_time)
        times = times[(times > start) & (times <= stop)]
        distinct = np.diff(times, prepend=-np.inf) > 1e-12 * max(1.0, abs(stop))  # legs of a tripod agree to rounding
        return times[distinct]


# A hexapod's legs in order: right rear, middle, front, left rear, middle, front. Tripod A is legs 0, 2, 4.
TRIPOD_PHASE = np.array([0.0, 0.5, 0.0, 0.5, 0.0, 0.5])  # [cycle]
RIGHT = np.array([True, True, True, False, False, False])

# Direction of the right and of the left legs. In place, the robot turns to the side whose legs run backward.
HEADINGS = {"forward": (-1.0, -1.0), "backward": (1.0, 1.0), "left": (-1.0, 1.0), "right": (1.0, -1.0)}


@dataclass(frozen=True)
class TripodGait:
    """The alternating-tripod family of gaits; `clock` gives the reference it means.

    Differential turning adds the three differences on the left and subtracts them on the right. A right turn
    needs `offset_difference` > 0 and `slow_time_difference` < 0 (erratum 20; with equal signs the two cancel).
    Leans are added to the hip angles of a row of legs, whatever their direction; positive puts the toes ahead. With
    phases of the rows and no difference between tripods, legs move in pairs, as on stairs.

    Raises:
        ValueError: If the heading is unknown, or a number is out of its range.
    """

    cycle_time: float = 1.0  # t_c [s]
    slow_time: float = 0.6  # t_s [s]
    sweep_angle: float = 0.75  # phi_s [rad]
    leg_offset: float = 0.0  # phi_o [rad]
    slow_time_difference: float = 0.0  # dt_s [s]
    offset_difference: float = 0.0  # dphi_o [rad]
    heading: str = "forward"  # one of HEADINGS; "left" and "right" turn in place
    sweep_difference: float = 0.0  # dphi_s [rad]
    blend: float = 0.0  # width of the blended corners [cycle]
    blend_shape: str = "cubic"  # one of BLEND_SHAPES
    rear_lean: float = 0.0  # [rad]
    middle_lean: float = 0.0
    front_lean: float = 0.0
    phase_difference: float = 0.5  # of the second tripod's clock from the first's [cycle]; 0: all legs jump together
    middle_phase: float = 0.0  # of the middle legs' clock from what their tripod has [cycle]
    front_phase: float = 0.0

    def __post_init__(self) -> None:
        check_name("heading", self.heading, HEADINGS)
        for name in ("phase_difference", "middle_phase", "front_phase"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ValueError(f"{name} must be at least 0 and below 1 cycle, got {getattr(self, name)} cycles")
        self.clock()  # refuses what is out of range

    def clock(self) -> Clock:
        """Return the clock of the six legs."""
        right, left = HEADINGS[self.heading]
        side, direction = np.where(RIGHT, -1.0, 1.0), np.where(RIGHT, right, left)
        lean = np.array([self.rear_lean, self.middle_lean, self.front_lean] * 2)
        return Clock(
            phase=2.0 * self.phase_difference * TRIPOD_PHASE + np.array([0.0, self.middle_phase, self.front_phase] * 2),
            cycle_time=self.cycle_time,
            slow_time=self.slow_time + side * self.slow_time_difference,
            sweep_angle=self.sweep_angle + side * self.sweep_difference,
            leg_offset=self.leg_offset + side * self.offset_difference + direction * lean,
            direction=direction,
            blend=self.blend,
            blend_shape=self.blend_shape,
        )

    @property
    def slow_end(self) -> float:
        """Time from mid-stance to where the slow phase ends and its blend begins, both sides alike [s]."""
        return 0.5 * (self.slow_time - self.blend * self.cycle_time)

    def mirrored(self) -> "TripodGait":
        """Return the gait reflected left to right; it differs from its mirror image by half a cycle in time."""
        swap = {"left": "right", "right": "left"}
        sides = ("slow_time_difference", "offset_difference", "sweep_difference")
        changed = {name: -getattr(self, name) for name in sides}
        return replace(self, **changed, heading=swap.get(self.heading, self.heading))
