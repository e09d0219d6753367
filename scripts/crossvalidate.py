"""Run a machine in both engines from the same start, compare them, and write the page of it.

Writes into the output folder: exact.nc and mujoco.nc (the labelled records), both.nc (the two aligned, along the
dimension `engine`), report.md with its pictures, and report.html, which holds everything. A machine joins by a line in
`MACHINES`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts import arguments, paths, report
from tarsus.scripts.comparison import comparison_page
from tarsus.scripts.comparison.compare import Comparison, align, compare
from tarsus.scripts.comparison.hexapod_machine import HEXAPOD
from tarsus.scripts.comparison.hopping_machine import HOPPING_LEG
from tarsus.scripts.comparison.machine import Machine, Trial
from tarsus.scripts.comparison.slip_machine import SLIP_LEG
from tarsus.scripts.runs import output, record

MACHINES: dict[str, Machine] = {"hexapod": HEXAPOD, "hopping_leg": HOPPING_LEG, "slip_leg": SLIP_LEG}
DPI = 80  # of the pictures
SHORTEST = 0.01  # of a run: some rows to compare [s]
FILES = ("exact.nc", "mujoco.nc", "both.nc", "body.png", "feet.png", "report.md", "report.html")


def parser() -> arguments.Parser:
    """Return the command line: a subcommand for each machine."""
    parser = arguments.Parser(prog="tarsus crossvalidate", description=(__doc__ or "").partition("\n")[0])
    machines = parser.add_subparsers(dest="machine", required=True, metavar="MACHINE", help=", ".join(MACHINES))
    seconds = arguments.number(SHORTEST, arguments.LONGEST)
    for name, machine in MACHINES.items():
        options = machines.add_parser(name, allow_abbrev=False, help=(machine.__doc__ or "").partition("\n")[0])
        options.add_argument("--seconds", type=seconds, default=6.0, help="how long to run [s]; default 6")
        options.add_argument(
            "--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s"
        )
        options.add_argument("--rtol", type=arguments.rtol, default=1e-6, help="of the exact engine; default 1e-6")
        output.add_options(options, "out/crossvalidate")
        options.add_argument("--page", type=paths.page, help="also put the tables into this page, between its markers")
        options.add_argument("--part", default="walk", help="name of those markers; default walk")
        machine.add_options(options)
    return parser


def run(machine: Machine, experiment, seconds: float, rtol: float = 1e-6) -> tuple[Trial, Trial, Comparison]:
    """Return what both engines make of an experiment, and the comparison.

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


def facts(exact: Trial, mujoco: Trial, comparison: Comparison) -> list[str]:
    """Return what was compared, a line each."""
    attrs = mujoco.record.attrs
    ends = {name: float(trial.record["time"][-1]) for name, trial in (("exact", exact), ("mujoco", mujoco))}
    return [
        f"robot: {attrs['robot']}; gait: {_words(attrs['gait'])}; terrain: {_words(attrs['terrain'])}",
        f"exact: {exact.record.attrs['engine']}, {comparison.status['exact']}, {ends['exact']:.2f} s",
        f"MuJoCo: {attrs['engine']}, preset {attrs['preset']}, {comparison.status['mujoco']}, {ends['mujoco']:.2f} s",
        f"made with {report.versions(*record.PACKAGES)} on {report.machine()}",
    ]


def _words(text: str) -> str:
    """Return a JSON dictionary as words; anything else as it is."""
    try:
        return ", ".join(f"{name} {value}" for name, value in json.loads(text).items())
    except (ValueError, AttributeError):
        return text


def write(files: output.Output, title: str, exact: Trial, mujoco: Trial, comparison: Comparison) -> None:
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
        text.write_text(comparison_page.markdown(title, lines, shown, pictures), encoding="utf-8")
        page.write_text(comparison_page.page(title, lines, shown, pictures), encoding="utf-8")


def draw(pictures: dict[str, Path], exact: Trial, mujoco: Trial, comparison: Comparison) -> None:
    """Write the pictures, by what they show: body and feet."""
    from tarsus.scripts.comparison import comparison_plot

    for name, drawn in (("body", comparison_plot.draw_body), ("feet", comparison_plot.draw_feet)):
        with saving.writing(pictures[name]) as part:
            drawn(exact, mujoco, comparison).savefig(part, dpi=DPI)


def fill(page: Path, part: str, exact: Trial, mujoco: Trial, comparison: Comparison) -> None:
    """Write facts, pictures and tables between a page's markers of a part; pictures go into `figures` beside it."""
    pictures = {name: page.parent / "figures" / f"crossvalidation_{part}_{name}.png" for name in ("body", "feet")}
    draw(pictures, exact, mujoco, comparison)
    lines = "\n".join(f"* {fact}" for fact in facts(exact, mujoco, comparison))
    images = "\n\n".join(f"![{part}, {name}](figures/{path.name})" for name, path in pictures.items())
    tables = comparison_page.tables(comparison_page.sections(comparison), level=4)
    text = report.insert(page.read_text(encoding="utf-8"), part, f"{lines}\n\n{images}\n\n{tables}")
    saving.write_text(page, text)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Compare and write; return 0, or 2 for what cannot be run or compared."""
    with arguments.read(parser(), argv) as args:
        machine = MACHINES[args.machine]
        if args.page is not None:
            report.check_page(args.page, args.part)
            output.check(args.page)
        experiment = machine.experiment(args)
        files = output.Output(args, *FILES)
    try:
        exact, mujoco, comparison = run(machine, experiment, args.seconds, args.rtol)
    except RuntimeError as error:
        print(f"tarsus crossvalidate {args.machine}: {error}", file=sys.stderr)
        return 2
    write(files, f"{machine.name.capitalize()}: MuJoCo against the exact engine", exact, mujoco, comparison)
    if args.page is not None:
        fill(args.page, args.part, exact, mujoco, comparison)
    print(comparison_page.tables(comparison_page.sections(comparison)))
    print(f"\n{files}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
