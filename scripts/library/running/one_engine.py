"""A machine's run in one engine, followed, written and shown as a command line asks."""

import argparse
import sys
from typing import Any

from tarsus.scripts.command import output
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.views import rendering


def run_and_write(
    prog: str, machine: MachineCommand, experiment: Any, files: output.Output, args: argparse.Namespace
) -> int:
    """Run in one engine, print the summary, write and show what was asked for; return the exit status."""
    import matplotlib

    matplotlib.use("Agg")
    with interrupts.heeded() as asked:
        options = {"steps": args.steps} if getattr(args, "steps", None) else {}
        if args.engine == "mujoco":
            options["progress"] = not options
            run = machine.mujoco(experiment, args.seconds, fine=False, on_frame=asked, **options)
        else:
            if machine.notice:
                print(machine.notice, file=sys.stderr)
            options |= {"rtol": args.rtol} if args.rtol else {}
            options["frame_period"] = interrupts.NOTICE_PERIOD
            run = machine.exact(experiment, args.seconds, on_frame=asked, **options)
        drawn = _write(machine, run, experiment, files, args.csv)
    if drawn and not asked():
        _show(machine, run, experiment, files, args)
    files.report(prog, machine.summary(run), **machine.numbers(run))
    if asked():
        return interrupts.report(prog, run.record["time"].values[-1], files.folder)
    if machine.renders and not args.no_video and not args.draws:
        print(rendering.NO_OPENGL, file=sys.stderr)
    if args.view:
        _watch(machine, experiment, args.view)
    return int(machine.failed(run))


def _write(machine: MachineCommand, run: Run, experiment: Any, files: output.Output, csv: bool) -> bool:
    """Write the record of a run, its tables and its figure; return whether it has rows enough to be drawn."""
    from tarsus.scripts.library.records import record

    tables = machine.tables(run)
    with files.writing("run.nc", *tables, *(["run.csv"] if csv else [])) as (netcdf, *others):
        record.save(run.record, netcdf)
        if csv:
            record.save_csv(run.record, others.pop())
        for path, table in zip(others, tables.values(), strict=True):
            table.to_csv(path, index=False)
    if run.record.sizes["time"] < 2:
        return False
    if "run.png" in machine.files:
        with files.writing("run.png") as (picture,):
            machine.figure(run, experiment).savefig(picture, dpi=120)
    return True


def _show(machine: MachineCommand, run: Run, experiment: Any, files: output.Output, args) -> None:
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
    """Run on in MuJoCo, in its window or its Studio, until that is closed."""
    try:
        if where == "web":
            from tarsus.scripts.library.views import studio

            print(studio.NOTICE)
            studio.watch(machine.stepper(experiment))
        else:
            from tarsus.scripts.library.views import window

            window.watch(machine.stepper(experiment))
    except Exception as error:  # GLFW's and the Studio's errors have many classes
        hint = "" if where == "web" else "; without a screen there is --view web"
        print(f"Nothing can be viewed here: {error}{hint}", file=sys.stderr)
