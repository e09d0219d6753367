"""Hop on one leg under Raibert's control, in either engine: table of hops, record, figure, video, playback.

Writes run.nc (the labelled record), run.png (its last row's picture) and run.mp4 into the output folder. Nstep,
isMotorDynamics and isControlSaturate are the options of the original simulator, by their names.
"""

from __future__ import annotations

import argparse
import sys

from tarsus.scripts import arguments
from tarsus.scripts.runs import output
from tarsus.scripts.runs.hopping_leg_options import add_leg_options, leg_from

ENGINES = ("hybrid", "mujoco")
SAMPLE_PERIOD = 2e-3  # between rows of the record [s]


def parser() -> arguments.Parser:
    """Return the command line."""
    made = arguments.Parser(
        prog="tarsus run hopping_leg", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    made.add_argument("--Nstep", type=arguments.integer(0), default=10, help="number of hops; default 10")
    made.add_argument("--engine", choices=ENGINES, default="hybrid")
    made.add_argument("--preset", default="rl", help="MuJoCo's settings, a preset's name; default %(default)s")
    add_leg_options(made)
    output.add_options(made, "out/hopping_leg")
    made.add_argument("--no-video", action="store_true")
    made.add_argument("--live", action="store_true", help="show the run while it is computed, then play it back")
    return made


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run, print the table, write the files; return 0, 1 for a run that failed, 2 for a line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        params, gains, ground = leg_from(args)
        controller = checked_controller(gains, params, ground, args)
        files = output.Output(args, "run.nc", "run.png", "run.mp4")
    from tarsus.scripts.runs import interrupts

    with interrupts.heeded() as asked:
        run, plot = run_it(controller, ground, args, asked)
        picture = _write(run, controller, files)
    print_hops(run)
    if picture and not (args.no_video or asked()):
        with files.writing("run.mp4") as (video,):
            picture.film(video)
    print(files)
    if asked():
        return interrupts.report("tarsus run hopping_leg", run.record["time"].values[-1], files.folder)
    if plot is not None:
        plot.playback()
    return 0 if run.completed else 1


def checked_controller(gains, params, ground, args: argparse.Namespace):
    """Return the controller of a run that can be begun.

    Raises:
        ValueError: If it cannot.
    """
    from tarsus.controllers.raibert import Raibert
    from tarsus.mjcf.hopping_leg import PRESETS
    from tarsus.mjcf.presets import find
    from tarsus.scripts.runs.hopping_mujoco import Stepper
    from tarsus.scripts.runs.hopping_runs import check_hops

    check_hops(args.Nstep)
    preset = find(args.preset, PRESETS)
    controller = Raibert(gains, params, fast=args.engine == "mujoco")
    if args.engine == "mujoco":
        Stepper(controller, ground, preset)
    return controller


def run_it(controller, ground, args: argparse.Namespace, asked):
    """Return the run, which ends when `asked()` says so, and the plot that followed it or None."""
    import matplotlib

    if not args.live:
        matplotlib.use("Agg")
    from tarsus.scripts.runs import hopping_mujoco, hopping_runs, interrupts
    from tarsus.scripts.views import hopping_live

    options = {"ground": ground, "sample_period": SAMPLE_PERIOD}
    follower = hopping_live.Follower(controller, ground) if args.live else None
    if args.engine == "hybrid":
        options |= {"on_frame": asked, "frame_period": interrupts.NOTICE_PERIOD}
        if follower:
            options |= {"on_frame": lambda *now: asked() or follower.frame(*now), "frame_period": 1 / hopping_live.FPS}
        run = hopping_runs.hybrid_run(controller, args.Nstep, **options)
    else:

        def on_row(*now):
            return asked() or (follower is not None and follower.row(*now))

        run = hopping_mujoco.mujoco_run(controller, args.Nstep, preset=args.preset, on_row=on_row, **options)
    return run, follower.plot if follower else None


def print_hops(run) -> None:
    """Print a line for every hop, and how the run ended."""
    print(f"{'hop':>3}  {'touchdown s':>11}  {'stance s':>8}  {'apex m':>8}  {'speed m/s':>9}")
    hops = zip(run.touchdown, run.liftoff, run.apex_height, run.apex_speed, strict=False)
    for k, (down, up, height, speed) in enumerate(hops):
        print(f"{k:>3}  {down:>11.5f}  {up - down:>8.5f}  {height:>8.5f}  {speed:>9.4f}")
    print(run.status)


def _write(run, controller, files: output.Output):
    """Write the record and its last picture; return the picture, or None if the record is too short for one."""
    with files.writing("run.nc") as (netcdf,):
        run.record.to_netcdf(netcdf, engine="scipy")
    if run.record.sizes["time"] < 2:
        return None
    from tarsus.scripts.views.hopping_view import Picture

    picture = Picture(run.record, controller.params)
    picture.update(run.record.sizes["time"] - 1)
    with files.writing("run.png") as (last,):
        picture.figure.savefig(last, dpi=110)
    return picture


if __name__ == "__main__":
    sys.exit(main())
