"""Can you trust this policy? What the certificates of the shipped policies and of the hand-made ones say.

Usage: tarsus page trust [--policies POLICY ...] [--certificates FOLDER] [--write]. Runtime: a minute of one
core for a policy with three seeds; `--certificates` takes those that `tarsus certify NAME --out FOLDER/NAME` made, and
keeps the others there as soon as they are, so that the command goes on after Ctrl-C.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from pathlib import Path
from typing import Annotated

import joblib
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.scripts.command import paths
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.certificates import certifying, judging, settings
from tarsus.scripts.library.certificates.certificate import EVERYWHERE, HOLD, VERDICTS, Certificate, Finding
from tarsus.scripts.library.certificates.settings import BASE, BETWEEN, CONTACT, ITSELF, NUDGED, ROBOT
from tarsus.scripts.library.learning import loading
from tarsus.scripts.library.learning import policies as known

PLACE = Place("policies.md", "verdicts")
PACKAGES = judging.PACKAGES
HAND_MADE = ("clock", "Raibert", "SLIP")
NAMES = (*known.shipped(), *HAND_MADE)
HEAD = (
    "policy",
    "speed in rl [m/s]",
    "return in rl",
    "falls by itself",
    "nudged",
    "reference",
    "exact",
    "contacts",
    "robots",
    "differs first",
    "verdict",
)


def candidate_of(policy: str) -> loading.Candidate:
    """Return a policy in its own environment, the first that has one of that name."""
    where = next((name for name, found in known.POLICIES.items() if policy in found and name != "*"), None)
    return loading.load(policy, where, {})


def certificate_of(policy: str, seeds: int, n_jobs: int, made: Path | None) -> Certificate:
    """Return the certificate of a policy, as it was made before if it was; a new one joins those."""
    path = made and made / policy / "certificate.json"
    if path and path.exists():
        return Certificate.from_json(path.read_text(encoding="utf-8"))
    candidate = candidate_of(policy)
    env = certifying.check(candidate)
    with joblib.parallel_config(backend="threading"):
        found = judging.certify(candidate, env.unwrapped.config, range(seeds), None, n_jobs)[0]
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        saving.write_text(path, found.as_json() + "\n")
    return found


def row(made: Certificate) -> list[str]:
    """Return a certificate's row of the table."""
    found = {one.setting: one for one in made.rows}
    base, verdict = found[BASE], made.verdict
    return [
        f"{made.policy} ({len(made.seeds)} seeds)",
        f"{base.mean('speed'):.3g}",
        f"{base.mean('total'):.4g}",
        "{} of {}".format(*made.falls),
        *(_changes(found.get(name)) for name in (NUDGED, "reference", "exact")),
        *(_worst([one for one in made.rows if one.kind == kind and one.verdict]) for kind in (CONTACT, ROBOT)),
        causes(made) or "-",
        verdict if verdict == HOLD else f"**{verdict}**",
    ]


def run_of(policy: str) -> str:
    """Return the training run that a policy is a seed of, or the policy."""
    run, _, seed = policy.rpartition("-")
    return run if run and seed.isdigit() else policy


def group_row(made: list[Certificate]) -> list[str]:
    """Return the row of a run's seeds: ranges, the worst changes with their seed, how many have which verdict."""
    if len(made) == 1:
        return row(made[0])
    rows, found = [row(one) for one in made], [{one.setting: one for one in certificate.rows} for certificate in made]
    speeds, totals = ([one[BASE].mean(what) for one in found] for what in ("speed", "total"))
    falls = np.sum([certificate.falls for certificate in made], axis=0)
    cells = [
        f"{run_of(made[0].policy)} ({len(made)} policies, {len(made[0].seeds)} seeds each)",
        f"{min(speeds):.3g} to {max(speeds):.3g}",
        f"{min(totals):.4g} to {max(totals):.4g}",
        "{} of {}".format(*falls),
    ]
    for column in range(len(cells), HEAD.index("differs first")):
        worst = min(range(len(rows)), key=lambda k: least(rows[k][column]))
        seed = f", seed {made[worst].policy.rpartition('-')[2]}" if rows[worst][column] != "-" else ""
        cells.append(f"{rows[worst][column]}{seed}")
    cause = Counter(one[HEAD.index("differs first")] for one in rows).most_common(1)[0][0]
    counts = Counter(certificate.verdict for certificate in made)
    said = (f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return [*cells, cause, ", ".join(said)]


def least(cell: str) -> float:
    """Return the least change that a cell names [%], nothing where it names none."""
    return min(map(float, re.findall(r"[+-]\d+", cell.partition("%")[0])), default=math.inf)


def _changes(one: Finding | None) -> str:
    if one is None or one.left_out:
        return "-"
    said = [f"{100 * change.value:+.0f}" for change in (one.speed, one.total) if change]
    fell = sum(bool(episode.ending) for episode in one.episodes)
    return ", ".join(said) + " %" + (f", {fell} fell" if fell else "")


def _worst(rows: list[Finding]) -> str:
    if not rows:
        return "-"
    worst = min(rows, key=lambda one: min(change.value for change in (one.speed, one.total) if change))
    return f"{_changes(worst)} ({worst.setting.removesuffix(' contact')})"


def causes(made: Certificate) -> str:
    """Return the first difference in most episodes of other simulations of the same robot, or in every row."""
    if made.everywhere:
        return f"{made.everywhere}, {EVERYWHERE}"
    named = [episode.cause for one in made.rows if one.kind not in (ROBOT, BETWEEN, ITSELF) for episode in one.episodes]
    return max(Counter(cause for cause in named if cause), key=named.count, default="")


def disagreements(certificates: list[Certificate]) -> list[str]:
    """Return a line for each policy on which the exact engine and the finest preset disagree, with the reason."""
    lines = []
    for made in certificates:
        found = {one.setting: one for one in made.rows}
        fine, exact, between = (found.get(name) for name in ("reference", "exact", "exact against reference"))
        if not (fine and exact and between) or fine.verdict == exact.verdict:
            continue
        time, cause = between.divergence
        why = (
            f"they part after {time:.2g} s" + (f", first by: {cause}" if cause else "")
            if np.isfinite(time)
            else "they do not part"
        )
        lines.append(
            f"* {made.policy}: {fine.verdict} by `reference` ({_changes(fine)}), {exact.verdict} by the exact engine "
            f"({_changes(exact)}); from `reference` to exact {_errors(between)}; {why}."
        )
    return lines


def _errors(one: Finding) -> str:
    named = (("speed", one.speed), ("return", one.total))
    return ", ".join(f"{name} {100 * c.value:+.0f} ± {100 * c.error:.0f} %" for name, c in named if c)


def check(policies: tuple[str, ...], **_) -> None:
    """Refuse policies that there are not, or that cannot be certified.

    Raises:
        ValueError: The sentence says why.
    """
    for policy in policies:
        settings.fan(certifying.check(candidate_of(policy)).unwrapped.config)


def tables(
    policies: tuple[str, ...] = NAMES,
    seeds: Count = 3,
    certificates: Annotated[Path, paths.folder_to_write] | None = None,
    jobs: Jobs = -1,
) -> Page:
    """Return the table, and where the two finest simulations disagree.

    Args:
        policies: Names, or folders of checkpoints.
        seeds: Episodes of each in each setting.
        certificates: Folder of certificates, each in a folder of its policy's name: those made before are taken, new
            ones are kept there.
        jobs: Settings at a time.
    """
    made = [certificate_of(policy, seeds, jobs, certificates) for policy in policies]
    counts = Counter(one.verdict for one in made)
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    groups = [list(group) for _, group in itertools.groupby(made, key=lambda one: run_of(one.policy))]
    table = Table(HEAD, [group_row(group) for group in groups])
    parts: list[Table | str] = [table, f"Of {len(made)} policies: {said}."]
    if lines := disagreements(made):
        parts += ["Where `reference` and the exact engine disagree:", "\n".join(lines)]
    missing: dict[str, list[str]] = {}
    for why, policy in ((row.left_out, one.policy) for one in made for row in one.rows if row.left_out):
        missing.setdefault(why, []).append(policy)
    left = {f"* {', '.join(dict.fromkeys(map(run_of, named)))}: {why}." for why, named in missing.items()}
    return Page(*parts, *(["Without the exact engine:", "\n".join(sorted(left))] if left else []))
