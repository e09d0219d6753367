"""The compliant hexapod under the clock."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.analytic.models.hexapod import N_LEGS, ROBOTS, HexapodParams, robot, with_symbols
from tarsus.analytic.terrain import TERRAINS, Terrain
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines import hexapod_gait
from tarsus.scripts.library.machines.hexapod_experiment import HexapodExperiment, PlatelessExperiment, Start
from tarsus.scripts.library.machines.machine import FORCES, SET, TERRAIN, MachineCommand
from tarsus.scripts.library.machines.outcome import Run

ROBOT = dict(choices=tuple(ROBOTS), default="table2", help=f"{', '.join(ROBOTS)}; default %(default)s", metavar="NAME")
TEXTS = ("terrain_type", "control_type")  # parameters that are no numbers
VECTORS = {"velocity": "of the body [m/s]", "spin": "of the body, own axes [rad/s]", "turn": "rotation vector [rad]"}


class Hexapod(MachineCommand):
    """The compliant hexapod under the clock."""

    name = "hexapod"
    engines = ("mujoco", "exact")
    seconds = 10.0
    files = ("run.nc", "run.csv", "run.png", "run.mp4", "run.html")
    renders = True

    def add_options(self, parser: arguments.Parser) -> None:
        """Add gait, ground, robot and start."""
        words = "method of the exact engine; default rodas5p, which suits stiff fields"
        parser.add_argument("--method", choices=METHODS, help=words)
        hexapod_gait.add_options(parser.add_argument_group("gait"))
        world = parser.add_argument_group("robot and ground")
        world.add_argument("--terrain", **TERRAIN, help=f"{', '.join(TERRAINS)}, and its arguments")
        world.add_argument("--robot", **ROBOT)
        words = "toes, or half-circle, only in MuJoCo, to climb stairs (default: %(default)s)"
        world.add_argument("--legs", choices=("toes", "half-circle"), default="toes", help=words)
        words = "robot parameters by the manual's symbols, for instance --set body_mass=7 rho0_k=600"
        world.add_argument("--set", **SET, help=words)
        start = parser.add_argument_group("start; by default at rest")
        for name, meaning in VECTORS.items():
            start.add_argument(f"--{name}", nargs=3, type=arguments.finite, metavar=("X", "Y", "Z"), help=meaning)
        start.add_argument("--lift", type=arguments.finite, default=0.0, help="lowest toe above the ground [m]")

    def experiment(self, args: argparse.Namespace) -> HexapodExperiment:
        from tarsus.mjcf.presets import find
        from tarsus.scripts.library.machines import hexapod_mujoco, stepping

        if args.lift < 0:
            raise ValueError(f"--lift must not be negative, or the lowest toe is underground; got {args.lift:g}")
        find(args.preset)
        params = with_symbols(robot(args.robot), arguments.assignments(args.set, "--set", texts=TEXTS))
        ground = params.terrain if args.terrain is None else arguments.terrain(args.terrain)
        gait, law = hexapod_gait.compensated(args, hexapod_gait.gait_from(args, params), ground)
        starts = args.engine == "both" or args.lift > 0 or any(getattr(args, name) is not None for name in VECTORS)
        if args.legs != "toes" and (starts or args.engine != "mujoco"):
            raise ValueError(f"--legs {args.legs} needs --engine mujoco, and starts at rest on the ground")
        begin = Start(*_start(args, params, gait, ground)) if starts else None
        kind = HexapodExperiment if args.engine == "mujoco" else PlatelessExperiment
        experiment = kind(params, gait, ground, args.preset, begin, args.method, law, args.legs)
        if args.engine != "exact":
            stepping.rows_in(args.seconds, hexapod_mujoco.HexapodStepper(experiment).model.opt.timestep)
        return experiment

    def exact(self, experiment: HexapodExperiment, seconds: float, *args: Any, **options: Any) -> Run:
        from tarsus.scripts.library.machines import hexapod_exact

        return hexapod_exact.simulate(experiment, seconds, *args, **options)

    def mujoco(self, experiment: HexapodExperiment, seconds: float, fine: bool = True, **options: Any) -> Run:
        from tarsus.scripts.library.machines import hexapod_mujoco

        return hexapod_mujoco.simulate(experiment, seconds, fine, **options)

    def stride(self, experiment: HexapodExperiment) -> float:
        return experiment.gait.cycle_time

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        parser.add_argument(
            "--page", action="store_true", help="write run.html, a self-contained page of the run in 3-D"
        )
        parser.add_argument("--forces", **FORCES)

    def numbers(self, run: Run) -> dict[str, Any]:
        """Return a run's numbers, its summary among them."""
        from tarsus.scripts.library.records import summary

        told = super().numbers(run)
        return told | ({"summary": summary.summarise(run.record)} if run.record.sizes["time"] > 1 else {})

    def summary(self, run: Run) -> str:
        from tarsus.scripts.library.records import summary

        if run.record.sizes["time"] < 2:
            return run.status
        return summary.text(summary.lines(summary.summarise(run.record)))

    def figure(self, run: Run, experiment: HexapodExperiment) -> Any:
        from tarsus.scripts.library.views import run_plot

        return run_plot.draw(run.record)

    def model(self, experiment: HexapodExperiment) -> Any:
        return experiment.model()

    def page(self, run: Run, experiment: HexapodExperiment, path) -> None:
        from tarsus.scripts.library.views import page

        title = f"Hexapod, {path.parent.name}"
        page.write_page(run.record, experiment.model(), experiment.ground, path, title)

    def stepper(self, experiment: HexapodExperiment) -> Any:
        from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

        return HexapodStepper(experiment)


def _start(args: argparse.Namespace, params: HexapodParams, gait: TripodGait, ground: Terrain) -> tuple:
    """Return the state that the command line asks for, legs where the gait wants them at t = 0."""
    import mujoco

    from tarsus.mjcf.hexapod_state import start_state, toe_positions

    qpos, qvel = start_state(params, ground, gait.clock()(0.0)[0]), np.zeros(6 + 3 * N_LEGS)
    if args.turn is not None:
        mujoco.mju_quatIntegrate(qpos[3:7], np.array(args.turn), 1.0)
    x, y, z = toe_positions(params, qpos).T
    qpos[2] += args.lift - np.min(z - ground.height(x, y))
    qvel[:3], qvel[3:6] = args.velocity or (0, 0, 0), args.spin or (0, 0, 0)
    return qpos, qvel


HEXAPOD = Hexapod()
