"""A robot's gait as a fixed point: its clock, and its return map in the exact engine."""

import mujoco
from tqdm import tqdm

from tarsus.analytic.articulated.outcome import RunStatus
from tarsus.analytic.articulated.simulation import Options
from tarsus.analytic.articulated.strides import StrideMap
from tarsus.analytic.terrain import Flat
from tarsus.envs import own_clock
from tarsus.mjcf import own_robot
from tarsus.scripts.library.own_robot.exact import begun
from tarsus.scripts.library.own_robot.machine import HOLD, TableWalk
from tarsus.scripts.library.own_robot.rollout import Controller, checked

OPTIONS = Options(rtol=1e-9)


def clock(robot: own_robot.OwnRobot, slowness: float = own_clock.PERIODS[1], period: float | None = None) -> TableWalk:
    """Return the clock of a robot, see `envs.own_clock`: its `controls` and `period`, a multiple of `HOLD`.

    Args:
        robot: The robot.
        slowness: The period over the root of leg length over gravity.
        period: Of a turn instead [s], as the `baseline_period` that `register` finds.

    Raises:
        ValueError: If a joint of a leg has no servo.
    """
    model = own_robot.model(robot)
    period = own_clock.period_of(model, robot.g, slowness) if period is None else period
    period = max(round(period / HOLD), 1) * HOLD
    table = own_clock.table(model, own_robot.FORWARD.index(robot.forward), robot.g)
    return TableWalk(robot, Flat(), "reference", table, period)


def names_of_speeds(model: mujoco.MjModel) -> list[str]:
    """Return a name for each of a robot's speeds, nv in all: the root's axes, then its joints."""
    return ["x", "y", "z", "turn x", "turn y", "turn z", *(model.joint(k).name for k in range(1, model.njnt))]


def stride_map(
    robot: own_robot.OwnRobot,
    controller: Controller,
    period: float,
    *,
    settle: int = 20,
    options: Options = OPTIONS,
    progress: bool = False,
) -> StrideMap:
    """Return the return map of a robot on level ground under a controller that repeats, after some strides from rest.

    `hybrid.sections.fixed_point(map, z)` finds its gait, `hybrid.sections.derivative` and `multipliers` how it settles.

    Args:
        robot: The robot.
        controller: `controller(time, qpos, qvel)` returns the controls; it is asked every `HOLD`.
        period: Of a stride [s], a multiple of `HOLD`.
        settle: Strides before the base.
        options: Of the engine.
        progress: Whether to show a bar.

    Raises:
        ValueError: If the robot is not covered by the exact engine, or a run to the base ends before.
    """
    model, _, run = begun(robot, controller, Flat(), options)

    def controls(time, qpos, qvel):
        return checked(model, controller(time, qpos, qvel))

    for k in tqdm(range(settle * round(period / HOLD)), disable=not progress, leave=False):
        run.set_controls(controls(k * HOLD, run.qpos, run.qvel))
        if run.to((k + 1) * HOLD) is not RunStatus.FINAL_TIME:
            raise ValueError(f"the robot did not come to its gait: after {run.time:.3f} s: {run.status.value}")
    return StrideMap(run, controls, period, HOLD)
