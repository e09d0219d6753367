"""A machine run in both engines from the same start: the comparison, and its files."""

import json
import sys
from typing import Any

from tarsus.scripts.command import output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.comparison import shown
from tarsus.scripts.library.comparison.compare import Comparison, align, compare
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import record

DPI = 80  # of the pictures
FILES = ("exact.nc", "mujoco.nc", "both.nc", "body.png", "feet.png", "report.md", "report.html", "both.mp4")


def run(machine: MachineCommand, experiment, seconds: float, rtol: float = 1e-6) -> tuple[Run, Run, Comparison]:
    """Return the runs of an experiment in both engines, and their comparison; RuntimeError if there is none."""
    mujoco = machine.mujoco(experiment, seconds)
    if mujoco.record.sizes["time"] < 2:
        raise RuntimeError(f"MuJoCo's run ended at once: {mujoco.record.attrs['status']}")
    period = float(mujoco.record["time"][1] - mujoco.record["time"][0])
    exact = machine.exact(experiment, seconds, period, rtol=rtol)
    if exact.record.sizes["time"] < 2:
        raise RuntimeError(f"the exact run ended at once: {exact.record.attrs['status']}")
    return exact, mujoco, compare(exact, mujoco, machine.stride(experiment))


def facts(exact: Run, mujoco: Run, comparison: Comparison) -> list[str]:
    attrs = mujoco.record.attrs
    ends = {name: float(trial.record["time"][-1]) for name, trial in (("exact", exact), ("mujoco", mujoco))}
    return [
        f"robot: {attrs['robot']}; gait: {_words(attrs['gait'])}; terrain: {_words(attrs['terrain'])}",
        f"exact: {exact.record.attrs['engine']}, {comparison.status['exact']}, {ends['exact']:.2f} s",
        f"MuJoCo: {attrs['engine']}, preset {attrs['preset']}, {comparison.status['mujoco']}, {ends['mujoco']:.2f} s",
        f"made with {stamp.versions(*record.PACKAGES)} on {stamp.computer()}",
    ]


def _words(text: str) -> str:
    """Return a JSON dictionary as words; anything else as it is."""
    try:
        return ", ".join(f"{name} {value}" for name, value in json.loads(text).items())
    except (ValueError, AttributeError):
        return text


def write(files: output.Output, title: str, exact: Run, mujoco: Run, comparison: Comparison) -> None:
    """Write records, pictures and pages."""
    with files.writing(*FILES[:3]) as (netcdf_exact, netcdf_mujoco, netcdf_both):
        record.save(exact.record, netcdf_exact)
        record.save(mujoco.record, netcdf_mujoco)
        record.save(align(exact.record, mujoco.record), netcdf_both)
    with files.writing(*FILES[3:5]) as (body, feet):
        shown.draw_body(exact, mujoco, comparison).savefig(body, dpi=DPI)
        shown.draw_feet(exact, mujoco, comparison).savefig(feet, dpi=DPI)
    pictures = {name: files.folder / f"{name}.png" for name in ("body", "feet")}
    lines, parts = facts(exact, mujoco, comparison), shown.sections(comparison)
    with files.writing(*FILES[5:7]) as (text, page):
        text.write_text(shown.markdown(title, lines, parts, pictures), encoding="utf-8")
        page.write_text(shown.page(title, lines, parts, pictures), encoding="utf-8")


def main(prog: str, machine: MachineCommand, experiment: Any, files: output.Output, args) -> int:
    """Compare and write; return 0, or 2 for what cannot be compared."""
    if machine.notice:
        print(f"{args.seconds:g} s in MuJoCo, then in the exact engine; {machine.notice}", file=sys.stderr)
    try:
        exact, mujoco, comparison = run(machine, experiment, args.seconds, args.rtol)
    except RuntimeError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    title = machine.name.replace("_", " ").capitalize()
    write(files, f"{title}: MuJoCo against the exact engine", exact, mujoco, comparison)
    if args.draws:
        from tarsus.scripts.library.views import rendering

        with files.writing("both.mp4") as (film,):
            rendering.write_both(film, {"exact": exact.record, "MuJoCo": mujoco.record}, machine.model(experiment))
    parts = shown.sections(comparison)
    told = {section.title: section._asdict() for section in parts}
    files.report(prog, shown.tables(parts), facts=facts(exact, mujoco, comparison), comparison=comparison, tables=told)
    return 0
