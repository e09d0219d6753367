"""Results of `tarsus stability` for people: a text, a table of several, and the picture."""

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tarsus.scripts.command import output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.stability import result, surviving
from tarsus.scripts.library.stability.cycle import REPEATS
from tarsus.scripts.library.stability.result import Interval, Stability

HEAD = (
    *("policy", "engine", "verdict", "starts", "largest multiplier", "observed", "period [s]", "halves in [s]"),
    *("speed [m/s]", "pushes [m/s]", "runs part [1/s]"),
)
COLOURS = {"stable": "#2a7f3f", "unstable": "#b3202a", "neutral": "#1f5fa8"}
OTHER = "0.4"  # colour of the other verdicts
LINE = 0.16  # height of a line of the verdict [in]


def cells(found: Stability) -> list[str]:
    """Return a row of the table."""
    words = output.called(found.policy), found.engine, found.verdict, result.counts(found.starts)
    ours = found.observed, found.period, found.half_life, found.speed
    told = ("-" if x is None else f"{x:.3g}" for x in ours)
    return [*words, _cell(found.largest), *told, surviving.pushes(found), _cell(found.parting)]


def _cell(found: Interval | None) -> str:
    return stamp.interval(*found) if found else "-"


def table(results: Sequence[Stability]) -> str:
    """Return results side by side, in Markdown."""
    return stamp.markdown_table(HEAD, map(cells, results))


def text(found: Stability) -> str:
    """Return one result in words."""
    lines = [found.said]
    if found.period:
        speed = "" if found.speed is None else f", at {found.speed:.3g} m/s"
        lines.append(f"it repeats after {found.period:.3g} s{speed}")
    if found.largest:
        value, low, high = found.largest
        lines.append(f"largest multiplier {value:.4g}, from {low:.4g} to {high:.4g}, most in {found.direction}")
        lines += [f"observed along it {found.observed:.4g} a stride"] if found.observed is not None else []
    if found.neutral:
        lines.append(f"symmetries taken out: {', '.join(found.neutral)}")
    if found.half_life:
        lines.append(f"a displacement halves in {found.half_life:.2g} s")
    made = f"{found.environment} in {found.engine}; {found.date}; {found.versions}; {found.computer}"
    return "\n".join([*lines, *surviving.messages(found), *found.lines, made])


def draw(found: Stability, panel: Callable[[Any], None] | None = None):
    """Return the figure: multipliers in the unit circle, decay beside its prediction, and what is survived.

    What is survived is drawn by `panel` on axes, if anything was tried.
    """
    from matplotlib.figure import Figure

    lines = textwrap.wrap(found.said, 180 if panel else 125)
    height = 4.5 + LINE * len(lines)
    figure = Figure(figsize=(13.5 if panel else 9.5, height))
    axes = figure.subplots(1, 3 if panel else 2)
    top = 1.0 - (0.65 + LINE * len(lines)) / height
    figure.subplots_adjust(left=0.075, right=0.98, wspace=0.25, bottom=0.13, top=top)
    of = f", seed {found.seed} of {len(found.starts)}" if found.starts else ""
    named = f"{output.called(found.policy)} in {found.engine}{of}"
    figure.text(0.06, 1.0 - 0.1 / height, named, fontsize=12, weight="bold", va="top")
    colour = COLOURS.get(found.verdict, OTHER)
    figure.text(0.06, 1.0 - 0.33 / height, "\n".join(lines), fontsize=9, va="top", color=colour)
    (_circle if found.multipliers else _sections)(axes[0], found)
    (_decay if found.decays else _rates)(axes[1], found)
    if panel:
        panel(axes[2])
    return figure


def _sections(axes, found: Stability) -> None:
    """Draw the distances of sections from those a period before, of what has no multipliers."""
    axes.set(title="distance of sections from those before", xlabel="section", ylabel="typical values")
    if not found.sections:
        axes.text(0.5, 0.5, "no section comes back", ha="center", va="center", transform=axes.transAxes)
        return
    axes.semilogy(range(1, len(found.sections) + 1), found.sections, "o", color=OTHER, ms=4)
    axes.axhline(REPEATS, color="0.3", lw=1.0, ls="--", label="a gait that repeats is below")
    axes.legend(fontsize=7)


def _rates(axes, found: Stability) -> None:
    """Draw the rates at which nearby runs part from each start, of what has no decays."""
    rates = {one["seed"]: one["parting"] for one in found.starts} or {found.seed: found.parting}
    axes.set(title="rate at which nearby runs part", xlabel="1/s", ylabel="seed of the start")
    if not any(rates.values()):
        axes.text(0.5, 0.5, "no displacement was followed", ha="center", va="center", transform=axes.transAxes)
        return
    axes.axvline(0.0, color="0.3", lw=1.0)
    for seed, (rate, low, high) in ((seed, rate) for seed, rate in rates.items() if rate):
        axes.plot([low, high], [seed, seed], color=OTHER, lw=2.0)
        axes.plot(rate, seed, "o", color=OTHER, ms=5)
    axes.set(yticks=list(rates), ylim=(min(rates) - 0.5, max(rates) + 0.5))


def _circle(axes, found: Stability) -> None:
    """Draw the multipliers, with the circle of the largest's interval."""
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(np.cos(angle), np.sin(angle), color="0.3", lw=1.0)
    axes.axhline(0.0, color="0.85", lw=0.8, zorder=0)
    axes.axvline(0.0, color="0.85", lw=0.8, zorder=0)
    colour = COLOURS.get(found.verdict, OTHER)
    if found.largest:
        _, low, high = found.largest
        axes.fill(*(high * np.array([np.cos(angle), np.sin(angle)])), color=colour, alpha=0.12, lw=0)
        axes.plot(low * np.cos(angle), low * np.sin(angle), color=colour, lw=0.5)
    for one in found.starts:
        if one["multipliers"]:
            axes.plot(*np.transpose(one["multipliers"]), "o", mfc="none", mec=colour, ms=5, mew=0.5, alpha=0.6)
    axes.plot(*np.transpose(found.multipliers), "o", color=colour, ms=5, mec="w", mew=0.6)
    reach = 1.1 * max(1.0, found.largest[2] if found.largest else 1.0)
    limits = {"xlim": (-reach, reach), "ylim": (-reach, reach)}
    axes.set(aspect="equal", title="multipliers of a stride", xlabel="real part", ylabel="imaginary part", **limits)


def _decay(axes, found: Stability) -> None:
    """Draw sizes of displacements over strides, as observed and as predicted."""
    shown = [one for one in found.decays if one["name"].endswith("+")]
    for k, one in enumerate(shown):
        sizes, predicted = (np.array(one[name], float) / one["observed"][0] for name in ("observed", "predicted"))
        floor = one["noise"] / one["observed"][0]
        axes.semilogy(np.arange(len(sizes)), sizes, "o", color=f"C{k}", ms=4, label=one["name"].removesuffix(" +"))
        axes.semilogy(np.arange(len(sizes)), np.maximum(predicted, 1e-18), color=f"C{k}", lw=1.0)
    axes.set(title="decay: observed (dots), predicted (lines)", xlabel="strides", ylabel="size over the first")
    largest = max(max(one["observed"]) / one["observed"][0] for one in shown)
    axes.axhspan(1e-18, max(floor, 1e-17), color="0.92", lw=0)
    axes.set_ylim(max(0.1 * floor, 1e-16), 3.0 * largest)
    axes.legend(fontsize=7)
