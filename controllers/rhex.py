"""RHex's walker: it stands up, walks at commanded speeds, turns, stops and sits down.

The references are a chain of stretches: in each every hip moves along two lines, blended where they meet. A stretch of
walking is half a cycle, in which one tripod comes down from straight up to mid-stance and the other goes on from there.
A new command takes effect where the next stretch begins, so that angles stay continuous whatever is asked for; the
width of the blends stays what it was when walking began. Angles are unwrapped.

Source: RHexLib, rhex/StandMachine.cc, rhex/WalkMachine.cc (sequences, directions), rhex/RHexWalker.cc (commands).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..analytic import rhex_gaits
from ..analytic.clock import TRIPOD_PHASE, TURN, TripodGait, blended_corner, wrap
from .pd import nearest_turn

EVEN = TRIPOD_PHASE == 0.0  # the tripod that is lifted first
MOVES, STOPS = 0.25, 0.1  # magnitudes of a command above which it moves, and below which it stops
BACK, UP, ADJUST, SIT = 0.8, 0.4, 0.1, 1.0  # how long legs take to the horizontal, down to stand, to adjust, to sit [s]
FORWARD_OF_DOWN = 0.25 * np.pi  # legs beyond it sit down by turning over the front [rad]


@dataclass(frozen=True)
class Stretch:
    """A piece of the references: every hip on two lines, blended around the corner between them."""

    begin: float  # [s]
    length: float  # [s]
    knots: np.ndarray  # angles at the begin, at the corner and at the end, shape (3, 6) [rad]
    corner: np.ndarray  # its time since the begin, shape (6,) [s], within the length
    blend: float = 0.0  # width of the blend [s]
    cubic: bool = True

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return angles [rad] and rates [rad/s] of the hips at time t [s], shape (6,) each."""
        tau, (first, middle, last) = t - self.begin, self.knots
        before, after = (middle - first) / self.corner, (last - middle) / (self.length - self.corner)
        jump, past = after - before, tau - self.corner
        rise, more = np.maximum(past, 0.0) * jump, np.where(past >= 0, jump, 0.0)
        inside = np.abs(past) < 0.5 * self.blend
        if inside.any():
            blended = blended_corner(past + 0.5 * self.blend, self.blend, self.cubic, jump)
            rise, more = np.where(inside, blended[0], rise), np.where(inside, blended[1], more)
        return first + before * tau + rise, before + more


@dataclass(frozen=True)
class Order:
    """What the robot is to do: a gait of RHex's table while walking, or else to stand or to sit."""

    gait: TripodGait | None = None
    sit: bool = False


STAND, SIT_DOWN = Order(), Order(sit=True)


def order(command: float, turn: float = 0.0, walking: bool = False) -> Order:
    """Return the order of the radio control's sticks.

    Args:
        command: Forward, in [-1, 1].
        turn: To the left, in [-1, 1]; without a forward command its magnitude is the speed of a turn in place.
        walking: Whether the robot walks: it stops at a lower command than it starts at.

    Raises:
        ValueError: If either is beyond [-1, 1].
    """
    rhex_gaits.within(command, "command"), rhex_gaits.within(turn, "turn")
    least = STOPS if walking else MOVES
    if abs(command) >= least:
        heading = "forward" if command > 0 else "backward"
        return Order(rhex_gaits.gait(rhex_gaits.FASTEST * abs(command), heading, turn))
    if abs(turn) >= least:
        return Order(rhex_gaits.gait(rhex_gaits.FASTEST * abs(turn), "left" if turn > 0 else "right"))
    return STAND


class Walker:
    """The chain of stretches, one at a time: `walker(t)` returns angles and rates of the hips.

    Attributes:
        activity: "rising", "standing", "lifting", "walking", "stopping" or "sitting".
        order: What it does from the next stretch on.
        stretch: The present one.
        gait: The present one, with the width of its blends; None unless it walks.
    """

    def __init__(
        self,
        angle: np.ndarray,
        begin: float = 0.0,
        *,
        stands: bool = False,
        offset: float = 0.0,
        compensate: Callable[[TripodGait], TripodGait] = lambda gait: gait,
    ):
        """Take the hips where they are.

        Args:
            angle: Hip angles, shape (6,) [rad].
            begin: When the first stretch begins [s].
            stands: Whether the robot stands already; else it gets up.
            offset: Of the legs when it stands [rad].
            compensate: Changes the gait of every half cycle, as for a slope.
        """
        self.offset, self.compensate, self.order = offset, compensate, STAND
        self.gait: TripodGait | None = None
        self._raised = EVEN
        self.activity = "standing" if stands else "sitting"
        self.stretch = Stretch(begin, 0.0, np.stack([angle] * 3), np.ones(6))

    def __call__(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return angles [rad] and rates [rad/s] of the hips, (6,), at time t [s], not before the present stretch."""
        while t >= self.stretch.begin + self.stretch.length:
            self.stretch = self._next(self.stretch.begin + self.stretch.length, self.stretch.knots[2])
        return self.stretch(t)

    @property
    def walking(self) -> bool:
        """Whether the legs are driven by a gait."""
        return self.activity in ("lifting", "walking")

    def _next(self, t: float, angle: np.ndarray) -> Stretch:
        asked = self.order.gait
        if self.walking:
            return self._half_cycle(t, angle, asked) if asked else self._stop(t, angle)
        if self.activity == "sitting":
            return _line(t, ADJUST, angle, angle) if self.order.sit else self._rise(t, angle)
        self.activity = "standing"
        if self.order.sit:
            over = np.where(wrap(angle) > FORWARD_OF_DOWN, 1.5, -0.5) * np.pi
            self.activity = "sitting"
            return _line(t, SIT, angle, angle - wrap(angle) + over)
        return self._lift(t, angle, asked) if asked else self._stand(t, angle)

    def _rise(self, t: float, angle: np.ndarray) -> Stretch:
        """Turn the legs back to the horizontal, those ahead of the hip over the top, and then down to stand."""
        back = np.where(wrap(angle) > 0, 1.5, -0.5) * np.pi + angle - wrap(angle)
        down = nearest_turn(self.offset, back)
        self.activity = "rising"
        return Stretch(t, BACK + UP, np.stack([angle, back, down]), np.full(6, BACK))

    def _stand(self, t: float, angle: np.ndarray) -> Stretch:
        """Hold the legs at the offset of standing, or move them there, more slowly if they are off the ground."""
        return _line(t, UP if raised(angle).any() else ADJUST, angle, nearest_turn(self.offset, angle))

    def _lift(self, t: float, angle: np.ndarray, asked: TripodGait) -> Stretch:
        """Lift the first tripod straight up, the way it will walk; the other one goes to its mid-stance.

        If one is up already, as an episode begins, they walk at once.
        """
        self.activity, self._raised, self.gait = "lifting", raised(angle), self.compensate(asked)
        if self._raised.tolist() in (EVEN.tolist(), (~EVEN).tolist()):
            return self._half_cycle(t, angle, asked)
        self._raised = EVEN
        clock = self.gait.clock()
        middle = clock.direction * clock.leg_offset
        end = np.where(EVEN, onward(angle, middle + np.pi, clock.direction), nearest_turn(middle, angle))
        return _line(t, 0.5 * clock.cycle_time, angle, end)

    def _half_cycle(self, t: float, angle: np.ndarray, asked: TripodGait) -> Stretch:
        """Bring the raised tripod down to mid-stance and the other one up, to where the new gait has them."""
        self.activity = "walking"
        self.gait = self.compensate(replace(asked, blend=self.gait.blend, blend_shape=self.gait.blend_shape))
        clock, up = self.gait.clock(), self._raised
        way, period = clock.direction, clock.cycle_time
        middle = way * clock.leg_offset
        down = onward(angle, middle, way)
        stance = nearest_turn(middle, angle)
        sweep, slow = np.broadcast_to(clock.sweep_angle, (6,)), np.broadcast_to(clock.slow_time, (6,))
        knots = np.stack([
            angle,
            np.where(up, down - way * 0.5 * sweep, stance + way * 0.5 * sweep),
            np.where(up, down, stance + way * np.pi),
        ])  # fmt: skip
        self._raised = ~up
        corner = np.where(up, 0.5 * (period - slow), 0.5 * slow)
        return Stretch(t, 0.5 * period, knots, corner, clock.blend * period, clock.blend_shape == "cubic")

    def _stop(self, t: float, angle: np.ndarray) -> Stretch:
        """Let the raised tripod go on to mid-stance; the other one stays."""
        clock = self.gait.clock()
        down = onward(angle, clock.direction * clock.leg_offset, clock.direction)
        self.activity, self.gait = "stopping", None
        return _line(t, 0.5 * clock.cycle_time, angle, np.where(self._raised, down, angle))


def raised(angle: np.ndarray) -> np.ndarray:
    """Return whether legs point up, in the shape of their angles."""
    return np.cos(angle) < 0.0


def onward(angle: np.ndarray, target: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return the target plus the turns that put it less than a turn ahead of `angle` that way [rad], shape (6,)."""
    return angle + direction * np.mod(direction * (target - angle), TURN)


def _line(begin: float, length: float, first: np.ndarray, last: np.ndarray) -> Stretch:
    return Stretch(begin, length, np.stack([first, 0.5 * (first + last), last]), np.full(6, 0.5 * length))
