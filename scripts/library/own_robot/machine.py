"""A robot's file as a machine of `tarsus run`: its clock's walk, or standing, in MuJoCo, the exact engine or both."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.analytic.terrain import Flat, Slope, Terrain
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.machine import FORCES, TERRAIN, MachineCommand
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records.layouts import PERIOD

if TYPE_CHECKING:
    from tarsus.mjcf.own_robot import OwnRobot

HOLD = 2e-3  # for which a control is held in either engine [s]
STANDING = 1.0  # turn of the table of a robot that stands [s]
SETTLE = 1.0  # what means leave out of a run, rounded up to whole strides [s]


@dataclass(frozen=True)
class TableWalk:
    """A robot under a table of controls, as a clock gives them."""

    robot: OwnRobot  # the robot
    terrain: Terrain  # its ground
    preset: str  # MuJoCo's settings
    table: np.ndarray  # controls over a turn, shape (n, nu); a single row is held
    period: float  # of a turn [s]

    @property
    def words(self) -> str:
        """The name of the gait."""
        return f"its clock, a turn in {self.period:g} s" if len(self.table) > 1 else "none, it stands"

    def labelled(self, run: Run) -> Run:
        """Return a run whose record names the period of the clock, if there is one."""
        if len(self.table) > 1:
            run.record.attrs[PERIOD] = self.period
        return run

    def controls(self, time: float, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Return the controls, shape (nu,): linear between rows of the table, held for `HOLD`."""
        row, n = np.floor(time / HOLD + 1e-6) * HOLD / self.period * len(self.table), len(self.table)
        below = int(np.floor(row))
        return (below + 1 - row) * self.table[below % n] + (row - below) * self.table[(below + 1) % n]


class RobotFile(MachineCommand):
    """A robot of your own, from its file, an MJCF or a URDF."""

    engines = ("mujoco", "exact")
    seconds = 6.0
    files = ("run.nc", "run.csv", "run.png", "run.mp4")
    renders = True
    notice = "the exact engine computes about as long as the robot walks; its first run compiles half a minute more"

    def __init__(self, path: str):
        self.path, self.name = Path(path), Path(path).stem

    def add_options(self, parser: arguments.Parser) -> None:
        """Add what the robot is besides its file, its ground, and the clock's period."""
        add_robot_options(parser)
        parser.add_argument("--terrain", **TERRAIN, default=["flat"], help="the exact engine has flat and slope")
        words = "of a turn of its clock [s], 0 to stand; by default that of the fastest walk that is found"
        parser.add_argument("--period", type=arguments.number(0, 100), help=words)

    def experiment(self, args: argparse.Namespace) -> TableWalk:
        from tarsus.envs import own_verdict
        from tarsus.mjcf import own_exact, own_robot, presets

        planes = (Flat, Slope) if args.engine != "mujoco" else ()
        robot, ground = own_robot.OwnRobot(self.path, **robot_options(args)), arguments.terrain(args.terrain, planes)
        preset = presets.find(args.preset)
        model = own_robot.model(robot, ground, preset)
        own_verdict.warn(self.path.name, own_verdict.of_file(robot, preset))
        if args.engine != "mujoco":
            own_exact.robot_of(model, ground, preset)
        table, period = _walk(robot, model, args.period)
        return TableWalk(robot, ground, args.preset, table, period)

    def exact(self, experiment: TableWalk, seconds: float | None, period: float | None = None, **options: Any) -> Run:
        from tarsus.analytic.articulated.simulation import Options
        from tarsus.scripts.library.own_robot.exact import exact_rollout

        rtol, _ = options.pop("rtol", 1e-8), options.pop("frame_period", None)
        walk = experiment.robot, experiment.controls, seconds or self.seconds, experiment.terrain
        hold = {"hold": period} if period else {}
        return experiment.labelled(
            exact_rollout(*walk, gait=experiment.words, options=Options(rtol=rtol), **hold, **options)
        )

    def mujoco(self, experiment: TableWalk, seconds: float | None, fine: bool = True, **options: Any) -> Run:
        from tarsus.scripts.library.own_robot.rollout import rollout

        walk = experiment.robot, experiment.controls, seconds or self.seconds, experiment.terrain, experiment.preset
        return experiment.labelled(rollout(*walk, gait=experiment.words, **options))

    def stride(self, experiment: TableWalk) -> float:
        return experiment.period

    def summary(self, run: Run) -> str:
        """Return the loads of the feet and the way, in words; of the exact engine the books of its energy."""
        from tarsus.scripts.library.own_robot import measures
        from tarsus.scripts.library.records.record import params_of

        said = [f"{run.record.attrs['engine']}: {run.status}"]
        found = measures.measures(run.record, settle=SETTLE)
        said += [f"{name}: {words}" for name, words in measures.lines(found, params_of(run.record).feet)]
        if "energy" in run.record:
            work, rest = books(run)
            said.append(f"work of the actuators: {work:.4g} J, of which {rest:.1e} J are not accounted for")
        return "\n".join(said)

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        parser.add_argument("--forces", **FORCES)

    def model(self, experiment: TableWalk) -> Any:
        from tarsus.mjcf import own_robot, presets

        return own_robot.model(experiment.robot, experiment.terrain, presets.find(experiment.preset))

    def figure(self, run: Run, experiment: TableWalk) -> Any:
        """Return the figure of height, way and the feet's forces."""
        from tarsus.scripts.library.own_robot import measures

        return measures.draw(run.record)


def books(run: Run) -> tuple[float, float]:
    """Return the work of a run's actuators, and the largest energy that its books lose or find [J]."""
    record = run.record
    rest = record["energy"] + record["damper_loss"] + record["contact_loss"] - record["motor_work"]
    return float(record["motor_work"][-1]), float(np.abs(rest - rest[0]).max())


def _walk(robot, model, period: float | None) -> tuple[np.ndarray, float]:
    """Return the table and period of the robot's clock, or a row where it stands; ValueError for a period alone."""
    from tarsus.envs import own_clock
    from tarsus.mjcf.own_robot import FORWARD, rest_controls

    if period is None:
        period = _found(robot)
    if not period:
        return rest_controls(model)[None], STANDING
    return own_clock.table(model, FORWARD.index(robot.forward), robot.g), period


def _found(robot) -> float | None:
    """Return the period of the clock that walks best in `register`'s trial, if there is one."""
    from tarsus.envs import own_verdict
    from tarsus.envs.own_baseline import CLOCK
    from tarsus.envs.own_robot import OwnRobotEnv

    return own_verdict.examined("the robot", robot, {"baseline": CLOCK}, OwnRobotEnv).options.get("baseline_period")


def add_robot_options(parser: arguments.Parser) -> None:
    """Add feet, friction, servo, keyframe and forward axis."""
    parser.add_argument("--feet", nargs="+", metavar="NAME", help="geoms or bodies that are feet; by default found")
    words = "coefficient of the ground; by default that of the file's feet on its floor"
    parser.add_argument("--friction", type=arguments.number(0, 100), help=words)
    words = "stiffness [N m/rad] and damping [N m s/rad] of joints without a servo; by default from weight and legs"
    parser.add_argument("--servo", nargs=2, type=float, metavar=("KP", "KD"), help=words)
    words = "name or number of that in which it starts; by default the first of the file"
    parser.add_argument("--keyframe", type=lambda word: int(word) if word.isdecimal() else word, help=words)
    parser.add_argument("--forward", choices=("x", "y"), default="x", help="axis of the world that it faces at rest")


def robot_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the keywords of `OwnRobot` that a command line gives."""
    found: dict[str, Any] = {"feet": tuple(args.feet)} if args.feet else {}
    found |= {"friction": args.friction} if args.friction is not None else {}
    found |= {"servo": tuple(args.servo)} if args.servo else {}
    found |= {"keyframe": args.keyframe} if args.keyframe is not None else {}
    return found | ({"forward": args.forward} if args.forward != "x" else {})
