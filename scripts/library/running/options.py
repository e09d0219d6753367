"""Run a machine in the exact engine, in MuJoCo, or in both and compare them: record, summary, figure, video.

Writes run.nc and run.csv (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder; of
both engines what `tarsus crossvalidate` writes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.machines import MACHINES, MachineCommand
from tarsus.scripts.library.machines.machine import Run
from tarsus.scripts.library.views import rendering

SECONDS = 6.0  # of a comparison, by default
RTOL = 1e-6  # of the exact engine in a comparison, by default
SHORTEST = 0.01  # of a comparison: some rows [s]
OUT = Path("out/crossvalidate")
WORDS = {"hybrid": "exact"}  # what the exact engine was called


def compared() -> dict[str, MachineCommand]:
    """Return the machines of two engines."""
    return {name: machine for name, machine in MACHINES.items() if "exact" in machine.engines}


def parser(prog: str = "tarsus run", described: str = __doc__ or "", both: bool = False) -> arguments.Parser:
    """Return the command line: a subcommand for each machine; of a comparison, for each machine of two engines."""
    made = arguments.Parser(prog=prog, description=described.partition("\n")[0])
    known = compared() if both else MACHINES
    metavar = f"{{{','.join(known)}}}"
    machines = made.add_subparsers(dest="machine", required=True, metavar=metavar, help="a machine")
    for name, machine in known.items():
        words = (machine.__doc__ or "").partition("\n")[0]
        options = machines.add_parser(name, allow_abbrev=False, help=words, description=words)
        _add_options(options, machine, both)
        machine.add_options(options)
        if both:
            options.set_defaults(engine="both", no_video=True)
            options.add_argument("--page", type=paths.page, help="also put the tables into it, between its markers")
            options.add_argument("--part", default="walk", help="name of those markers; default walk")
            continue
        looking = options.add_argument_group("looking at it")
        looking.add_argument("--no-video", action="store_true", help="write no video")
        machine.add_looks(looking)
    return made


def _add_options(options: argparse.ArgumentParser, machine: MachineCommand, both: bool) -> None:
    """Add what every machine has: engine and hops, unless both engines are compared, length, settings and output."""
    engines, usual = machine.engines, f"{machine.seconds:g}" if machine.seconds else ""
    if "exact" in engines:
        engines, usual = (*engines, "both"), f"{usual}, {SECONDS:g} of both engines".removeprefix(", ")
        options.add_argument("--rtol", type=arguments.rtol, help=f"of the exact engine; {RTOL:g} in a comparison")
    if not both:
        words = f"both compares them; default {engines[0]}" if "both" in engines else ""
        choice = dict(type=lambda word: WORDS.get(word, word), choices=engines, default=engines[0], help=words)
        options.add_argument("--engine", **choice)
        if machine.steps:
            words = f"or how many hops or steps from apex to apex; default {machine.steps}"
            options.add_argument("--steps", type=arguments.count, help=words)
    options.add_argument("--seconds", type=arguments.seconds, help=f"how long to run [s]; default {usual}")
    words = f"MuJoCo's settings, a preset's name; default {machine.preset}, reference of both engines"
    options.add_argument("--preset", help=words)
    output.add_options(options, str(OUT) if both else f"out/{machine.name}")


def prepare(made: argparse.ArgumentParser, args: argparse.Namespace) -> tuple[Any, output.Output]:
    """Fill in what the command line leaves to machine and engine; return the experiment and where its files go.

    Raises:
        ValueError: If the command line is contradictory or cannot be run.
    """
    made.prog = f"{made.prog} {args.machine}"  # for what is refused from here on
    machine, both, steps = MACHINES[args.machine], args.engine == "both", getattr(args, "steps", None)
    if both and steps is not None:
        raise ValueError("--steps is of a run in one engine; both are compared over --seconds")
    if both and args.seconds is not None and args.seconds < SHORTEST:
        raise ValueError(f"--seconds must be finite and at least {SHORTEST:g}, got {args.seconds:g}")
    if args.seconds is None and steps is None:
        args.seconds, args.steps = (SECONDS, None) if both else (machine.seconds, machine.steps)
    args.preset = args.preset or ("reference" if both else machine.preset)
    args.draws = machine.renders and not args.no_video and rendering.choose_opengl()  # before anything imports MuJoCo
    experiment, files = machine.experiment(args), machine.files
    if both:
        from tarsus.scripts.library.comparison.crossvalidate import FILES as files

        args.default_out, args.rtol = OUT, args.rtol or RTOL
    return experiment, output.Output(args, *files)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, 1 for a run that failed, 2 for a line that cannot be run."""
    made = parser()
    with arguments.read(made, argv) as args:
        experiment, files = prepare(made, args)
    if args.engine == "both":
        from tarsus.scripts.library.comparison import crossvalidate

        return crossvalidate.main(made.prog, MACHINES[args.machine], experiment, files, args)
    return _run(made.prog, MACHINES[args.machine], experiment, files, args)


def _run(prog: str, machine: MachineCommand, experiment: Any, files: output.Output, args) -> int:
    follower = _follower(machine, experiment, args)
    with interrupts.heeded() as asked:

        def on_frame(*now) -> bool:
            return asked() or (follower is not None and follower(args.engine, *now))

        options = {"steps": args.steps} if getattr(args, "steps", None) else {}
        if args.engine == "mujoco":
            options["progress"] = not options
            run = machine.mujoco(experiment, args.seconds, fine=False, on_frame=on_frame, **options)
        else:
            options |= {"rtol": args.rtol} if args.rtol else {}
            options["frame_period"] = follower.period if follower else interrupts.NOTICE_PERIOD
            run = machine.exact(experiment, args.seconds, on_frame=on_frame, **options)
        drawn = _write(machine, run, experiment, files)
    if drawn and not asked():
        _show(machine, run, experiment, files, args)
    print(f"\n{machine.summary(run)}\n\n{files}")
    if asked():
        return interrupts.report(prog, run.record["time"].values[-1], files.folder)
    if machine.renders and not args.no_video and not args.draws:
        print(rendering.NO_OPENGL)
    if follower is not None:
        follower.plot.playback()
    if getattr(args, "view", None):
        _watch(machine, experiment, args.view)
    return int(machine.failed(run))


def _follower(machine: MachineCommand, experiment: Any, args: argparse.Namespace) -> Any:
    if getattr(args, "live", False):
        return machine.follower(experiment, args)
    import matplotlib

    matplotlib.use("Agg")
    return None


def _write(machine: MachineCommand, run: Run, experiment: Any, files: output.Output) -> bool:
    """Write the record of a run, its tables and its figure; return whether it has rows enough to be drawn."""
    from tarsus.scripts.library.records import record

    tables = machine.tables(run)
    with files.writing("run.nc", "run.csv", *tables) as (netcdf, csv, *others):
        record.save(run.record, netcdf)
        record.save_csv(run.record, csv)
        for path, table in zip(others, tables.values(), strict=True):
            table.to_csv(path, index=False)
    if run.record.sizes["time"] < 2:
        return False
    if "run.png" in machine.files:
        with files.writing("run.png") as (picture,):
            machine.figure(run, experiment).savefig(picture, dpi=120)
    return True


def _show(machine: MachineCommand, run: Run, experiment: Any, files: output.Output, args) -> None:
    """Write the video and the page of a run."""
    if "run.mp4" in machine.files and not args.no_video and (args.draws or not machine.renders):
        with files.writing("run.mp4") as (video,):
            machine.film(run, experiment, video, args)
    if getattr(args, "page", False):
        try:
            with files.writing("run.html") as (html,):
                machine.page(run, experiment, html)
        except ImportError as error:
            print(error, file=sys.stderr)


def _watch(machine: MachineCommand, experiment: Any, where: str) -> None:
    try:
        machine.watch(experiment, where)
    except Exception as error:  # GLFW's and the Studio's errors have many classes
        hint = "" if where == "web" else "; on a machine without a screen the hexapod has --view web"
        print(f"Nothing can be viewed here: {error}{hint}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
