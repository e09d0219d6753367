"""The compliant hexapod under the clock."""

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.analytic.clock import BLEND_SHAPES, HEADINGS, TripodGait
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.analytic.models.hexapod import N_LEGS, ROBOTS, HexapodParams, robot, with_symbols
from tarsus.analytic.terrain import TERRAINS, Terrain
from tarsus.controllers import clock_gaits
from tarsus.controllers.slope import SlopeLaw, slope_of
from tarsus.scripts.command import arguments
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
        add_gait_options(parser.add_argument_group("gait"))
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
        gait, law = compensated(args, gait_from(args, params), ground)
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


# Options: long name, the report's symbol if it has one, unit or meaning.
GAIT_OPTIONS = {
    "cycle_time": ("t_c", "period of the clock [s]"),
    "slow_time": ("t_s", "duration of the slow phase [s]"),
    "sweep_angle": ("phi_s", "angle of the slow phase [rad]"),
    "leg_offset": ("phi_o", "offset of all references [rad]"),
    "slow_time_difference": ("dt_s", "added to t_s on the left, taken off on the right [s]; right turns need < 0"),
    "offset_difference": ("dphi_o", "added to phi_o on the left, taken off on the right [rad]; right turns need > 0"),
    "sweep_difference": ("dphi_s", "added to phi_s on the left, taken off on the right [rad]; right turns need > 0"),
    "phase_difference": (
        "",
        "of the second tripod's clock from the first's [cycle]; 0.5 for a tripod gait, 0 to pronk",
    ),
    "middle_phase": ("", "of the middle legs' clock from what their tripod has [cycle]"),
    "front_phase": ("", "the same of the front legs"),
    "blend": ("", "width of the blends between slow and fast [cycle]; 0 for corners"),
}
SHORTEST_CYCLE = 0.01  # ten rows of a record: means over strides need some [s]


def add_gait_options(gait: argparse._ArgumentGroup) -> None:
    gait.add_argument("--gait", metavar="NAME", help=f"{clock_gaits.NAMES}; the options below change it")
    for name, (symbol, words) in GAIT_OPTIONS.items():
        flags = [f"--{name.replace('_', '-')}", *([f"--{symbol}"] if symbol else [])]
        gait.add_argument(*flags, dest=name, type=arguments.finite, help=words)
    gait.add_argument("--blend-shape", choices=BLEND_SHAPES, help="shape of the blends; by default cubic")
    words = "slow phase as a share of the cycle, instead of --slow-time"
    gait.add_argument("--duty", type=arguments.positive, help=words)
    words = "lean the legs by RHex's law, for the known slope or the one felt by the accelerometer (MuJoCo)"
    gait.add_argument("--compensate-slope", choices=("known", "felt"), help=words)
    words = "in that law, share of the slope by which hips are lowered; RHex's code had 0.01 (default: %(default)s)"
    gait.add_argument("--iota", type=arguments.number(0.0), default=SlopeLaw.iota, help=words)
    gait.add_argument("--heading", default="forward", help=f"{', '.join(HEADINGS)}; left and right turn in place")


def gait_from(args: argparse.Namespace, params: HexapodParams) -> TripodGait:
    """Return the named or the parameters' gait, changed, or ValueError; a new cycle time keeps the duty."""
    gait = params.gait if args.gait is None else clock_gaits.find(args.gait, args.heading)
    given = {name: getattr(args, name) for name in (*GAIT_OPTIONS, "blend_shape") if getattr(args, name) is not None}
    if args.duty is not None and "slow_time" in given:
        raise ValueError("give either --slow-time or --duty, not both")
    cycle_time = given.get("cycle_time", gait.cycle_time)
    if not SHORTEST_CYCLE <= cycle_time:
        raise ValueError(f"cycle_time must be at least {SHORTEST_CYCLE} s, got {cycle_time:g}")
    if "slow_time" not in given:
        duty = gait.slow_time / gait.cycle_time if args.duty is None else args.duty
        given["slow_time"] = duty * cycle_time
    return replace(gait, heading=args.heading, **given)


def compensated(args: argparse.Namespace, gait: TripodGait, ground: Terrain) -> tuple[TripodGait, SlopeLaw | None]:
    """Return the gait for the ground's known slope, and the law if it is to be felt; ValueError if it cannot be."""
    law = SlopeLaw(iota=args.iota)
    if args.compensate_slope == "known":
        return law.compensated(gait, slope_of(ground)), None
    if args.compensate_slope == "felt" and args.engine != "mujoco":
        raise ValueError("--compensate-slope felt needs the accelerometer of --engine mujoco; both engines have known")
    return gait, law if args.compensate_slope == "felt" else None


HEXAPOD = Hexapod()
