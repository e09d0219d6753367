"""The compliant hexapod under the clock."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.analytic.models.hexapod import N_LEGS, ROBOTS, HexapodParams, robot, with_symbols
from tarsus.analytic.terrain import TERRAINS, Terrain
from tarsus.controllers.slope import SlopeLaw
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines import hexapod_gait
from tarsus.scripts.library.machines.machine import SET, TERRAIN, MachineCommand, Run
from tarsus.scripts.library.records.layouts import LEG, RecordLayout

if TYPE_CHECKING:  # MuJoCo chooses its OpenGL when it is imported, which a command may have to decide
    import mujoco

    from tarsus.mjcf.presets import Preset

LAYOUT = RecordLayout(
    N_LEGS,
    "right rear, middle, front, then left",
    {
        "hip_angle": (LEG, "rad", "hip angle about the body's +x, unwrapped; 0 is straight down"),
        "hip_speed": (LEG, "rad/s", "rate of the hip angle"),
        "hip_reference": (LEG, "rad", "hip angle asked for, the turn nearest to the hip"),
        "hip_reference_rate": (LEG, "rad/s", "rate of the hip angle asked for"),
        "splay": (LEG, "rad", "splay angle of the leg, positive to the right"),
        "leg_length": (LEG, "m", "distance from hip to toe"),
        "hip_torque": (LEG, "N m", "torque of the hip motor on the leg, after the torque-speed limit"),
        "torque_command": (LEG, "N m", "torque the hip controller asks for, before the limit"),
        "motor_current": (LEG, "A", "armature current of the hip motor"),
        "motor_voltage": (LEG, "V", "terminal voltage of the hip motor"),
        "battery_drain": (("time",), "1/s", "share of the battery drawn per second, physical bookkeeping"),
    },
    HexapodParams,
    TripodGait,
)
ROBOT = dict(choices=tuple(ROBOTS), default="table2", help=f"{', '.join(ROBOTS)}; default %(default)s", metavar="NAME")
TEXTS = ("terrain_type", "control_type")  # parameters that are no numbers
VECTORS = {"velocity": "of the body [m/s]", "spin": "of the body, own axes [rad/s]", "turn": "rotation vector [rad]"}


@dataclass(frozen=True, eq=False)
class Start:
    """A state to start from, in joint coordinates (`mjcf.hexapod_state` says their order)."""

    qpos: np.ndarray  # (25,)
    qvel: np.ndarray  # (24,): body velocity [m/s], its angular velocity in the body frame, then the rates of the joints

    def __post_init__(self) -> None:
        for name, size in (("qpos", 25), ("qvel", 24)):
            if np.shape(getattr(self, name)) != (size,) or not np.all(np.isfinite(getattr(self, name))):
                raise ValueError(f"{name} of a start must be {size} finite numbers, got {getattr(self, name)}")


@dataclass(frozen=True)
class HexapodExperiment:
    """A hexapod, the ground it is on, its gait, the simulator's settings, and where it starts."""

    params: HexapodParams
    gait: TripodGait
    ground: Terrain
    preset: str | Preset = "reference"
    begin: Start | None = None  # None: at rest, the lowest toe on the ground
    method: str | None = None  # of the exact engine; None: the model's own, for stiff fields
    slope_law: SlopeLaw | None = None  # compensates the gait for the slope that the accelerometer feels, in MuJoCo

    def model(self) -> mujoco.MjModel:
        """Return the compiled model."""
        from tarsus.mjcf import compile_model, hexapod

        return compile_model(hexapod.build(self.params, self.ground, self.preset))


@dataclass(frozen=True)
class PlatelessExperiment(HexapodExperiment):
    """An experiment whose body touches nothing, as in the exact engine.

    A robot that lies on its plate's edge in one engine and has toppled in the other could not be compared.
    """

    def model(self) -> mujoco.MjModel:
        """Return the compiled model."""
        model = super().model()
        model.geom("torso").contype[:] = 0
        return model


class Hexapod(MachineCommand):
    """The compliant hexapod under the clock."""

    name = "hexapod"
    layouts = {"hexapod": LAYOUT}
    engines = ("mujoco", "exact")
    seconds = 10.0
    files = ("run.nc", "run.csv", "run.png", "run.mp4", "run.html")
    renders = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add gait, ground, robot and start."""
        words = "of the exact engine; default rodas5p, which is for stiff fields"
        parser.add_argument("--method", choices=METHODS, help=words)
        hexapod_gait.add_options(parser.add_argument_group("gait"))
        world = parser.add_argument_group("robot and ground")
        world.add_argument("--terrain", **TERRAIN, help=f"{', '.join(TERRAINS)}, and its arguments")
        world.add_argument("--robot", **ROBOT)
        words = "robot parameters by the manual's symbols, as in: --set body_mass=7 rho0_k=600"
        world.add_argument("--set", **SET, help=words)
        start = parser.add_argument_group("start; by default at rest")
        for name, meaning in VECTORS.items():
            start.add_argument(f"--{name}", nargs=3, type=arguments.finite, metavar=("X", "Y", "Z"), help=meaning)
        start.add_argument("--lift", type=arguments.finite, default=0.0, help="of the lowest toe above the ground [m]")

    def experiment(self, args: argparse.Namespace) -> HexapodExperiment:
        """Return what the command line asks for."""
        from tarsus.mjcf.presets import find
        from tarsus.scripts.library.machines import hexapod_mujoco, stepping

        if args.lift < 0:
            raise ValueError(f"--lift must not be negative, or the lowest toe is underground; got {args.lift:g}")
        find(args.preset)
        params = with_symbols(robot(args.robot), arguments.assignments(args.set, "--set", texts=TEXTS))
        ground = params.terrain if args.terrain is None else arguments.terrain(args.terrain)
        gait, law = hexapod_gait.compensated(args, hexapod_gait.gait_from(args, params), ground)
        starts = args.engine == "both" or args.lift > 0 or any(getattr(args, name) is not None for name in VECTORS)
        begin = Start(*_start(args, params, gait, ground)) if starts else None
        kind = HexapodExperiment if args.engine == "mujoco" else PlatelessExperiment
        experiment = kind(params, gait, ground, args.preset, begin, args.method, law)
        if args.engine != "exact":
            stepping.rows_in(args.seconds, hexapod_mujoco.HexapodStepper(experiment).model.opt.timestep)
        return experiment

    def stride(self, experiment: HexapodExperiment) -> float:
        """Return the clock's period [s]."""
        return experiment.gait.cycle_time

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        """Add page, arrows and window."""
        parser.add_argument(
            "--page", action="store_true", help="write run.html, the run in 3-D in one self-contained page"
        )
        parser.add_argument("--forces", action="store_true", help="draw the feet's forces in the video, as arrows")
        words = dict(nargs="?", const="window", choices=("window", "web"))
        parser.add_argument("--view", **words, help="then watch it live, in a window or browser")

    def summary(self, run: Run) -> str:
        """Return the numbers of a run."""
        from tarsus.scripts.library.records import summary

        if run.record.sizes["time"] < 2:
            return run.status
        return summary.text(summary.lines(summary.summarise(run.record)))

    def figure(self, run: Run, experiment: HexapodExperiment) -> Any:
        """Return the figure of a run."""
        from tarsus.scripts.library.views import run_plot

        return run_plot.draw(run.record)

    def film(self, run: Run, experiment: HexapodExperiment, path, args: argparse.Namespace) -> None:
        """Write the film of a run."""
        from tarsus.scripts.library.views import rendering

        rendering.write_video(run.record, experiment.model(), path, forces=args.forces)

    def page(self, run: Run, experiment: HexapodExperiment, path) -> None:
        """Write the page of a run."""
        from tarsus.scripts.library.views import page

        page.write_page(run.record, experiment.model(), experiment.ground, path)

    def watch(self, experiment: HexapodExperiment, where: str) -> None:
        """Walk on in MuJoCo's window, or in the Studio."""
        if where == "web":
            from tarsus.scripts.library.views import studio

            print(studio.NOTICE)
            studio.watch(experiment)
        else:
            from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper
            from tarsus.scripts.library.views import window

            window.watch_window(HexapodStepper(experiment))


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
