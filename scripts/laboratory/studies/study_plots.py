"""What pictures of studies share: logarithmic axes, maps of a grid of cells with verdicts, curves of both engines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.scripts.laboratory.studies.study import LABELS, Verdict

MARKS = {verdict: verdict.name.lower() for verdict in Verdict} | {Verdict.DIVERGES: "div."}
STYLES = ({"marker": "o", "ms": 4, "ls": "-"}, {"marker": "s", "ms": 6, "ls": "--", "mfc": "none"})  # of the engines
MOST_LABELLED = 64  # cells of a map that have room for their numbers


def plain_log(scale) -> None:
    """Label a logarithmic axis (`axis.xaxis`, `axis.yaxis`) by 1, 2, 5, 10, ... instead of by powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    scale.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    scale.set_major_formatter("{x:g}")
    scale.set_minor_formatter(NullFormatter())


def grid_map(axis, values, verdicts, rows: Sequence[float], columns: Sequence[float], form: str = "{:.2f}", **look):
    """Draw values (n_rows, n_columns) as a map with its numbers; what does not walk has its verdict instead.

    Args:
        axis: Where.
        values: What, NaN where there is none.
        verdicts: Shape of `values`.
        rows: Labels upward.
        columns: Labels to the right.
        form: Of the numbers.
        look: Passed to `imshow`.

    Returns:
        The image, for a colour bar.
    """
    walks = verdicts == Verdict.WALKS
    image = axis.imshow(np.where(walks, values, np.nan), origin="lower", aspect="auto", **look)
    axis.set_facecolor("0.85")
    if values.size <= MOST_LABELLED:
        for (i, j), value in np.ndenumerate(values):
            text = form.format(value) if walks[i, j] else MARKS[Verdict(int(verdicts[i, j]))]
            axis.text(
                j, i, text, ha="center", va="center", fontsize=9, color=_ink(image, value) if walks[i, j] else "k"
            )
    for numbers, set_ticks in ((columns, axis.set_xticks), (rows, axis.set_yticks)):
        step = max(1, len(numbers) // 8)
        set_ticks(np.arange(0, len(numbers), step), [f"{number:.3g}" for number in numbers[::step]])
    return image


def _ink(image, value: float) -> str:
    red, green, blue, _ = image.cmap(image.norm(value))
    return "k" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.45 else "w"


def curves(axis, x, values, verdicts, colour: str, name: str = "") -> None:
    """Draw values (n, n_engines) over x in both engines; a cross on the axis' floor marks what does not walk."""
    for engine, label in enumerate(LABELS):
        walks = verdicts[:, engine] == Verdict.WALKS
        axis.plot(x[walks], values[walks, engine], color=colour, label=f"{name}{label}", **STYLES[engine])
        if not walks.all():
            height = np.full(np.sum(~walks), 0.03 + 0.04 * engine)
            axis.plot(x[~walks], height, "x", color=colour, ms=6, transform=axis.get_xaxis_transform())
