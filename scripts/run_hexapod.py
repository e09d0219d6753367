"""Run the hexapod's clock gait in MuJoCo: summary, record, figure, video.

Writes run.nc and run.csv (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import sys

from tarsus.scripts import arguments
from tarsus.scripts.runs import output
from tarsus.scripts.runs.hexapod_options import add_robot_options, gait_from, params_from, terrain_from
from tarsus.scripts.views import rendering


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(
        prog="tarsus run hexapod", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    parser.add_argument("--seconds", type=arguments.seconds, default=10.0, help="how long to run [s]; default 10")
    parser.add_argument("--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s")
    output.add_options(parser, "out/hexapod")
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


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, 1 for a run that diverged, 2 for a line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        params = params_from(args.set)
        gait, ground = gait_from(args, params), terrain_from(args.terrain, params)
        draws = (not args.no_video) and rendering.choose_opengl()  # before anything imports MuJoCo
        from tarsus.scripts.runs import interrupts, simulate
        from tarsus.scripts.runs.experiment import Experiment, Stepper

        experiment = Experiment(params, gait, ground, args.preset)
        simulate.rows_in(args.seconds, Stepper(experiment).model.opt.timestep)
        files = output.Output(args, "run.nc", "run.csv", "run.png", "run.mp4", "run.html")
    with interrupts.heeded() as asked:
        run = simulate.simulate(experiment, args.seconds, stop=asked)
        _write(run, files)
    if not asked():
        _show(run, experiment, files, draws, args.page)
    _print_summary(run)
    print(f"\n{files}")
    if asked():
        return interrupts.report("tarsus run hexapod", run.record["time"].values[-1], files.folder)
    if not args.no_video and not draws:
        print(rendering.NO_OPENGL)
    if args.view:
        _view(experiment, args.view)
    return 1 if run.status is simulate.Status.DIVERGED else 0


def _print_summary(run) -> None:
    from tarsus.scripts.runs import summary

    if run.record.sizes["time"] < 2:
        print(run.status.value)
    else:
        rows = summary.lines(summary.summarise(run.record))
        width = max(len(name) for name, _ in rows)
        print("\n" + "\n".join(f"{name:<{width}}  {value}" for name, value in rows))
    if run.warnings:
        print(f"MuJoCo warned: {run.warnings}")


def _write(run, files: output.Output) -> None:
    """Write the record of a run, and its figure."""
    from tarsus.scripts.runs import record
    from tarsus.scripts.views import run_plot

    with files.writing("run.nc", "run.csv") as (netcdf, csv):
        record.save(run.record, netcdf)
        record.save_csv(run.record, csv)
    if run.record.sizes["time"] > 1:
        with files.writing("run.png") as (picture,):
            run_plot.draw(run.record).savefig(picture, dpi=120)


def _show(run, experiment, files: output.Output, draws: bool, wants_page: bool) -> None:
    """Write the video and the page of a run."""
    if run.record.sizes["time"] < 2:
        return
    if draws:
        with files.writing("run.mp4") as (video,):
            rendering.write_video(run.record, experiment.model(), video)
    if wants_page:
        from tarsus.scripts.views import page

        try:
            with files.writing("run.html") as (html,):
                page.write_page(run.record, experiment.model(), experiment.ground, html)
        except ImportError as error:
            print(error, file=sys.stderr)


def _view(experiment, where: str) -> None:
    try:
        if where == "web":
            from tarsus.scripts.views import studio

            print(studio.NOTICE)
            studio.watch(experiment)
        else:
            from tarsus.scripts.runs import experiment as experiments
            from tarsus.scripts.views import window

            window.watch_window(experiments.Stepper(experiment))
    except Exception as error:  # GLFW's and the Studio's errors have many classes
        hint = "" if where == "web" else "; on a machine without a screen use --view web"
        print(f"Nothing can be viewed here: {error}{hint}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
