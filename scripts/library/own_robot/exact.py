"""Rollouts of a robot of the user's own in the exact engine, as the labelled records that `rollout` makes in MuJoCo."""

from collections.abc import Callable

import mujoco
import numpy as np
from tqdm import tqdm

from tarsus.analytic.articulated import simulation
from tarsus.analytic.articulated.modes import DAMPED, DRY, N_BOOKS, RUBBED, WORK
from tarsus.analytic.articulated.simulation import Options, RunStatus
from tarsus.analytic.terrain import Terrain, make
from tarsus.envs.measure import UPRIGHT
from tarsus.mjcf import own_exact, own_robot
from tarsus.mjcf.feet import toes
from tarsus.mjcf.presets import find
from tarsus.scripts.library.machines import outcome, stepping
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, Run
from tarsus.scripts.library.own_robot.rollout import CONTROLLER, Controller, Toes, checked, record_of
from tarsus.scripts.library.records.layouts import BUDGET, IMPULSE


def exact_rollout(
    robot: own_robot.OwnRobot,
    controller: Controller,
    seconds: float,
    terrain: str | Terrain = "flat",
    *,
    hold: float = SAMPLE_PERIOD,
    gait: str = CONTROLLER,
    options: Options | None = None,
    on_frame: Callable | None = None,
    progress: bool = False,
) -> Run:
    """Return the run of a robot with rigid feet, from its first keyframe, or joint angles of zero; see `rollout`.

    Its record has a row for each control, and the books of its energy.

    Args:
        robot: The robot.
        controller: `controller(time, qpos, qvel)` returns the controls, shape (nu,).
        seconds: For how long [s].
        terrain: A plane or its name: flat, slope.
        hold: For how long controls are held [s].
        gait: What the record calls the controller.
        options: Of the engine.
        on_frame: Called with time, qpos and qvel of every row; a true answer ends the run there.
        progress: Whether to show a bar.

    Raises:
        ValueError: If the robot is not covered by the exact engine, the terrain no plane, or the controls impossible.
    """
    ground = make(terrain)
    model, data, run = begun(robot, controller, ground, options)
    reader, rows = _Reader(model, data, run), []
    n = stepping.rows_in(seconds, hold, 1)[1]
    status: str = outcome.RunStatus.COMPLETED
    with tqdm(total=n, unit_scale=hold, disable=not progress, bar_format=stepping.BAR) as bar:
        for k in range(n + 1):
            if run.status is not RunStatus.FINAL_TIME:
                status = run.status.value
                break
            run.set_controls(checked(model, controller(k * hold, run.qpos, run.qvel)))
            reader.place()
            if k and (ending := reader.ending()):
                status = ending
                break
            rows.append(reader.row())
            if on_frame is not None and on_frame(*rows[-1][:3]):
                status = outcome.RunStatus.STOPPED
                break
            if k < n:
                run.to((k + 1) * hold)
                bar.update(1)
    return _recorded(model, robot, ground, rows, status, gait)


def begun(
    robot: own_robot.OwnRobot, controller: Controller, ground: Terrain, options: Options | None
) -> tuple[mujoco.MjModel, mujoco.MjData, simulation.Simulation]:
    """Return a robot's model, its state at rest, and its run at the start; see `exact_rollout`."""
    preset = find("reference")
    model = own_robot.model(robot, ground, preset)
    data, arrays = own_robot.standing(model, ground), own_exact.robot_of(model, ground, preset)
    qpos = own_exact.placed(arrays, data.qpos, own_exact.ROUNDING)
    act = data.act.copy() if model.na else None
    ctrl = checked(model, controller(0.0, qpos, np.zeros(model.nv)))
    return model, data, simulation.start(arrays, qpos, ctrl=ctrl, act=act, options=options)


class _Reader:
    """What a row has of a run: state, feet, controls, power and books."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, run: simulation.Simulation):
        self._model, self._data, self._run = model, data, run
        self._toes, self._parts = Toes(model, toes(model)), own_exact.Parts(model)

    def ending(self) -> str:
        """Return the reason for which the run cannot go on though the engine could, or an empty string."""
        x, y = self._run.qpos[4:6]
        if 1.0 - 2.0 * (x * x + y * y) < UPRIGHT:
            return outcome.RunStatus.TOPPLED
        if parts := self._parts.in_ground(self._data, self._run.robot.tables.ground):
            return (
                f"the part {self._parts.bare[parts[0]]!r} is in the ground, which holds up spheres, capsules and boxes"
            )
        return ""

    def place(self) -> None:
        """Compute where the run's bodies are; before the others."""
        self._data.qpos[:] = self._run.qpos
        mujoco.mj_kinematics(self._model, self._data)

    def row(self) -> tuple:
        """Return time, position, velocity, feet, forces, contacts, controls, power, `BUDGET`, and impulses so far."""
        run = self._run
        places = self._toes(self._data)
        forces, impulses, touching = own_exact.forces_on_feet(run, self._parts.leg_of_point, len(places))
        books = run.x[-N_BOOKS:]
        energy = (run.energy, books[WORK], books[DAMPED] + books[DRY], books[RUBBED] + run.lost)
        power = np.abs(run.work.actuator.prod(1)).sum()
        values = run.time, run.qpos, run.qvel, places, forces, touching > 0, run.ctrl.copy(), power
        return *values, np.array(energy), impulses


def _recorded(model, robot: own_robot.OwnRobot, ground: Terrain, rows: list[tuple], status: str, gait: str) -> Run:
    *columns, energy, impulses = (np.array(column) for column in zip(*rows, strict=True))
    budget = dict(zip(BUDGET, energy.T, strict=True))
    budget |= {IMPULSE: np.diff(impulses, axis=0, append=impulses[-1:])}
    words = "tarsus articulated", status, "rigid feet"
    return record_of(model, robot.feet, columns, words, ground, robot.forward, gait, more=budget)
