"""Feasible paths and goals of a sliding robot: its smallest radius, paths rehearsed on the model, plans to goals.

Axles that are rigid cannot stroke left and right differently, so that every turn slips and the smallest radius is some
meters. A path that bends more, or a goal behind that radius, is refused with what the model can do instead.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..analytic.contact import se2
from ..analytic.models.sliding_walk import N_CONTROLS, SlidingWalk
from .connection_mpc import WEIGHTS, ConnectionMPC, DecisionStatus, Limits, improved, off
from .path import Path, relative

ROOM = 0.05  # by which the model may be beside a path that it is to follow, in lengths of the robot
LATE = 0.1  # by which it may be early or late on it, likewise
STRAYED = (
    (0.1, 0.0),
    (-0.1, 0.0),
    (0.1, 0.05),
    (-0.1, -0.05),
)  # where noise puts it: to the left [lengths], turned [rad]
MOST = 2000  # strides of a path: their rehearsal takes a minute
BACK = 20  # strides in which it must come back
BETWEEN = 10  # strides between places along the path from which it is tried
SPARED = 0.9  # of crab and steering: what a path may need, the rest is for what the model does not know
CLOSE = np.array([5e-3, 5e-3, 1e-2])  # to a goal that counts as reached [m, m, rad]
SPARE = 0.8  # of the longest stride that a plan is made of
STEPS = 25  # Gauss-Newton steps of a plan to a goal
FALLS = "the feet do not carry the robot in some frame of this gait; take a robot with more legs"


class Rehearsal(NamedTuple):
    """A path followed on the model, stride by stride."""

    poses: np.ndarray  # (strides + 1, 3) in the path's frame [m, m, rad]
    controls: np.ndarray  # (strides, 3) [rad]
    off: np.ndarray  # (strides + 1,) distance from where it should be [m]


class Plan(NamedTuple):
    """Controls of strides to a goal."""

    controls: np.ndarray  # (strides, 3) [rad]
    poses: np.ndarray  # (strides, 3) after each, as seen from the start [m, m, rad]


def limits_of(walk: SlidingWalk) -> Limits:
    """Return the limits of a robot's controls by its range of yaw."""
    return Limits(yaw_range=walk.params.yaw_range)


def smallest_radius(walk: SlidingWalk, amplitude: float = 0.2, limits: Limits | None = None) -> float:
    """Return the smallest radius of an arc, by the model, at a yaw amplitude [m]; refused if it falls."""
    limits = limits or limits_of(walk)
    made = _carried(walk, limits.clip(np.array([amplitude, 0.0, limits.steering])))
    return float(np.hypot(*made[:2]) / abs(made[2])) if made[2] else np.inf


def rehearse(walk: SlidingWalk, path: Path, **options) -> Rehearsal:
    """Return the model's walk along a path from its start, with a tenth of crab and steering to spare.

    `ConnectionMPC` decides once a stride. Then the model is put beside the path, every few strides of it, and must come
    back.

    Args:
        walk: The robot.
        path: The path.
        options: Of `ConnectionMPC`.

    Raises:
        ValueError: If the feet do not carry the robot, or the path asks for more than it can do, or leaves it no room
            to come back; the sentence says where and what.
    """
    limits = options.pop("limits", None) or limits_of(walk)
    spared = replace(limits, crab=SPARED * limits.crab, steering=SPARED * limits.steering)
    if not path.duration <= MOST * walk.period:
        raise ValueError(
            f"the path takes {path.duration:.3g} s at {path.speed:g} m/s, more than the {MOST} strides of "
            f"{walk.period:.3g} s that can be rehearsed: take a higher speed or a shorter path"
        )
    count = int(path.duration / walk.period + 1e-9)
    poses, controls = _walked(walk, path, 0.0, path(0.0), count, {"limits": spared} | options)
    error = np.array(
        [relative(pose, on) for pose, on in zip(poses, path(walk.period * np.arange(count + 1)), strict=True)]
    )
    room = ROOM * walk.params.segment_length * walk.params.n_segments
    missed = (np.abs(error[:, :2]) > [LATE / ROOM * room, room]).any(axis=1)
    if missed.any():
        s = path.speed * walk.period * int(np.argmax(missed))
        beside, late = 1e3 * np.abs(error[:, 1]).max(), 1e3 * np.abs(error[:, 0]).max()
        raise ValueError(
            f"the path cannot be followed at {path.speed:g} m/s: by the model the robot is at worst {beside:.0f} mm "
            f"beside it and {late:.0f} mm early or late, and from {s:.2f} m along it more than {1e3 * room:.0f} or "
            f"{1e3 * LATE / ROOM * room:.0f} mm; {_able(walk)}"
        )
    for first in range(0, count, BETWEEN):
        for beside, turned in STRAYED:
            stray = np.array([0.0, beside * room / ROOM, turned])
            _return(walk, path, walk.period * first, stray, room, {"limits": limits} | options)
    return Rehearsal(poses, controls, np.hypot(*error[:, :2].T))


def _walked(walk, path, t, pose, count, options) -> tuple[np.ndarray, np.ndarray]:
    """Return poses (count + 1, 3) and controls (count, 3) of strides of the model from a pose at a time."""
    steerer, poses, controls = ConnectionMPC(walk, path, **{"adapt": False} | options), [pose], []
    for k in range(count):
        decision = steerer(t + k * walk.period, poses[-1], 0.0)
        moved = walk.stride(decision.controls, derivatives=False)
        if decision.status is DecisionStatus.FELL or moved.fell:
            raise ValueError(FALLS)
        controls.append(decision.controls)
        poses.append(se2.compose(poses[-1], moved.pose))
    return np.array(poses), np.array(controls).reshape(-1, N_CONTROLS)


def _return(walk, path, t, stray, room, options) -> None:
    """Refuse a path to which the model does not come back from a pose beside it."""
    last = _walked(walk, path, t, se2.compose(path(t), stray), BACK, options)[0][-1]
    left = abs(relative(last, path(t + BACK * walk.period))[1])
    if left > room:
        raise ValueError(
            f"the path leaves no room to come back to it: put {1e3 * abs(stray[1]):.0f} mm to the "
            f"{'left' if stray[1] > 0 else 'right'} of it and {1e3 * stray[2]:+.0f} mrad turned, "
            f"{path.speed * t:.2f} m along it, the model is {1e3 * left:.0f} mm beside it {BACK} strides later, more "
            f"than {1e3 * room:.0f} mm; {_able(walk)}"
        )


def _able(walk) -> str:
    return (
        f"its longest stride is {longest_stride(walk):.3f} m in {walk.period:.2f} s, its smallest radius, with no yaw "
        f"left to correct, {smallest_radius(walk):.1f} m; choose wider bends, or a lower speed"
    )


def longest_stride(walk: SlidingWalk, limits: Limits | None = None) -> float:
    """Return the length of the longest stride straight on, by the model [m]; refused if it falls."""
    limits = limits or limits_of(walk)
    return float(_carried(walk, np.array([limits.amplitude, 0.0, 0.0]))[0])


def _carried(walk: SlidingWalk, controls: np.ndarray) -> np.ndarray:
    """Return the pose after one stride, seen from its start, (3,) [m, m, rad]."""
    made = walk.stride(controls, derivatives=False)
    if made.fell:
        raise ValueError(FALLS)
    return made.pose


def plan_to(walk: SlidingWalk, goal, strides: int | None = None, limits: Limits | None = None) -> Plan:
    """Return controls that take the robot to a goal.

    Args:
        walk: The robot.
        goal: Pose as seen from where it starts, (3,) [m, m, rad].
        strides: How many; by default enough for four fifths of the longest stride each.
        limits: Of the controls.

    Raises:
        ValueError: If it cannot be reached to within 5 mm and 10 mrad; the sentence says how near the best plan comes.
    """
    goal = np.asarray(goal, float)
    if goal.shape != (3,) or not np.isfinite(goal).all():
        raise ValueError(f"a goal is a pose of three finite numbers x, y and heading, got {goal}")
    limits = limits or limits_of(walk)
    longest = longest_stride(walk, limits)
    strides = strides or max(2, int(np.ceil(np.hypot(*goal[:2]) / (SPARE * longest))))
    first = limits.amplitude * np.clip(np.hypot(*goal[:2]) / (strides * longest), 0.0, 1.0)
    plan = np.tile(limits.clip(np.array([first, 0.0, 0.0])), (strides, 1))
    weights = np.zeros((strides, 3))
    weights[-1] = WEIGHTS

    def stride(controls, phase):
        made = walk.stride(controls, phase)
        return made.pose, made.by_controls[:, 0]

    wanted = np.tile(goal, (strides, 1))
    for _ in range(STEPS):
        found = improved(stride, limits, plan, plan[0], np.zeros(3), 0.0, wanted, 1, weights)
        if found is None:
            raise ValueError(FALLS)
        plan = found
    poses = [np.zeros(3)]
    for controls in plan:
        poses.append(se2.compose(poses[-1], walk.stride(controls, derivatives=False).pose))
    miss = off(goal, poses[-1])
    if (np.abs(miss) > CLOSE).any():
        raise ValueError(
            f"the goal {np.round(goal, 3).tolist()} is out of reach in {strides} strides: the best plan ends "
            f"{1e3 * np.hypot(*miss[:2]):.0f} mm and {1e3 * abs(miss[2]):.0f} mrad off; the smallest radius is "
            f"{smallest_radius(walk, limits=limits):.1f} m"
        )
    return Plan(plan, np.array(poses[1:]))
