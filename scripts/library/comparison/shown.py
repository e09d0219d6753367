"""A comparison of the two engines as tables, and as pictures: the body with the error below, and every foot's force."""

import base64
import html
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.comparison.compare import BODY, ENGINES, SMOOTH, Comparison, forces, smoothed
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.records import stances, summary
from tarsus.scripts.library.records.record import layout_of
from tarsus.scripts.library.records.stances import DEBOUNCE

BUDGET_WORDS = {
    "motor_work": "work of the motors",
    "damper_loss": "taken by the dampers",
    "contact_loss": "taken by the ground: sliding and impacts",
    "energy": "gain of mechanical energy",
    "rest": "not accounted for: gain and losses minus work",
}
ROUNDING = 1e-12  # errors up to this are left out: of what a machine cannot do
SCALES = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "m/s": (1e3, "mm/s")}


class Section(NamedTuple):
    """A table of the page."""

    title: str
    text: str
    head: list[str]
    rows: list[list[str]]


def tables(shown: list[Section]) -> str:
    """Return the tables in Markdown, under headings of the second level."""
    parts = []
    for section in shown:
        parts += [f"## {section.title}", section.text, markdown_table(section.head, section.rows)]
    return "\n\n".join(parts)


def markdown(title: str, facts: list[str], shown: list[Section], pictures: dict[str, Path]) -> str:
    """Return the page in Markdown; pictures are linked by their file's name."""
    parts = [f"# {title}", "\n".join(f"* {fact}" for fact in facts), tables(shown)]
    parts += [f"![{name}]({path.name})" for name, path in pictures.items()]
    return "\n\n".join(parts) + "\n"


def sections(comparison: Comparison) -> list[Section]:
    over = comparison.window
    strides = f"the {over.n_strides} strides from {over.start:g} to {over.stop:g} s"
    shown = [_body(comparison, strides), _forces(comparison), _contacts(comparison, strides)]
    return shown + ([_energy(comparison, strides)] if len(comparison.budget) == len(ENGINES) else [])


def _body(comparison: Comparison, strides: str) -> Section:
    rows = [["mean speed, MuJoCo over exact", "", f"{comparison.speed_ratio:.5f}"]]
    rows += [[f"mean speed, {name} [m/s]", "", f"{comparison.speed[name]:.5f}"] for name in ENGINES]
    for name, (unit, _) in BODY.items():
        if max(comparison.body_first[name], comparison.body[name]) <= ROUNDING:
            continue
        scale, shown = SCALES[unit]
        first, steady = (scale * errors[name] for errors in (comparison.body_first, comparison.body))
        rows.append([f"{name} [{shown}]", f"{first:.3g}", f"{steady:.3g}"])
    text = f"Root mean square error over the first second and over {strides}. Position and heading drift."
    return Section("The body", text, ["", "first second", "steady"], rows)


def _forces(comparison: Comparison) -> Section:
    names = ("normal", "normal_smooth", "tangential", "tangential_smooth", "load")
    columns = [getattr(comparison, name) for name in names]
    rows = [[foot, *(f"{column[leg]:.3f}" for column in columns)] for leg, foot in enumerate(comparison.feet)]
    rows.append(["all", *(f"{np.sqrt(np.mean(column**2)):.3f}" for column in columns)])
    smooth = f"{1e3 * SMOOTH:g} ms mean"
    head = ["leg", "normal", f"normal, {smooth}", "tangential", f"tangential, {smooth}", "normal force itself (RMS)"]
    text = (
        "Root mean square error of the ground reaction force on each foot [N], steady, and the exact normal force "
        "itself."
    )
    if comparison.vertical:
        means = "The mean vertical force on all feet is {exact:.4g} N exact and {mujoco:.4g} N in MuJoCo."
        text += f" Means include the impulses of impacts. {means.format(**comparison.vertical)}"
    return Section("Forces on the feet", text, head, rows)


def _contacts(comparison: Comparison, strides: str) -> Section:
    rows = []
    for foot, match in zip(comparison.feet, comparison.stances, strict=True):
        times = [_spread(errors) for errors in (match.touchdown_error, match.liftoff_error)]
        rows.append([foot, str(len(match.touchdown_error)), *times, str(match.missed), str(match.extra)])
    text = (
        f"Times of MuJoCo's touchdowns and lift-offs minus the exact ones, over {strides}: mean and, in brackets, "
        "largest [ms]. Contact flickers in some settings of MuJoCo: gaps shorter than "
        f"{1e3 * DEBOUNCE:g} ms count as contact, and contacts shorter than that do not count."
    )
    head = ["leg", "touchdowns", "touchdown [ms]", "lift-off [ms]", "missed", "extra"]
    return Section("Touchdown and lift-off", text, head, rows)


def _spread(errors: np.ndarray) -> str:
    if not len(errors):
        return "-"
    return f"{1e3 * errors.mean():+.2f} ({1e3 * np.abs(errors).max():.2f})"


def _energy(comparison: Comparison, strides: str) -> Section:
    rows = []
    for name, words in BUDGET_WORDS.items():
        terms = [comparison.budget[engine][name] for engine in ENGINES]
        shares = [100 * terms[k] / comparison.budget[engine]["motor_work"] for k, engine in enumerate(ENGINES)]
        form = "{:.2e} ({:.1e} %)" if name == "rest" else "{:.4f} ({:.1f} %)"
        rows.append([words, *(form.format(term, share) for term, share in zip(terms, shares, strict=True))])
    text = (
        f"Over {strides} [J], and as a share of the motors' work. MuJoCo's terms are sampled at its steps. If the "
        "steps are long for the motion of a toe, the sampled forces differ from those the integrator applied; the "
        "energy not accounted for says by how much."
    )
    return Section("Energy", text, ["", *ENGINES], rows)


STYLES = {"exact": dict(lw=4.0), "mujoco": dict(lw=1.1)}  # where they agree the one is a line inside the other
COLORS = {"exact": "#9ecae1", "mujoco": "#d95f02"}
LABELS = {"exact": "exact", "mujoco": "MuJoCo"}
SHOWN = {"m": (1e3, "mm"), "rad": (1e3, "mrad"), "m/s": (1.0, "m/s")}


def draw_body(exact: Run, mujoco: Run, comparison: Comparison):
    """Return the figure of what the body does, a row a quantity: both engines left, their difference right."""
    from matplotlib.figure import Figure

    names = layout_of(exact.record.attrs["robot"]).shown
    figure = Figure(figsize=(13, 2.2 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), 2, sharex="col")
    n = min(trial.record.sizes["time"] for trial in (exact, mujoco))
    records = {"exact": exact.record.isel(time=slice(n)), "mujoco": mujoco.record.isel(time=slice(n))}
    time = records["exact"]["time"].values
    for (left, right), name in zip(axes, names, strict=True):
        unit, read = BODY[name]
        scale, shown = SHOWN[unit]
        values = {engine: scale * read(record) for engine, record in records.items()}
        for engine in ENGINES:
            left.plot(time, values[engine], color=COLORS[engine], label=LABELS[engine], **STYLES[engine])
        right.plot(time, values["mujoco"] - values["exact"], color="0.2", lw=0.8)
        right.axvspan(comparison.window.start, comparison.window.stop, color="0.93", lw=0)
        left.set(ylabel=f"{name} [{shown}]", xlim=(time[0], time[-1]))
        right.set(xlim=(time[0], time[-1]))
    axes[0, 0].legend(loc="upper right", fontsize=8)
    axes[0, 1].set_title("MuJoCo minus exact; grey: where errors are taken", fontsize=10)
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    return figure


def draw_feet(exact: Run, mujoco: Run, comparison: Comparison):
    """Return the figure of the last stride: each foot's normal force, raw and smoothed, above its stances."""
    from matplotlib.figure import Figure

    over = comparison.window
    start, stop = over.stop - over.period, over.stop
    n_legs = len(exact.stances)
    figure = Figure(figsize=(13, 1.0 + 1.7 * n_legs), layout="constrained")
    axes = np.atleast_1d(figure.subplots(n_legs, 1, sharex=True, sharey=True))
    raw = [forces(trial.record, trial.record["foot_force"].values)[0] for trial in (exact, mujoco)]
    top = max(1.15 * max(np.percentile(normal, 99.5) for normal in raw), 1.0)
    for engine, trial, normal in zip(ENGINES, (exact, mujoco), raw, strict=True):
        time = trial.record["time"].values
        rows = (time >= start) & (time <= stop)
        smooth = smoothed(forces(trial.record, summary.foot_force(trial.record))[0], time[1] - time[0])
        base = -0.05 * top if engine == "exact" else -0.1 * top
        for leg, axis in enumerate(axes):
            axis.plot(time[rows], normal[rows, leg], color=COLORS[engine], lw=0.5, alpha=0.5)
            axis.plot(time[rows], smooth[rows, leg], color=COLORS[engine], label=LABELS[engine], **STYLES[engine])
            for begin, end in np.clip(stances.debounce(trial.stances[leg]), start, stop):
                axis.plot([begin, end], [base, base], color=COLORS[engine], lw=4, solid_capstyle="butt")
    for leg, axis in enumerate(axes):
        axis.set(ylabel=f"foot {comparison.feet[leg]} [N]", xlim=(start, stop), ylim=(-0.15 * top, top))
    axes[0].legend(loc="upper right", fontsize=8)
    axes[0].set_title("normal force on each foot, thin: raw, thick: 20 ms mean; bars: stances", fontsize=10)
    axes[-1].set_xlabel("time [s]")
    return figure


STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
    "td,th{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
    "img{max-width:100%}"
)


def page(title: str, facts: list[str], shown: list[Section], pictures: dict[str, Path]) -> str:
    """Return the page as HTML that needs no other file."""
    listed = "".join(f"<li>{html.escape(fact)}</li>" for fact in facts)
    parts = [f"<h1>{html.escape(title)}</h1><ul>{listed}</ul>"]
    for section in shown:
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in section.head)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in section.rows)
        parts += [f"<h2>{html.escape(section.title)}</h2>", f"<p>{html.escape(section.text)}</p>"]
        parts.append(f"<table><tr>{head}</tr>{body}</table>")
    for name, path in pictures.items():
        data = base64.b64encode(path.read_bytes()).decode()
        parts.append(f'<p><img alt="{html.escape(name)}" src="data:image/png;base64,{data}"></p>')
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(parts)}</body></html>\n"
