"""Run the hexapod's clock gait in MuJoCo: summary, record, figure, video.

Writes run.nc and run.csv (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from tarsus.analytic import terrain as terrains
from tarsus.analytic.clock import HEADINGS, TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, with_symbols
from tarsus.controllers.clock_gaits import GAITS
from tarsus.scripts import rendering

# Options of the gait: long name, the report's symbol, unit or meaning.
GAIT_OPTIONS = {
    "cycle_time": ("t_c", "period of the clock [s]"),
    "slow_time": ("t_s", "duration of the slow phase [s]"),
    "sweep_angle": ("phi_s", "angle of the slow phase [rad]"),
    "leg_offset": ("phi_o", "offset of all references [rad]"),
    "slow_time_difference": ("dt_s", "added to t_s on the left, taken off on the right [s]; right turns need < 0"),
    "offset_difference": ("dphi_o", "added to phi_o on the left, taken off on the right [rad]; right turns need > 0"),
}
WORDS = ("terrain_type", "control_type")  # parameters that are no numbers


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="tarsus run hexapod", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="how long to run [s]; default 10")
    parser.add_argument("--preset", default="reference", help="simulator settings: reference (default) or rl")
    parser.add_argument("--out", type=Path, default=Path("out/hexapod"), help="folder for the files")
    add_robot_options(parser)
    looking = parser.add_argument_group("looking at it")
    looking.add_argument("--no-video", action="store_true", help="write no video")
    looking.add_argument(
        "--page", action="store_true", help="write run.html, the run in 3-D in one self-contained page"
    )
    looking.add_argument(
        "--view",
        nargs="?",
        const="window",
        choices=("window", "web"),
        help="then watch it live, in a window or browser",
    )
    return parser


def add_robot_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `gait_from`, `terrain_from` and `params_from` read."""
    gait = parser.add_argument_group("gait")
    gait.add_argument("--gait", choices=tuple(GAITS), help="one with a name, which the options below change")
    for name, (symbol, meaning) in GAIT_OPTIONS.items():
        gait.add_argument(f"--{name.replace('_', '-')}", f"--{symbol}", dest=name, type=float, help=meaning)
    gait.add_argument("--duty", type=float, help="slow phase as a share of the cycle, instead of --slow-time")
    gait.add_argument("--heading", default="forward", help=f"{', '.join(HEADINGS)}; left and right turn in place")
    world = parser.add_argument_group("robot and ground")
    world.add_argument(
        "--terrain", nargs="+", metavar=("NAME", "ARG"), help=f"{', '.join(terrains.TERRAINS)}, and its arguments"
    )
    world.add_argument(
        "--set",
        nargs="+",
        default=[],
        action="extend",
        metavar="SYMBOL=VALUE",
        help="robot parameters by the manual's symbols, as in: --set body_mass=7 rho0_k=600",
    )


def params_from(assignments: list[str]) -> HexapodParams:
    """Return the robot with some parameters changed by `SYMBOL=VALUE`.

    Raises:
        ValueError: If an assignment cannot be read, or the parameters refuse it.
    """
    symbols: dict[str, float | str] = {}
    for assignment in assignments:
        symbol, equals, value = assignment.partition("=")
        if not (symbol and equals and value):
            raise ValueError(f"--set takes SYMBOL=VALUE, as in body_mass=7; got {assignment!r}")
        try:
            symbols[symbol] = value if symbol in WORDS else float(value)
        except ValueError:
            raise ValueError(f"--set takes numbers, got {assignment!r}") from None
    return with_symbols(HexapodParams(), symbols)


def gait_from(args: argparse.Namespace, params: HexapodParams) -> TripodGait:
    """Return the named or the parameters' gait with what the command line changes; a new cycle time keeps the duty.

    Raises:
        ValueError: If the gait is impossible, or slow time and duty are both given.
    """
    gait = params.gait if args.gait is None else GAITS[args.gait]
    given = {name: getattr(args, name) for name in GAIT_OPTIONS if getattr(args, name) is not None}
    if args.duty is not None and "slow_time" in given:
        raise ValueError("give either --slow-time or --duty, not both")
    cycle_time = given.get("cycle_time", gait.cycle_time)
    if "slow_time" not in given:
        duty = gait.slow_time / gait.cycle_time if args.duty is None else args.duty
        given["slow_time"] = duty * cycle_time
    return dataclasses.replace(gait, heading=args.heading, **given)


def terrain_from(words: list[str] | None, params: HexapodParams) -> terrains.Terrain:
    """Return the terrain of the command line, or the parameters' own.

    Raises:
        ValueError: If it is unknown or its arguments are not numbers.
    """
    if words is None:
        return params.terrain
    try:
        arguments = [float(word) for word in words[1:]]
    except ValueError:
        raise ValueError(f"arguments of a terrain are numbers, got {' '.join(words[1:])}") from None
    return terrains.make(words[0], *arguments)


def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, or 2 for a command line that cannot be run."""
    args = parser().parse_args(argv)
    draws = (not args.no_video) and rendering.choose_opengl()  # before anything imports MuJoCo
    from tarsus.scripts.experiment import Experiment
    from tarsus.scripts.simulate import simulate

    try:
        if not 0 < args.seconds < float("inf"):
            raise ValueError(f"--seconds must be positive and finite, got {args.seconds:g}")
        params = params_from(args.set)
        gait = gait_from(args, params)
        experiment = Experiment(params, gait, terrain_from(args.terrain, params), args.preset)
        run = simulate(experiment, args.seconds)
    except ValueError as error:
        print(f"tarsus run hexapod: {error}", file=sys.stderr)
        return 2
    written = _write(run, experiment, args, draws)
    _print_summary(run)
    print(f"\n{args.out}: {', '.join(written)}")
    if not args.no_video and not draws:
        print(rendering.NO_OPENGL)
    if args.view:
        _view(experiment, args.view)
    return 0


def _print_summary(run) -> None:
    from tarsus.scripts import summary

    if run.record.sizes["time"] < 2:
        print(run.status.value)
    else:
        rows = summary.lines(summary.summarise(run.record))
        width = max(len(name) for name, _ in rows)
        print("\n" + "\n".join(f"{name:<{width}}  {value}" for name, value in rows))
    if run.warnings:
        print(f"MuJoCo warned: {run.warnings}")


def _write(run, experiment, args: argparse.Namespace, draws: bool) -> list[str]:
    """Write the files of a run; return their names."""
    from tarsus.scripts import record, run_plot

    args.out.mkdir(parents=True, exist_ok=True)
    record.save(run.record, args.out / "run.nc")
    record.save_csv(run.record, args.out / "run.csv")
    written = ["run.nc", "run.csv"]
    if run.record.sizes["time"] < 2:
        return written
    run_plot.draw(run.record).savefig(args.out / "run.png", dpi=120)
    written.append("run.png")
    if draws:
        rendering.write_video(run.record, experiment.model(), args.out / "run.mp4")
        written.append("run.mp4")
    if args.page:
        from tarsus.scripts import page

        try:
            page.write_page(run.record, experiment.model(), experiment.ground, args.out / "run.html")
            written.append("run.html")
        except ImportError as error:
            print(error, file=sys.stderr)
    return written


def _view(experiment, where: str) -> None:
    try:
        if where == "web":
            from tarsus.scripts import studio

            print(studio.NOTICE)
            studio.watch(experiment)
        else:
            from tarsus.scripts import experiment as experiments
            from tarsus.scripts import view

            view.watch_window(experiments.Stepper(experiment))
    except Exception as error:  # GLFW's and the Studio's errors have many classes
        hint = "" if where == "web" else "; on a machine without a screen use --view web"
        print(f"Nothing can be viewed here: {error}{hint}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
