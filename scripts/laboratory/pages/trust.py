"""Can you trust this policy? What the certificates of the shipped policies and of the hand-made ones say.

Usage: tarsus page trust [--policies POLICY ...] [--certificates FOLDER] [--write]. Runtime: a minute of one
core for a policy with three seeds; `--certificates` takes those that `tarsus certify NAME --out FOLDER/NAME` made, and
keeps the others there as soon as they are, so that the command goes on after Ctrl-C.
"""

from __future__ import annotations

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

PLACE = Place("trust.md", "verdicts")
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
    """Return what differs first in most episodes of other simulations of the same robot, or in every row."""
    if made.everywhere:
        return f"{made.everywhere} {EVERYWHERE}"
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
        time, cause = between.parting
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
    parts: list[Table | str] = [Table(HEAD, [row(one) for one in made]), f"Of {len(made)} policies: {said}."]
    if lines := disagreements(made):
        parts += ["Where `reference` and the exact engine disagree:", "\n".join(lines)]
    left = {f"* {one.policy}: {row.left_out}." for one in made for row in one.rows if row.left_out}
    return Page(*parts, *(["Without the exact engine:", "\n".join(sorted(left))] if left else []))
