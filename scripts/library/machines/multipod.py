"""Multipods of any number of legs and BigANT under a gait; in MuJoCo only."""

import argparse
from dataclasses import fields
from typing import Any

import numpy as np

from tarsus.analytic import terrain as terrains
from tarsus.analytic.spelling import check_name
from tarsus.controllers.gaits import GAITS
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.machines.machine import FORCES, SET, MachineCommand
from tarsus.scripts.library.machines.outcome import Run

LONGEST_TABLE = 12  # legs whose loads are printed; legs.csv has them all
SHORTEST = 0.1  # of a walk: slip speeds are differences between samples [s]


class Multipod(MachineCommand):
    """Multipods and BigANT under a gait."""

    name = "multipod"
    engines = ("mujoco",)
    seconds = 20.0
    files = ("run.nc", "run.csv", "legs.csv", "run.mp4")
    renders = True

    def add_options(self, parser: arguments.Parser) -> None:
        """Add robot, gait and ground."""
        parser.add_argument("--robot", default="multipod", help="multipod or bigant; default %(default)s")
        parser.add_argument("--legs", dest="n_legs", type=arguments.count, help="legs of the multipod, even, 4 to 50")
        parser.add_argument("--gait", help=f"{', '.join(GAITS)}; by default the robot's")
        parser.add_argument("--gait-set", **SET, help="options of the gait, for instance frequency=0.5")
        parser.add_argument("--set", **SET, help="parameters of the robot, for instance leaf_k=800")
        parser.add_argument("--terrain", default="flat", help=", ".join(terrains.TERRAINS))

    def experiment(self, args: argparse.Namespace) -> Any:
        from tarsus.scripts.library.machines.multipod_mujoco import ROBOTS, Walking, WalkingStepper

        if args.seconds < SHORTEST:
            raise ValueError(f"a walk must last at least {SHORTEST:g} s for its tables, got --seconds {args.seconds:g}")
        check_name("robot", args.robot, ROBOTS)
        robot = ROBOTS[args.robot]
        names = [entry.name for entry in fields(robot.params)]
        known = [name for name in names if name not in ("n_legs", "motor")]
        given = arguments.assignments(args.set, "--set", known, f" of a {args.robot}")
        if args.n_legs is not None:
            if "n_legs" not in names:
                raise ValueError(f"the number of legs of a {args.robot} is fixed; --legs is for multipods")
            given["n_legs"] = args.n_legs
        params = robot.params(**given)
        gait = robot.gait(params, args.gait, **arguments.assignments(args.gait_set, "--gait-set"))
        walking = Walking(args.robot, params, gait, arguments.terrain([args.terrain]), args.preset)
        WalkingStepper(walking)  # refuses what no model can be made of
        return walking

    def mujoco(self, experiment: Any, seconds: float | None, fine: bool = True, **options: Any) -> Run:
        from tarsus.scripts.library.machines.multipod_mujoco import walk

        return walk(experiment, seconds, **options)

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        parser.add_argument("--forces", **FORCES)

    def failed(self, run: Run) -> bool:
        return bool(run.warnings)

    def summary(self, run: Run) -> str:
        from tarsus.scripts.library.records.summary import text

        words = text(summary(run))
        if run.walking.n_legs > LONGEST_TABLE:
            return words
        return f"{words}\n\n{stamp.markdown_table(*leg_table(run))}"

    def tables(self, run: Run) -> dict[str, Any]:
        """Return the loads of the legs."""
        import pandas as pd

        head, rows = leg_table(run)
        return {"legs.csv": pd.DataFrame(rows, columns=head)}

    def film(self, run: Any, experiment: Any, path, args: argparse.Namespace) -> None:
        from tarsus.scripts.library.machines.multipod_mujoco import FPS
        from tarsus.scripts.library.views import rendering

        every, feet = 2, (run.record[name].values for name in ("foot_position", "foot_force"))
        instants = zip(*(column[::every] for column in (run.qpos, *feet)), strict=True)
        images = rendering.film(self.stepper(experiment).model, instants, forces=args.forces)
        rendering.write_film(path, images, FPS / every)

    def stepper(self, experiment: Any) -> Any:
        from tarsus.scripts.library.machines.multipod_mujoco import WalkingStepper

        return WalkingStepper(experiment)


def summary(walk) -> list[tuple[str, str]]:
    """Return names and values of what a walk was like."""
    walking, position = walk.walking, walk.record["body_position"].values
    end = "on its legs to the end" if walk.completed else walk.status
    end = f"MuJoCo warned: {walk.warnings}" if walk.warnings else end
    rows = [
        ("robot", f"{walking.robot}, {walking.n_legs} legs, {walking.params.total_mass:.2f} kg"),
        ("time", f"{walk.time[-1]:.2f} s, {end}"),
        ("way", f"{position[-1, 0]:+.3f} m along x, {position[-1, 1]:+.3f} m along y"),
        ("height of the body", f"{position[:, 2].mean():.3f} m, {position[:, 2].min():.3f} at least"),
        ("tilt, largest", f"{np.rad2deg(walk.tilt.max()):.1f} degrees"),
    ]
    loads = walk.load_of_strides()
    if not loads.size:
        return [*rows, ("speed and loads", "need a whole stride after the first 2 s")]
    speed, power = np.hypot(*walk.velocity()), walk.record["servo_power"].values
    mean = power[-round(len(power) / 2) :].mean()
    off = 100 * np.abs(loads - 1).max()
    return [
        *rows,
        ("speed", f"{speed:.4f} m/s over whole strides of {walking.gait.period:.2f} s"),
        ("foot forces", f"{100 * loads.mean():.3f} % of the weight; a stride {off:.3f} % off"),
        ("power of the servos", f"{mean:.2f} W; cost of transport {mean / (walking.weight * speed):.2f}"),
    ]


def leg_table(walk) -> tuple[tuple[str, ...], list[tuple]]:
    """Return head and rows of what each leg carried in the second half of the walk."""
    half, feet = slice(len(walk.time) // 2, None), walk.record["foot_position"].values[..., :2]
    normal = walk.record["foot_force"].values[half, :, 2]
    loaded = normal > 0
    moved = np.gradient(feet, walk.time, axis=0) if len(walk.time) > 1 else 0 * feet
    speed = np.linalg.norm(moved[half], axis=-1)
    rows = []
    for leg, name in enumerate(leg_names(walk.walking)):
        share = normal[:, leg].mean() / walk.walking.weight
        sliding = speed[loaded[:, leg], leg].mean() if loaded[:, leg].any() else 0.0
        rows.append(
            (name, f"{loaded[:, leg].mean():.2f}", f"{share:.3f}", f"{normal[:, leg].max():.1f}", f"{sliding:.3f}")
        )
    return ("leg", "duty", "share of the weight", "most [N]", "slip speed on the ground [m/s]"), rows


def leg_names(walking) -> list[str]:
    from tarsus.envs.bigant import LEGS

    return list(LEGS) if walking.robot == "bigant" else walking.params.leg_names()


MULTIPOD = Multipod()
