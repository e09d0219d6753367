"""A machine run in both engines from the same start: the comparison, its files, and its part of a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tarsus.analytic import saving
from tarsus.scripts.command import output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.comparison import comparison_page, tables
from tarsus.scripts.library.comparison.compare import Comparison, align, compare
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import record

DPI = 80  # of the pictures
FILES = ("exact.nc", "mujoco.nc", "both.nc", "body.png", "feet.png", "report.md", "report.html")


def run(machine: MachineCommand, experiment, seconds: float, rtol: float = 1e-6) -> tuple[Run, Run, Comparison]:
    """Return the runs of an experiment in both engines, and their comparison.

    Raises:
        RuntimeError: If the exact engine could not go on, or a run ended before a comparison could begin.
    """
    mujoco = machine.mujoco(experiment, seconds)
    if mujoco.record.sizes["time"] < 2:
        raise RuntimeError(f"MuJoCo's run ended at once: {mujoco.record.attrs['status']}")
    period = float(mujoco.record["time"][1] - mujoco.record["time"][0])
    exact = machine.exact(experiment, seconds, period, rtol=rtol)
    if exact.record.sizes["time"] < 2:
        raise RuntimeError(f"the exact run ended at once: {exact.record.attrs['status']}")
    return exact, mujoco, compare(exact, mujoco, machine.stride(experiment))


def facts(exact: Run, mujoco: Run, comparison: Comparison) -> list[str]:
    """Return the facts of a comparison, a line each."""
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
        draw({"body": body, "feet": feet}, exact, mujoco, comparison)
    pictures = {name: files.folder / f"{name}.png" for name in ("body", "feet")}
    lines, shown = facts(exact, mujoco, comparison), comparison_page.sections(comparison)
    with files.writing(*FILES[5:]) as (text, page):
        text.write_text(tables.markdown(title, lines, shown, pictures), encoding="utf-8")
        page.write_text(tables.page(title, lines, shown, pictures), encoding="utf-8")


def draw(pictures: dict[str, Path], exact: Run, mujoco: Run, comparison: Comparison) -> None:
    """Write the pictures, by what they show: body and feet."""
    from tarsus.scripts.library.comparison import comparison_plot

    for name, drawn in (("body", comparison_plot.draw_body), ("feet", comparison_plot.draw_feet)):
        with saving.writing(pictures[name]) as part:
            drawn(exact, mujoco, comparison).savefig(part, dpi=DPI)


def fill(page: Path, part: str, exact: Run, mujoco: Run, comparison: Comparison) -> None:
    """Write facts, pictures and tables between a page's markers of a part; pictures go into `figures` beside it."""
    pictures = {name: page.parent / "figures" / f"crossvalidation_{part}_{name}.png" for name in ("body", "feet")}
    draw(pictures, exact, mujoco, comparison)
    lines = "\n".join(f"* {fact}" for fact in facts(exact, mujoco, comparison))
    images = "\n\n".join(f"![{part}, {name}](figures/{path.name})" for name, path in pictures.items())
    shown = tables.tables(comparison_page.sections(comparison), level=4)
    text = stamp.insert(page.read_text(encoding="utf-8"), part, f"{lines}\n\n{images}\n\n{shown}")
    saving.write_text(page, text)


def main(
    prog: str, machine: MachineCommand, experiment: Any, files: output.Output, args, page: Path | None = None
) -> int:
    """Compare and write, into a part of a page too if one is given; return 0, or 2 for what cannot be compared."""
    try:
        exact, mujoco, comparison = run(machine, experiment, args.seconds, args.rtol)
    except RuntimeError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    title = machine.name.replace("_", " ").capitalize()
    write(files, f"{title}: MuJoCo against the exact engine", exact, mujoco, comparison)
    if page is not None:
        fill(page, args.part, exact, mujoco, comparison)
    shown = comparison_page.sections(comparison)
    told = {section.title: section._asdict() for section in shown}
    files.report(prog, tables.tables(shown), facts=facts(exact, mujoco, comparison), comparison=comparison, tables=told)
    return 0
