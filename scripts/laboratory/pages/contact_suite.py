"""The scoreboard of the contact suite: error over cost of every engine and setting.

Usage: tarsus page contact_suite [--results FOLDER] [--write]. Seconds: it reads what `tarsus contact-suite --out`
wrote.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from tarsus.scripts.command import paths
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import score

PLACE = Place("contact_suite.md", "scoreboard")
PACKAGES = ("numpy",)
RESULTS = documents.DOCS / "data" / "contact_suite"
PICTURE = "figures/contact_suite.png"
COMPLAINTS = (  # what the threads report, the thread, and the case that shows it
    ("a box at 2.5 m/s passed as stopped", "newton 2549, 2581", "block_stops"),
    ("friction 4 to 100 times outside the cone", "newton 4010", "slope_slides"),
    ("no stiction", "newton 3943, Genesis 2872", "slope_sticks"),
    ("a sliding cube is lifted", "Genesis 3126", "block_stops"),
    ("objects creep on slopes", "mujoco 2630, 1743, 3328", "slope_creep"),
    ("pyramids instead of cones", "MuJoCo's documentation", "cone_or_pyramid"),
)
REASONS = {  # what was found out about some failures, by engine and case
    ("mujoco", "slope_creep"): "friction is soft, and a contact that holds creeps in proportion to its load",
    ("mujoco", "block_stops"): "the faster a body slides, the higher a stiff contact lifts it",
    ("mujoco", "cradle_touching"): "springs in a row share an impact, unlike the convention's impulses",
    ("mujoco", "point_lands_sliding"): "friction is convex: what slides is thrown up at mu times its slip",
    ("mujoco_warp", "point_lands_sliding"): "as MuJoCo",
    ("drake", "belt_reverses"): "`lagged` takes the load of the step before, so forces leave the cone when it changes",
    ("drake", "resting_spheres"): "a contact has one stiffness, for a gram as for a ton",
    ("dart", "painleve_below"): "`nsgs` passes",
    ("dart", "painleve_jam"): "`nsgs` passes",
    ("pybullet", "ball_bounces"): "a body is braked within a step before it touches, and bounces 2 to 6 % too fast",
    ("pybullet", "swept_foot"): "friction along a direction that a joint blocks uses up the cone",
}
LANDINGS = {"point_lands_sliding": (0, 1), "rod_lands_sliding": (1, 4), "box_lands_sliding": (0, 1)}  # measurements
HEAD = ("engine", "setting", "passed", "median error [%]", "cost")
Known = Mapping[str, cases.Case]


def tables(results: Annotated[Path, paths.folder] = RESULTS) -> Page:
    """Return the scoreboard and its picture.

    Args:
        results: Folder with a file of every engine.
    """
    known = {name: cases.load(name) for name in cases.ids()}
    made = read(results)
    best = [(one, best_setting(one, known)) for one in made]
    return Page(
        versions(made),
        Table(HEAD, [row for one in made for row in rows(one, known)], "### Settings"),
        "The error is relative to the cases' scales; cost is the median of processor time over simulated time.",
        f"![Error over cost, by phenomenon]({PICTURE})",
        complaints(made, best),
        laws(made, best, known),
        "Velocities after a landing with slip. A convex law of friction throws up what slides, at mu times its slip; "
        "[what that does to a walk](convex_contact.md). A bounce adds to it.",
        "### Failures that were explained",
        "\n".join(f"* {failures(one, setting, known)}" for one, setting in best),
        Table(
            ("case", *(f"{one['name']}, {setting}" for one, setting in best)),
            [[link(name), *(score.cell(one["results"][setting][name]) for one, setting in best)] for name in known],
            "### Every case, each engine in the setting that passes most",
        ),
        "Largest error of the case's measurements over their scales [%]; in brackets where it is beyond the tolerance. "
        "`docs/data/contact_suite` has every measurement.",
        "### What has no number",
        "\n".join(f"* {one['name']}: {reason}" for one in made for reason in score.reasons(one["results"])),
        files={PICTURE: lambda: draw(made, known)},
    )


def complaints(made: list[dict], best: list[tuple[Mapping, str]]) -> Table:
    """Return the complaints of users, each with whether it is seen here."""
    chosen = [(one, next(iter(one["results"]))) for one in made]
    columns = [pair for pairs in zip(chosen, best, strict=True) for pair in pairs]
    rows = [
        (what, thread, link(name), *(score.cell(one["results"][setting][name]) for one, setting in columns))
        for what, thread, name in COMPLAINTS
    ]
    head = ("complaint", "thread", "case", *(f"{one['name']}, {setting}" for one, setting in columns))
    return Table(head, rows, "### Known complaints")


def laws(made: list[dict], best: list[tuple[Mapping, str]], known: Known) -> Table:
    """Return the velocities after landings with slip by Coulomb's law, by the convex one, and in the engines."""
    chosen = {}
    for one, setting in [*((one, next(iter(one["results"]))) for one in made), *best]:
        chosen[f"{one['name']}, {setting}"] = one["results"][setting]
    columns = [(name, k) for name, ks in LANDINGS.items() for k in ks]
    of = [known[name]["measurements"][k] for name, k in columns]
    head = (
        "",
        *(f"{known[name]['bodies'][0]['name'][:-2]}: {m['name']}" for (name, _), m in zip(columns, of, strict=True)),
    )
    rows = [("Coulomb", *(f"{m['answer']:.3f}" for m in of)), ("convex", *(f"{m['convex']:.3f}" for m in of))]
    for name, results in sorted(chosen.items()):
        ran = [results[case].get("measurements", ()) for case, _ in columns]
        cells = (f"{found[k]['value']:.3f}" if found else "-" for found, (_, k) in zip(ran, columns, strict=True))
        rows.append((name, *cells))
    return Table(head, rows, "### Which law of friction, at a landing with slip [m/s]")


def read(folder: Path) -> list[dict]:
    """Return the results in a folder, our own engine of comparison first.

    Raises:
        ValueError: If there are none, or a file holds other cases or versions of cases than there are now.
    """
    made = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    made = [one for one in made if one["results"]]
    if not made:
        raise ValueError(f"there are no results in {folder}; `tarsus contact-suite --out FOLDER` writes them")
    versions = {name: cases.load(name)["version"] for name in cases.ids()}
    for one in made:
        for setting, found in one["results"].items():
            if {name: result["version"] for name, result in found.items()} != versions:
                raise ValueError(f"the results of {one['engine']}, {setting} are of other cases or versions of cases")
    return sorted(made, key=lambda one: (one["engine"] != "mujoco", one["engine"]))


def versions(made: list[dict]) -> str:
    """Return engines, versions, computers and dates in words."""
    of = {f"{one['computer']}, {one['date']}": [] for one in made}
    for one in made:
        of[f"{one['computer']}, {one['date']}"].append(f"{one['name']} {one['version']}")
    for one in made:
        for part in one.get("later", ()):
            names = of.setdefault(f"{part['computer']}, {part['date']}", [])
            names.extend(link(name) for name in part["cases"] if link(name) not in names)
    return " ".join(f"{', '.join(names)}: run on {where}." for where, names in of.items())


def link(name: str) -> str:
    """Return a case's name, which the site makes a link to its section."""
    return f"`{name}`"


def rows(one: Mapping, known: Known) -> list[list[str]]:
    """Return a row for every setting of an engine."""
    table = []
    for setting, found in one["results"].items():
        whole = score.summary(found, known)
        counts = f"{whole['passed']} of {whole['tried']}"
        table.append([one["name"], setting, counts, percent(whole["error"]), f"{whole['cost']:.2g}"])
    return table


def percent(error: float) -> str:
    """Return an error in percent; a run that shows no number has an infinite one."""
    return "none" if not math.isfinite(error) else f"{100 * error:.2g}"


def best_setting(one: Mapping, known: Known) -> str:
    """Return the setting of an engine that passes most cases, the cheaper of two alike."""
    of = {setting: score.summary(found, known) for setting, found in one["results"].items()}
    return max(of, key=lambda setting: (of[setting]["passed"], -of[setting]["cost"]))


def failures(one: Mapping, setting: str, known: Known) -> str:
    """Return a sentence about what an engine gets wrong and why, with the measurement that is most tolerances off."""
    said = []
    for name, result in one["results"][setting].items():
        reason = REASONS.get((one["engine"], name), "")
        if result["status"] in ("diverged", "slow", "crashed"):
            said.append(f"{link(name)} ({score.WORDS[result['status']]})")
        elif result["status"] == "ran" and not result["passed"] and reason:
            said.append(f"{link(name)} ({worst(result, known[name])}: {reason})")
    whole = score.summary(one["results"][setting], known)
    words = "; ".join([f"{whole['passed']} of {whole['tried']} passed", *said])
    return f"**{one['name']}**, {setting}: {words}."


def worst(result: Mapping, case: cases.Case) -> str:
    """Return in words the measurement that is most tolerances off."""

    def off(pair: tuple) -> float:
        row, measurement = pair
        if row["passed"] is None:  # the engine cannot show it
            return -math.inf
        return math.inf if row["error"] is None else row["error"] * measurement["scale"] / measurement["tolerance"]

    row, measurement = max(zip(result["measurements"], case["measurements"], strict=True), key=off)
    value = "no number" if row["value"] is None else f"{row['value']:.3g}"
    return f"{row['name']} {value} instead of {measurement['answer']:.3g} {measurement['unit']}"


def draw(made: list[dict], known: Known):
    """Draw the median error of every setting over its cost, by phenomenon, with the front of each engine."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(11, 6.4), layout="constrained", sharex=True)
    for axis, phenomenon in zip(axes.flat, (*score.PHENOMENA, None), strict=True):
        for index, one in enumerate(made):
            found = {name: score.summary(cases_, known, phenomenon) for name, cases_ in one["results"].items()}
            points = {name: (part["cost"], 100 * part["error"]) for name, part in found.items() if part["tried"]}
            best = [points[name] for name in front(points)]
            axis.plot(*zip(*points.values(), strict=True), "o", color=f"C{index}", ms=4, alpha=0.5)
            if best:
                axis.plot(*zip(*best, strict=True), "o-", color=f"C{index}", ms=5, lw=1.2, label=one["name"])
        axis.set(xscale="log", yscale="log", title=phenomenon or "all")
        axis.grid(alpha=0.3)
    for axis in axes[:, 0]:
        axis.set_ylabel("median error over the cases' scales [%]")
    for axis in axes[1]:
        axis.set_xlabel("processor time over simulated time")
    handles, names = axes.flat[-1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    return figure


def front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names of the points (cost, error) that no other beats in both, from the cheapest on."""
    ordered = sorted((cost, error, name) for name, (cost, error) in points.items() if math.isfinite(cost + error))
    best, found = math.inf, []
    for _, miss, name in ordered:
        if miss < best:
            best = miss
            found.append(name)
    return found
