"""The cases of the contact suite: a sentence for each, and for the built site its sketch, answers and their sources.

Usage: tarsus page contact_cases [--write]. Seconds. All of it is read from the cases' files.

The document holds the sentences. What else there is to say of a case takes a page each, which nobody reads in a row:
`docs/site_sections.py` puts it into the site, where the search finds it, and the case's file has it too.
"""

from __future__ import annotations

from functools import partial

from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import stamp
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import score

PLACE = Place("contact_cases.md", "cases")
PACKAGES = ("numpy",)
PICTURES = "figures/contact_cases"
HEAD = ("measurement", "of", "answer", "bound", "tolerance", "scale", "unit")


def tables() -> Page:
    """Return a table of the cases of every phenomenon, and the sketches."""
    known = {name: cases.load(name) for name in cases.ids()}
    files = {f"{PICTURES}/{name}.png": partial(_sketch, case) for name, case in known.items()}
    listed = [
        Table(
            ("case", "what happens"),
            [(f"`{name}`", sentence(case)) for name, case in known.items() if case["phenomenon"] == of],
            f"## {of.capitalize()}",
        )
        for of in score.PHENOMENA
    ]
    return Page(f"{len(known)} cases.", *listed, files=files)


def _sketch(case: cases.Case):
    from tarsus.scripts.laboratory.pages import sketch

    return sketch.draw(case)


def sentence(case: cases.Case) -> str:
    """Return a case's title and the first sentence on it."""
    first = case["what"].partition(". ")[0]
    return f"**{case['title']}.** {first.rstrip('.')}."


def section(case: cases.Case) -> str:
    """Return the site's section on a case."""
    name, provenance = case["id"], case["provenance"]
    rows = [[row["name"], _of(row), _number(row["answer"]), f"{row['bound']:.1g}", f"{row['tolerance']:.2g}",
             f"{row['scale']:.3g}", row["unit"]] for row in case["measurements"]]  # fmt: skip
    convex = [_number(row["convex"]) for row in case["measurements"] if "convex" in row]
    parts = [
        f"### {name}",
        f"**{case['title']}** (number {case['number']}, version {case['version']}). {case['what']}",
        f"![{case['title']}]({PICTURES}/{name}.png)",
        stamp.markdown_table(HEAD, rows),
    ]
    if convex:
        parts.append(f"*By the convex law*, not scored: {', '.join(convex)}, in this order.")
    if "convention" in case:
        parts.append(f"*Convention:* {case['convention']}")
    parts.append(f"*Answer ({provenance['kind']}):* {provenance['derivation']}")
    parts.append(f"*Checked:* {provenance['checked']}")
    if sources := provenance.get("sources"):
        parts.append(f"*Sources:* {'; '.join(sources)}.")
    return "\n\n".join(parts)


def _of(measurement: dict) -> str:
    """Return in words what is measured."""
    reduction = next(name for name in cases.REDUCTIONS if name in measurement)
    when = measurement[reduction]
    if reduction == "crossing":
        said = f"time at which it crosses {when['level']:g}"
    elif isinstance(when, list):
        said = f"{reduction}, {when[0]:.4g} to {when[1]:.4g} s"
    else:
        said = f"at {when:.4g} s"
    along = measurement.get("along")
    direction = f" along ({', '.join(f'{x:.3g}' for x in along)})" if along else ""
    return f"`{measurement['of']}`: {measurement['quantity'].replace('_', ' ')}{direction}, {said}"


def _number(value: float) -> str:
    """Return a number with twelve digits, or fewer where these say it all."""
    return f"{value:.12g}"
