"""Steering and watching a robot by the sliding model, in MuJoCo: paths, payloads, lost legs, and learned policies.

Usage: tarsus page connection [--runs 20] [--data FOLDER] [--write]. Runtime: six seconds of a core for a walk along a
path, about 25 min for all; what is finished is kept in the folder, so that the command goes on after Ctrl-C.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command import paths
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies import connection as study
from tarsus.scripts.laboratory.studies.connection import LEGS, NAMED_WITHIN, PATHS

PLACE = Place("connection.md", "tables")
PACKAGES = ("tarsus", "mujoco", "numpy", "numba")
LEARNED = "multipod-velocity"  # the policies that are compared, of 0.2.0 and Multipod-v0
SEEDS = 3  # of its policies, and of the planner beside them
WET = ((1, 3), (0, 0), (2, 5))  # feet that get wet


def cases(runs: int, losses: int) -> list[tuple]:
    """Return all cases, as arguments of `study.kept`, those of one seed together."""
    found: list[tuple] = [(study.decision_times, legs) for legs in LEGS]
    found += [(study.false_alarms, legs) for legs in LEGS] + [(study.lost_legs, legs, losses) for legs in LEGS]
    found += [(study.wet_feet, *feet) for feet in WET]
    for name in ("straight", *PATHS):
        found += [(study.gait_on, name)]
        for seed in range(SEEDS):
            found += [(study.policy_on, f"{LEARNED}-{seed}", "Multipod-v0", name, seed)]
            found += [(study.policy_on, "connection-mpc", "Multipod-v1", name, seed)]
    for seed in range(runs):
        found += [(study.followed, legs, name, seed) for legs in LEGS for name in PATHS]
        found += [(study.payload, legs, seed) for legs in LEGS]
    return found


def path_table(made: dict, runs: int) -> Table:
    """Return how near the paths the robots were."""
    rows = []
    for legs in LEGS:
        times = made[study.decision_times, legs]
        for name in PATHS:
            walks = [made[study.followed, legs, name, seed] for seed in range(runs)]
            cross, far = [walk["cross"] for walk in walks], max(walk["worst"] for walk in walks)
            rows.append((
                legs, name, f"{np.median(cross):.4f}", f"{max(cross):.4f}", f"{far:.3f}",
                f"{np.median([walk['late'] for walk in walks]):.4f}", f"{1e3 * times['ConnectionMPC']:.1f}",
                sum(not walk["completed"] for walk in walks),
            ))  # fmt: skip
    head = (
        *("legs", "path", "off the path, rms, median [BL]", "worst run", "farthest", "late, rms [BL]"),
        *("decision [ms]", "falls"),
    )
    return Table(head, rows, f"### Along a path, {runs} runs each")


def payload_table(made: dict, runs: int) -> Table:
    """Return the errors of payloads."""
    rows = []
    for legs in LEGS:
        errors = 1e3 * np.abs([made[study.payload, legs, seed]["error"] for seed in range(runs)])
        bound = 1.5 if legs > 6 else 4.0
        within = int((errors <= bound).all(axis=1).sum())
        sizes = (*np.sqrt(np.mean(errors**2, axis=0)), *errors.max(axis=0))
        rows.append((legs, *(f"{value:.1f}" for value in sizes), f"{within} of {runs}, {bound:g} mm"))
    head = ("legs", "x, rms [mm]", "y", "x, worst", "y, worst", "runs within")
    return Table(head, rows, "### A payload, anywhere within 12 mm, after 40 s")


def fault_table(made: dict, runs: int) -> Table:
    """Return how soon and how rightly lost legs are named."""
    rows = []
    for legs in LEGS:
        told, alarms = made[study.lost_legs, legs, runs], made[study.false_alarms, legs]
        right = [one for one in told if one["named"] == one["leg"] and one["kind"] == "lost"]
        soon = sum(one["delay"] <= NAMED_WITHIN for one in right)
        delays = [one["delay"] for one in told if one["named"] is not None]
        wrong = sum(one["named"] is not None and one["named"] != one["leg"] for one in told)
        evidence = f"{alarms['largest']:.0f} of {alarms['threshold']:.0f}"
        middle = f"{np.median(delays):.2f}, {np.max(delays):.2f}" if delays else "-"
        rows.append((legs, f"{soon} of {runs}", len(right), wrong, middle, alarms["alarms"], evidence))
    head = (
        *("legs", f"named within {NAMED_WITHIN:g} s", "named", "another leg named", "delay, median, longest [s]"),
        *("false alarms in 10 min", "largest evidence of a sound robot"),
    )
    return Table(head, rows, "### A leg is lost")


def friction_table(made: dict) -> Table:
    """Return the errors of friction ratios."""
    rows = []
    for feet in WET:
        found = made[study.wet_feet, *feet]
        named = " and ".join(str(foot) for foot in sorted(set(feet)))
        rows.append((named, f"{found['prior']:.2f}", f"{found['error']:.2f}"))
    return Table(
        ("wet feet of six", "log ratio, rms", "error after 35 s"), rows, "### Feet get wet: friction times 0.3"
    )


def learned_table(made: dict) -> Table:
    """Return the planner beside a learned policy and a searched gait."""
    rows = []
    for name in ("straight", *PATHS):
        learned = [made[study.policy_on, f"{LEARNED}-{seed}", "Multipod-v0", name, seed] for seed in range(SEEDS)]
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
        friction_table(made),
        learned_table(made),
    )
