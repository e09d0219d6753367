"""Run the articulated SLIP leg for some steps, exactly or in MuJoCo: summary, record, figure, video, live plot.

Writes run.nc (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import argparse
import sys

from tarsus.scripts import arguments
from tarsus.scripts.runs import output
from tarsus.scripts.runs.slip_leg_options import add_leg_options, experiment_from

ENGINES = ("hybrid", "mujoco")


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(
        prog="tarsus run slip_leg", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    parser.add_argument("--steps", type=arguments.count, default=40, help="from apex to apex; default 40")
    parser.add_argument("--engine", default="hybrid", help="hybrid (exact, default) or mujoco")
    parser.add_argument("--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s")
    output.add_options(parser, "out/slip_leg")
    add_leg_options(parser)
    rate = arguments.number(1.0, 1000.0)
    parser.add_argument("--fps", type=rate, default=60.0, help="pictures per second of simulated time; default 60")
    parser.add_argument(
        "--slower",
        type=arguments.number(0.01, 100.0),
        default=4.0,
        help="the video is that much slower than life; default 4",
    )
    parser.add_argument("--no-video", action="store_true", help="write no video")
    parser.add_argument("--live", action="store_true", help="show the run while it is computed, then play it back")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, 1 for a run that failed, 2 for a line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        if args.engine not in ENGINES:
            raise ValueError(f"unknown engine {args.engine!r}; there are {', '.join(ENGINES)}")
        # A torque that is held for a step does some work of its own, which the controller then takes out again.
        experiment = experiment_from(args, energy_gain=0.5 * (args.engine == "mujoco"))
        check(experiment, args)
        files = output.Output(args, "run.nc", "run.png", "run.mp4")
    from tarsus.scripts.runs import interrupts

    with interrupts.heeded() as asked:
        run, plot = run_it(experiment, args, asked)
        _write(run, files)
    print(summary(run))
    if "run.png" in files.written and not (args.no_video or asked()):
        _film(run, experiment, files, args)
    print(files)
    if asked():
        return interrupts.report("tarsus run slip_leg", run.record["time"].values[-1], files.folder)
    if plot is not None:
        plot.playback()
    return 0 if run.completed else 1


def check(experiment, args: argparse.Namespace) -> None:
    """Refuse a run that cannot be begun.

    Raises:
        ValueError: The sentence says why.
    """
    from tarsus.analytic.models.ground_line import ground_table
    from tarsus.mjcf.presets import find
    from tarsus.mjcf.slip_leg import PRESETS
    from tarsus.scripts.runs.slip_leg_mujoco import MujocoRun

    preset = find(args.preset, PRESETS)
    if args.engine == "mujoco":
        MujocoRun(experiment, preset)
    else:
        experiment.start()
        ground_table(experiment.ground)


def run_it(experiment, args: argparse.Namespace, asked):
    """Return the run, which ends when `asked()` says so, and the plot that followed it or None."""
    import matplotlib

    if not args.live:
        matplotlib.use("Agg")
    from tarsus.scripts.runs.interrupts import NOTICE_PERIOD
    from tarsus.scripts.views.slip_leg_view import follower

    plot, follow = follower(experiment, args.fps) if args.live else (None, None)

    def on_frame(*now):
        return asked() or (follow is not None and follow(*now))

    if args.engine == "mujoco":
        from tarsus.scripts.runs.slip_leg_mujoco import mujoco_run

        return mujoco_run(experiment, args.steps, preset=args.preset, on_row=on_frame), plot
    from tarsus.scripts.runs.slip_leg_runs import hybrid

    return hybrid(experiment, args.steps, on_frame=on_frame, fps=args.fps if args.live else 1 / NOTICE_PERIOD), plot


def _write(run, files: output.Output) -> None:
    from tarsus.scripts.views.slip_leg_view import draw

    with files.writing("run.nc") as (netcdf,):
        run.record.to_netcdf(netcdf)
    if run.record.sizes["time"] < 2:
        return
    with files.writing("run.png") as (picture,):
        draw(run).savefig(picture, dpi=120)


def _film(run, experiment, files: output.Output, args: argparse.Namespace) -> None:
    from tarsus.scripts.views.slip_leg_view import film

    plot = film(run, experiment, args.fps)
    with files.writing("run.mp4") as (video,):
        plot.write_video(video, args.fps / args.slower)
    plot.close()


def summary(run) -> str:
    """Return what a run did, in words."""
    height, energy = run.steps["apex_height"], run.steps["apex_energy"]
    lines = [f"{run.record.attrs['engine']}: {max(run.n_steps, 0)} steps; {run.status}"]
    if not height.size:
        return lines[0]
    lines += [f"apex height {height.min():.5f} to {height.max():.5f} m, last {height[-1]:.5f} m"]
    lines += [
        f"energy of the mass centre at the apexes {energy[0]:.3f} J, last {energy[-1] / energy[0] - 1:+.2e} of it"
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
