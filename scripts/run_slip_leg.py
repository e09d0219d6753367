"""Run the articulated SLIP leg for some steps, exactly or in MuJoCo: summary, record, figure, video, live plot.

Writes run.nc (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tarsus.scripts import arguments, paths
from tarsus.scripts.runs.slip_leg_options import add_leg_options, experiment_from

ENGINES = ("hybrid", "mujoco")


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(
        prog="tarsus run slip leg", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    parser.add_argument("--steps", type=arguments.count, default=40, help="from apex to apex; default 40")
    parser.add_argument("--engine", default="hybrid", help="hybrid (exact, default) or mujoco")
    parser.add_argument("--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s")
    parser.add_argument("--out", type=paths.folder_to_write, default=Path("out/slip_leg"), help="folder for the files")
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
    run, plot = run_it(experiment, args)
    print(summary(run))
    print(f"{args.out}: {', '.join(_write(run, experiment, args))}")
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


def run_it(experiment, args: argparse.Namespace):
    """Return the run, and the plot that followed it or None."""
    import matplotlib

    if not args.live:
        matplotlib.use("Agg")
    from tarsus.scripts.views.slip_leg_view import follower

    plot, follow = follower(experiment, args.fps) if args.live else (None, None)
    if args.engine == "mujoco":
        from tarsus.scripts.runs.slip_leg_mujoco import mujoco_run

        return mujoco_run(experiment, args.steps, preset=args.preset, on_row=follow), plot
    from tarsus.scripts.runs.slip_leg_runs import hybrid

    return hybrid(experiment, args.steps, on_frame=follow, fps=args.fps if args.live else 0.0), plot


def _write(run, experiment, args: argparse.Namespace) -> list[str]:
    from tarsus.scripts.views.slip_leg_view import draw, film

    args.out.mkdir(parents=True, exist_ok=True)
    run.record.to_netcdf(args.out / "run.nc")
    if run.record.sizes["time"] < 2:
        return ["run.nc"]
    draw(run).savefig(args.out / "run.png", dpi=120)
    if args.no_video:
        return ["run.nc", "run.png"]
    plot = film(run, experiment, args.fps)
    plot.write_video(args.out / "run.mp4", args.fps / args.slower)
    plot.close()
    return ["run.nc", "run.png", "run.mp4"]


def summary(run) -> str:
    """Return what a run did, in words."""
    height, energy = run.steps["apex_height"], run.steps["apex_energy"]
    lines = [f"{run.record.attrs['engine']}: {run.n_steps} steps; {run.status}"]
    lines += [f"apex height {height.min():.5f} to {height.max():.5f} m, last {height[-1]:.5f} m"]
    lines += [
        f"energy of the mass centre at the apexes {energy[0]:.3f} J, last {energy[-1] / energy[0] - 1:+.2e} of it"
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
