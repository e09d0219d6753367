"""How stable are the shipped gaits? A row of `tarsus stability` for each policy and engine whose result is stored.

Usage: tarsus page stability [--policies POLICY ...] [--engine exact] [--write]. An environment and options follow a
policy's name, as in clock@Dog-v0@baseline_period=0.38.
Runtime: up to ten minutes of one core for a policy whose result is not stored yet in docs/data/stability; without
`--policies` nothing is computed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from tarsus.analytic import saving
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.learning import loading
from tarsus.scripts.library.learning import policies as known
from tarsus.scripts.library.stability import asking, gaits, shown, single
from tarsus.scripts.library.stability.result import Stability
from tarsus.scripts.library.stability.verdict import Kind

PLACE = Place("policies.md", "stability")
PACKAGES = single.PACKAGES
STORED = Path(__file__).parents[3] / "docs" / "data" / "stability"
KEPT = ("name", "rate", "predicted_rate", "agrees", "forgotten")  # of a decay; runs of it are not stored


def name_of(policy: str, engine: str) -> str:
    """Return the name of the file of a result."""
    return f"{policy}-{engine}.json"


def asked_for(policy: str) -> tuple[str, str | None, dict[str, float]]:
    """Return policy, environment and options of POLICY, POLICY@ENVIRONMENT or POLICY@ENVIRONMENT@OPTION=NUMBER.

    By default the environment is the first that has a hand-made policy of that name, None for a trained one.
    """
    name, *more = policy.split("@")
    environment, *options = more or [""]
    found = (one for one, policies in known.POLICIES.items() if name in policies and one != "*")
    pairs = (option.split("=") for option in options)
    return name, environment or next(found, None), {option: float(number) for option, number in pairs}


def result_of(policy: str, engine: str, stored: Path = STORED) -> Stability:
    """Return the result on a policy, as it was found before if it was; a new one joins those."""
    path = stored / name_of(policy, engine)
    if path.exists():
        return Stability.read(path)
    parts = stored / f"{path.stem}.parts"
    found = asking.stability(*asked_for(policy), engine=engine, store=parts)
    slim = tuple({name: one[name] for name in KEPT if name in one} for one in found.decays)
    saving.write_text(path, replace(found, decays=slim).as_json() + "\n")
    shutil.rmtree(parts, ignore_errors=True)
    return found


def check(policies: tuple[str, ...], **_) -> None:
    """Refuse policies that there are not.

    Raises:
        ValueError: If there is one.
    """
    for policy in policies:
        if policy not in gaits.MODELS:
            loading.load(*asked_for(policy))


def tables(policies: tuple[str, ...] = (), engine: Literal["mujoco", "exact"] = "mujoco") -> Page:
    """Return the table.

    Args:
        policies: Whose results are found if they are not stored.
        engine: In which.
    """
    for policy in policies:
        result_of(policy, engine)
    results = {path.stem: Stability.read(path) for path in sorted(STORED.glob("*.json"))}
    rows = [
        [name.rpartition("-")[0], *shown.cells(one)[1:], _percent(one.decay_error)] for name, one in results.items()
    ]
    doubts = [f"* `{name.rpartition('-')[0]}`, {line}" for name, one in results.items() for line in doubts_of(one)]
    return Page(Table((*shown.HEAD, "decay off by"), rows), "Why starts are not determined:", "\n".join(doubts))


def doubts_of(found: Stability) -> Iterator[str]:
    """Yield why each start is not determined that is not, the first sentence."""
    for one in found.starts or (vars(found),):
        if one["verdict"] == Kind.NOT_DETERMINED.value:
            yield f"seed {one['seed']}: {re.split(r'[;.] ', one['reason'])[0].removesuffix('.')}."


def _percent(part: float | None) -> str:
    return "-" if part is None else f"{100.0 * part:.2g} %"
