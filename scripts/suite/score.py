"""What results of the suite say: the error of a case, cells of tables, and error over cost by phenomenon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from tarsus.scripts.suite.case import Case

WORDS = {"cannot": "cannot", "diverged": "diverged", "slow": "too slow", "crashed": "crashed"}
PHENOMENA = ("statics", "sliding", "impact", "hard", "legged")


def error(result: Mapping) -> float:
    """Return the largest error of a case over the case's scales; infinite where the run does not show a number.

    NaN where there is none: the engine cannot represent the case, or the case measures nothing.
    """
    if result["status"] != "ran":
        return math.nan if result["status"] == "cannot" else math.inf
    shown = [row for row in result["measurements"] if row["passed"] is not None]
    return max((math.inf if row["error"] is None else row["error"] for row in shown), default=math.nan)


def cell(result: Mapping) -> str:
    """Return a case's error in percent, in brackets where it is beyond the tolerance, or why there is none."""
    if result["status"] != "ran":
        return WORDS[result["status"]]
    worst = error(result)
    said = f"{100 * worst:.2g}" if math.isfinite(worst) else "none"
    return said if result["passed"] else f"({said})"


def rows(results: Mapping[str, Mapping[str, Mapping]]) -> list[list[str]]:
    """Return a row of cells for every case, a column for every setting, and a last row that counts."""
    names = next(iter(results.values())) if results else ()
    table = [[name, *(cell(found[name]) for found in results.values())] for name in names]
    return [*table, ["passed", *(passed(found.values()) for found in results.values())]]


def passed(results: Iterable[Mapping]) -> str:
    """Return the number of cases passed of those that the engine can represent."""
    tried = [result for result in results if result["status"] != "cannot"]
    return f"{sum(result.get('passed', False) for result in tried)} of {len(tried)}"


def cost(results: Iterable[Mapping]) -> float:
    """Return the median of processor time over simulated time of the cases that ran, NaN of none."""
    costs = [result["cost"] for result in results if "cost" in result]
    return float(np.median(costs)) if costs else math.nan


def summary(results: Mapping[str, Mapping], cases: Mapping[str, Case], phenomenon: str | None = None) -> dict:
    """Return a setting's point of the front of errors over costs: medians over the cases that ran.

    Args:
        results: Of one setting, by case.
        cases: By id.
        phenomenon: Only cases of it, or all.

    Returns:
        `error`, the median of the cases' errors (a run that diverged or crashed counts as infinite); `cost`, the median
        of processor time over simulated time; `passed` and `tried`, numbers of cases.
    """
    chosen = [found for name, found in results.items() if phenomenon in (None, cases[name]["phenomenon"])]
    tried = [found for found in chosen if found["status"] != "cannot"]
    return {
        "error": float(np.median([error(found) for found in tried])) if tried else math.nan,
        "cost": cost(tried),
        "passed": sum(found.get("passed", False) for found in tried),
        "tried": len(tried),
    }


def reasons(results: Mapping[str, Mapping[str, Mapping]]) -> list[str]:
    """Return a line for every reason why cases have no number, with the cases and settings that share it."""
    found: dict[tuple[str, str], list[str]] = {}
    for setting, by_case in results.items():
        for name, result in by_case.items():
            if result["status"] != "ran":
                found.setdefault((name, f"{WORDS[result['status']]}: {result['why']}"), []).append(setting)
    shared: dict[str, list[str]] = {}
    for (name, why), settings in found.items():
        of = "" if len(settings) == len(results) else f" ({', '.join(settings)})"
        shared.setdefault(f"{why}{of}", []).append(name)
    return [f"{', '.join(names)}: {why}" for why, names in shared.items()]
