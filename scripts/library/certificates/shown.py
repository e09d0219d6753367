"""A certificate for people: a table, a picture, and a page that needs no other file."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tarsus.scripts.command import output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.certificates.certificate import (
    DRIFT,
    FALL,
    HOLD,
    HOLDS,
    LEAN,
    LEANS,
    UNKNOWN,
    Certificate,
    Change,
    Finding,
)
from tarsus.scripts.library.certificates.divergence import CAUSES, DISTANCE
from tarsus.scripts.library.certificates.replay import Track
from tarsus.scripts.library.certificates.settings import BASE, ITSELF, ROBOT
from tarsus.scripts.library.comparison import shown
from tarsus.scripts.library.comparison.shown import Section

HEAD = ("setting", "speed [m/s]", "", "return", "", "CoT", "falls", "parts at [s]", "first differs", "verdict")
COLORS = {HOLD: "#2a7f3f", UNKNOWN: "0.5", FALL: "#5b3fa0", DRIFT: "#d98c00", LEAN: "#b3202a", "": "0.7"}


def cells(certificate: Certificate, row: Finding) -> list[str]:
    if row.left_out:
        return [row.setting, *["-"] * (len(HEAD) - 2), "left out"]
    time, _ = row.divergence
    fell = sum(bool(episode.ending) for episode in row.episodes)
    cost = row.mean("cost_of_transport")
    return [
        row.setting,
        f"{row.mean('speed'):.3f}",
        _change(row.speed),
        f"{row.mean('total'):.4g}",
        _change(row.total),
        "-" if np.isnan(cost) else f"{cost:.2f}",
        f"{fell} of {len(row.episodes)}",
        "-" if np.isinf(time) else f"{time:.2f}",
        certificate.cause(row) or "-",
        "-" if row.setting == BASE else row.verdict or "-",
    ]


def _change(change: Change | None) -> str:
    return "-" if change is None else f"{100 * change.value:+.0f} ± {100 * change.error:.0f} %"


def facts(certificate: Certificate) -> list[str]:
    options = ", ".join(f"{name}={value}" for name, value in certificate.options.items())
    fell, n = certificate.falls
    found = [
        f"verdict: {certificate.verdict} ({certificate.reason})",
        *([f"falls by itself in {fell} of {n} episodes in `{BASE}`"] if fell and certificate.verdict != FALL else []),
        *([f"in every row differs first: {certificate.everywhere}"] if certificate.everywhere else []),
        f"{certificate.environment} {options}".strip(),
        *certificate.lines,
        f"seeds {', '.join(map(str, certificate.seeds))}; changes are relative to `{BASE}`, with their standard errors",
        *(f"{row.setting} is left out: {row.left_out}" for row in certificate.rows if row.left_out),
    ]
    return [*found, f"{certificate.date}; {certificate.versions}; {certificate.computer}"]


def text(certificate: Certificate) -> str:
    rows = [cells(certificate, row) for row in certificate.rows]
    return "\n".join([stamp.markdown_table(HEAD, rows), *facts(certificate)])


def sections(certificate: Certificate) -> list[Section]:
    rows = [cells(certificate, row) for row in certificate.rows]
    what = f"Trajectories part where the bodies are {DISTANCE:g} of their height apart."
    seen = sorted({episode.cause for row in certificate.rows for episode in row.episodes} & set(CAUSES))
    changed = [[row.setting, row.options or "-", f"{row.cpu:.2f}"] for row in certificate.rows]
    limits = [[name, f"{value:g}"] for name, value in certificate.thresholds.items()]
    return [
        Section("Settings", what, list(HEAD), rows),
        Section("What differs first", "", ["cause", "meaning"], [[cause, CAUSES[cause]] for cause in seen]),
        Section("Options", "", ["setting", "options", "processor time [s]"], changed),
        Section("Thresholds", "", ["threshold", "value"], limits),
    ]


def html(certificate: Certificate, picture: Path) -> str:
    title = f"{output.called(certificate.policy)}: {certificate.verdict}"
    return shown.page(title, facts(certificate), sections(certificate), {"settings": picture})


def draw(certificate: Certificate, tracks: Mapping[str, list[Track]]):
    """Return the figure: changes of speed and return on the left, how far the first episodes part on the right."""
    from matplotlib.figure import Figure

    rows = [row for row in certificate.rows if (row.verdict or row.kind == ITSELF) and row.setting != BASE]
    height = 1.5 + 0.4 * len(rows)
    figure = Figure(figsize=(12, height))
    left, right = figure.subplots(1, 2)  # an automatic layout takes longer than an episode in the exact engine
    figure.subplots_adjust(left=0.14, right=0.99, wspace=0.17, bottom=0.6 / height, top=1 - 0.4 / height)
    left.axvspan(-100 * HOLDS, 100 * HOLDS, color="0.9", lw=0)
    left.axvline(-100 * LEANS, color=COLORS[LEAN], lw=0.8, ls="--")
    for k, row in enumerate(rows):
        for change, marker, shift in ((row.speed, "o", -0.12), (row.total, "s", 0.12)):
            if change:
                left.errorbar(
                    100 * change.value, k + shift, xerr=100 * change.error, fmt=marker, color=COLORS[row.verdict], ms=5
                )
        if row.setting in tracks:
            right.semilogy(
                *_apart(tracks[BASE][0], tracks[row.setting][0]), lw=1, ls="--" if row.kind == ROBOT else "-"
            )
    left.set(
        yticks=range(len(rows)),
        yticklabels=[row.setting for row in rows],
        xlabel=f"change from {BASE} [%]: speed (dot), return (square); band: holds, line: leans",
        title=f"{output.called(certificate.policy)}: {certificate.verdict}",
    )
    left.invert_yaxis()
    right.axhline(DISTANCE, color="0.5", lw=0.8)
    right.set(
        xlabel="time [s], of the first seed; they have parted above the line",
        ylabel="apart [height of the body]",
        ylim=(1e-4, None),
    )
    right.legend([row.setting for row in rows if row.setting in tracks], fontsize=7)
    return figure


def _apart(base: Track, other: Track) -> tuple[np.ndarray, np.ndarray]:
    n = min(len(base.down), len(other.down))
    apart = np.linalg.norm(base.position[:n] - other.position[:n], axis=-1) / base.position[0, 2]
    return (np.arange(n) + 1) * base.ctrl_dt, np.maximum(apart, 1e-6)
