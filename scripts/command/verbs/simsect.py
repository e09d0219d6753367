"""Run a SimSect init file: integrate, report progress, write .data, .initial and .param, show or film the run.

Usage: tarsus simsect [-c SimSect.rc] [--robot rhex] [--gait walk] [--method rodas5p] [--mode auto] [--video run.mp4]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic import saving, simsect
from tarsus.analytic.hybrid.names import overlay
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.analytic.models.hexapod import ROBOTS
from tarsus.controllers import clock_gaits
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.base import interrupts

MODES = ("auto", "compiled", "mixed", "python")


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run the file; return 0 if the final time was reached, 1 if the run ended before, 2 if the file is wrong."""
    parser = arguments.Parser(prog="tarsus simsect", description=__doc__.partition("\n")[0])
    parser.add_argument("-c", dest="file", default=simsect.DEFAULT_FILE, help="init file (default: %(default)s)")
    parser.add_argument("--gait", help=f"gait of a hexapod, if the file has none: {clock_gaits.NAMES}")
    words = "rk23 is of SimSect's class; default dop853, for the hexapod rodas5p, which suits stiff fields"
    parser.add_argument("--method", choices=METHODS, help=words)
    parser.add_argument("--mode", default="auto", choices=MODES, help="compiled or interpreted (default: %(default)s)")
    parser.add_argument("--robot", choices=tuple(ROBOTS), help="the hexapod that gives symbols missing from the file")
    parser.add_argument("--video", type=paths.film, help="film the run into this file (.mp4, .gif)")
    parser.add_argument("--force", action="store_true", help="replace existing files, instead of a new number")
    with arguments.read(parser, argv) as args:
        gait = None if args.gait is None else clock_gaits.find(args.gait)
        run = simsect.load(args.file, given={"robot": args.robot} if args.robot else None, gait=gait)
        hy.Options(**run.settings)
        simsect.check_outputs(run)
        run = replace(run, base=str(free_base(Path(run.base), args.force)))
        if args.video:
            output.new_file(args.video, args.force)
    if run.idle:
        print(f"tarsus simsect: without effect: {', '.join(run.idle)}", file=sys.stderr)
    sim = hy.compile(run.model, args.method, args.mode)
    Path(f"{run.base}.data").unlink(missing_ok=True)  # an older run's data do not stay beside these inputs
    print(*simsect.write_inputs(run, sim), sep="\n")
    view = open_view(run, args.video)
    with interrupts.heeded() as asked:
        looking = {"frame_period": interrupts.NOTICE_PERIOD} if view is None else {}
        on_frame = asked if view is None else lambda *now: asked() or view(*now)
        result = simsect.integrate(run, sim, on_measure=progress(run.model), on_frame=on_frame, **looking)
    data = simsect.write_data(run, result)
    if view:
        view.close()
    print(data, result.message, sep="\n")
    if asked():
        return interrupts.report("tarsus simsect", result.t_end, data)
    return 0 if result.status is hy.Status.FINAL_TIME else 1


def free_base(base: Path, force: bool) -> Path:
    """Return the output files' name without endings, numbered if they exist; ValueError if it cannot be written."""
    endings = ("data", "initial", "param")
    if not force:
        base = next(b for b in saving.numbers(base) if not any(Path(f"{b}.{end}").exists() for end in endings))
    for ending in endings:
        output.check(Path(f"{base}.{ending}"))
    return base


def open_view(run: simsect.Setup, video: Path | None):
    """Return the view that the init file or the command line asks for, or None; no display disables the view."""
    if not (run.use_view or video):
        return None
    from tarsus.scripts.library.views.animation import View

    params = overlay("parameter", run.model.param_names, run.model.p0, run.params)
    try:
        return View(run.model, params, run.view, run.ground, simsect.SYSTEMS[run.system].half_width, video)
    except (RuntimeError, ValueError) as error:
        print(f"tarsus simsect: no view: {error}", file=sys.stderr)
        return None


def progress(model: hy.Model):
    """Return the callback that reports the run's progress."""

    def report(t: float, x: np.ndarray, d: np.ndarray, chart: int) -> None:
        print(f"t = {t:.6g} in chart {model.charts[chart] if model.charts else chart}", flush=True)

    return report
