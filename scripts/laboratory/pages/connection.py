"""Steering and watching a robot by the sliding model, in MuJoCo: paths, payloads, lost legs, and learned policies.

Usage: tarsus page connection [--runs 20] [--data FOLDER] [--write]. Runtime: six seconds of a core for a walk along a
path, about 25 min for all; what is finished is kept in the folder, so that the command goes on after Ctrl-C.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from scipy.stats import binomtest, chi2
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command import paths
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import connection as study
from tarsus.scripts.laboratory.studies.connection import LEGS, NAMED_WITHIN, PATHS

PLACE = Place("connection.md", "tables")
PACKAGES = ("tarsus", "mujoco", "numpy", "numba")
LEARNED = "multipod-velocity"  # the policies that are compared, of 0.2.0 and Multipod-v1
SEEDS = 3  # of its policies, and of the planner beside them
COMPARED = ("straight", "sine", "bend", "lane")  # paths of learned policies


def cases(runs: int, losses: int) -> list[tuple]:
    """Return all cases, as arguments of `study.kept`, those of one seed together."""
    found: list[tuple] = [(study.decision_times, legs) for legs in LEGS]
    found += [(study.false_alarms, legs) for legs in LEGS] + [(study.lost_legs, legs, losses) for legs in LEGS]
    for name in COMPARED:
        found += [(study.gait_on, name)]
        for seed in range(SEEDS):
            found += [(study.policy_on, f"{LEARNED}-{seed}", "Multipod-v1", name, seed)]
            found += [(study.policy_on, "connection-mpc", "Multipod-v1", name, seed)]
    for seed in range(runs):
        found += [(study.followed, legs, name, seed) for legs in LEGS for name in PATHS]
        found += [(study.payload, legs, seed) for legs in LEGS] + [(study.wet_foot, seed)]
        found += [(study.first_told, legs, kind, seed) for legs in LEGS for kind in ("payload", "wet")]
    return found


def path_table(made: dict, runs: int) -> Table:
    """Return the table of the robots' distances from their paths."""
    rows = []
    for legs in LEGS:
        times = made[study.decision_times, legs]
        for name in PATHS:
            walks = [made[study.followed, legs, name, seed] for seed in range(runs)]
            cross, far = [walk["cross"] for walk in walks], max(walk["worst"] for walk in walks)
            rows.append((
                legs, name, f"{np.median(cross):.4f}", f"{max(cross):.4f}", f"{far:.3f}",
                f"{np.median([walk['late'] for walk in walks]):.4f}", f"{1e3 * times['ConnectionMPC']:.1f}",
                f"{max(walk['end'] for walk in walks):.3f}", sum(not walk["completed"] for walk in walks),
            ))  # fmt: skip
    head = (
        *("legs", "path", "off the path, rms, median [BL]", "worst run", "farthest", "late, rms [BL]"),
        *("decision [ms]", "worst end [BL]", "falls"),
    )
    return Table(head, rows, f"### Along a path, {runs} runs each")


def payload_table(made: dict, runs: int) -> Table:
    """Return the errors of payloads."""
    rows = []
    for legs in LEGS:
        errors = 1e3 * np.abs([made[study.payload, legs, seed]["error"] for seed in range(runs)])
        stated = 1e3 * np.mean([made[study.payload, legs, seed]["deviation"] for seed in range(runs)], axis=0)
        square = [made[study.payload, legs, seed]["square"] for seed in range(runs)]
        bound = 2.0 if legs > 6 else 5.0
        within = int((errors <= bound).all(axis=1).sum())
        sizes = (*np.sqrt(np.mean(errors**2, axis=0)), *errors.max(axis=0), *stated)
        rows.append((
            legs, *(f"{value:.1f}" for value in sizes), f"{share(within, runs)}, {bound:g} mm", squares(square, 2)
        ))  # fmt: skip
    head = (
        *("legs", "x, rms [mm]", "y", "x, worst", "y, worst", "x, stated sd", "y, stated sd", "runs within"),
        "normalised squared error, 95 % band",
    )
    return Table(head, rows, "### A payload, anywhere within 12 mm, after 40 s")


def fault_table(made: dict, runs: int) -> Table:
    """Return the table of lost legs: delays until they are named, and how many rightly."""
    rows = []
    for legs in LEGS:
        told, alarms = made[study.lost_legs, legs, runs], made[study.false_alarms, legs]
        right = [one for one in told if one["named"] == one["leg"] and one["kind"] == "lost"]
        soon = sum(one["delay"] <= NAMED_WITHIN for one in right)
        delays = [one["delay"] for one in told if one["named"] is not None]
        wrong = sum(one["named"] is not None and one["named"] != one["leg"] for one in told)
        loads = sum(one["kind"] == "payload" for one in told)
        evidence = f"{alarms['largest']:.0f} of {alarms['threshold']:.0f}"
        middle = f"{np.median(delays):.2f}, {np.max(delays):.2f}" if delays else "-"
        rows.append(
            (legs, share(soon, runs), share(len(right), runs), wrong, loads, middle, alarms["alarms"], evidence)
        )
    head = (
        *(
            "legs",
            f"named within {NAMED_WITHIN:g} s",
            "named",
            "another leg named",
            "payload named",
            "delay, median, longest [s]",
        ),
        *("false alarms in 10 min", "largest evidence of a sound robot"),
    )
    return Table(head, rows, "### A leg is lost")


def told_table(made: dict, runs: int) -> Table:
    """Return the table of the bank's names for payloads and wet feet."""
    rows = []
    for legs in LEGS:
        for kind in ("payload", "wet"):
            told = [made[study.first_told, legs, kind, seed] for seed in range(runs)]
            right = sum(one["kind"] == kind and one["named"] == one["foot"] for one in told)
            nothing = sum(one["kind"] is None for one in told)
            delays = [one["delay"] for one in told if one["delay"] is not None]
            middle = f"{np.median(delays):.1f}, {np.max(delays):.1f}" if delays else "-"
            rows.append((legs, kind, share(right, runs), nothing, runs - right - nothing, middle))
    head = ("legs", "what", "named so", "nothing named", "named otherwise", "delay, median, longest [s]")
    return Table(head, rows, f"### What the bank calls a payload, and a wet foot, {runs} runs each")


def friction_table(made: dict, runs: int) -> Table:
    """Return the errors of friction ratios."""
    walks = [made[study.wet_foot, seed] for seed in range(runs)]
    errors = np.array([walk["error"] for walk in walks])
    row = (
        f"{np.mean([walk['prior'] for walk in walks]):.2f}", f"{np.sqrt(np.mean(errors**2)):.2f}",
        f"{np.sqrt(np.mean(errors**2, axis=1)).max():.2f}", f"{np.abs(errors).max():.2f}",
        f"{np.mean([walk['deviation'] for walk in walks]):.2f}", squares([walk["square"] for walk in walks], 5),
    )  # fmt: skip
    head = (
        "log ratio, rms",
        "error, rms",
        "worst run",
        "worst foot",
        "stated sd",
        "normalised squared error, 95 % band",
    )
    return Table(head, [row], f"### One foot of six gets wet, friction times 0.3: ratios after 50 s, {runs} runs")


def share(count: int, runs: int) -> str:
    """Return a share, with Wilson's 95 % interval."""
    found = binomtest(count, runs).proportion_ci(0.95, "wilson")
    return f"{count} of {runs} ({found.low:.2f} to {found.high:.2f})"


def squares(values: list[float], free: int) -> str:
    """Return the mean of normalised squared errors, and the band of one whose covariance is right."""
    low, high = chi2.ppf([0.025, 0.975], free * len(values)) / len(values)
    return f"{np.mean(values):.1f} ({low:.1f} to {high:.1f})"


def learned_table(made: dict) -> Table:
    """Return the planner beside a learned policy and a searched gait."""
    rows = []
    for name in COMPARED:
        learned = [made[study.policy_on, f"{LEARNED}-{seed}", "Multipod-v1", name, seed] for seed in range(SEEDS)]
        planned = [made[study.policy_on, "connection-mpc", "Multipod-v1", name, seed] for seed in range(SEEDS)]
        for label, walks in (("PPO", learned), ("gait search", [made[study.gait_on, name]]), ("planner", planned)):
            cross, end, speed = (np.mean([walk[key] for walk in walks]) for key in ("cross", "end", "speed"))
            rows.append(
                (name, label, f"{cross:.3f}", f"{end:.3f}", f"{speed:.3f}", sum(walk["fell"] for walk in walks))
            )
    head = ("path", "by", "off the path, rms [BL]", "at its end [BL]", "speed [m/s]", "falls")
    return Table(head, rows, "### Learned, searched and planned, six legs")


def tables(
    runs: Count = 20, losses: Count = 20, data: Annotated[Path, paths.folder_to_write] = Path("out/connection")
) -> Page:
    """Return the tables.

    Args:
        runs: Of each path, and of payloads.
        losses: Of legs.
        data: Folder of the numbers of finished walks, which are taken from there.
    """
    made = {case: study.kept(data, *case) for case in tqdm(cases(runs, losses), unit="case", mininterval=1.0)}
    return Page(
        path_table(made, runs),
        payload_table(made, runs),
        fault_table(made, losses),
        told_table(made, runs),
        friction_table(made, runs),
        learned_table(made),
    )
