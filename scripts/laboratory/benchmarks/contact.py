"""Time the contact solver: per frame, per call, with derivatives, on threads, and along a path.

Usage: tarsus benchmark contact [--out FILE] [--seed 0]. Runtime: about half a minute after compilation. CPU time on one
thread (wall time for threads and paths), medians over interleaved rounds; with --out also a picture, after figure 8b of
Wu, Zhao and Revzen (arXiv:2310.20669). `benchmark scaling` has the number of legs, beside MuJoCo.
"""

from __future__ import annotations

import os

import numpy as np

from tarsus.analytic.compilation import jit
from tarsus.analytic.compilation.parallel import n_threads
from tarsus.analytic.contact import Coulomb, Feet, Solver, Viscous, kernels, se2, solve
from tarsus.analytic.contact.kernels import derivative
from tarsus.analytic.contact.kernels.layout import BALANCE_TOL, FULL_STEPS, SCRATCH_ROWS, STIFFNESS, K, P, X, Y, Z
from tarsus.analytic.contact.kernels.stance import settle, start
from tarsus.analytic.contact.kernels.support_search import careful_search, full_step
from tarsus.scripts.command.signature import Seed
from tarsus.scripts.laboratory.benchmarks.timing import medians, repeated
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("numpy", "numba")
FILES = ("contact_threads.png",)
LAWS = {"viscous": Viscous(), "coulomb": Coulomb(1e-6)}
METHODS = {"sequential": "one after the other", "scan": "prefix sums in NumPy", "blocks": "blocks on all threads"}
RADIUS = 0.25  # of the ring that the hexapods stand on [m]
BATCHES = tuple(4**k for k in range(2, 9))  # frames: 16 to 65536
PATHS = tuple(10**k for k in range(1, 7))  # steps
FRAMES, THREADED = 100_000, 400_000  # of a batch on one thread, and on all
CALLS = 20_000  # a timing lasts about as many single calls or frames, far longer than the clock's tick
ROUNDS = 7


def ring(rng, frames: int, n: int, spread: float):
    """Return feet on a ring with heights within `spread`, positions (frames, n, 3) [m], and velocities [m/s]."""
    angle = np.arange(n) / n * 2 * np.pi
    pos = np.empty((frames, n, 3))
    pos[..., 0], pos[..., 1] = RADIUS * np.cos(angle), RADIUS * np.sin(angle)
    pos[..., 2] = rng.uniform(-spread, spread, (frames, n)) - 0.1
    return pos, rng.normal(size=(frames, n, 2))


@jit(fast=True)
def bare_supports(pos, feet, weight, careful):
    """Solve all supports, stances on the ring, by full Newton steps and nothing else, or all by the careful search."""
    s = np.empty((SCRATCH_ROWS, pos.shape[1]))
    for i in range(pos.shape[0]):
        for j in range(pos.shape[1]):
            s[X, j], s[Y, j], s[Z, j], s[K, j] = pos[i, j, 0], pos[i, j, 1], pos[i, j, 2], feet[0, j, STIFFNESS]
        if careful:
            careful_search(weight, s)
            continue
        sums, _, _ = start(s, P)
        for _ in range(FULL_STEPS):
            sums = settle(s, P, full_step(weight, sums))
            if max(abs(weight + sums[6]), abs(sums[7]) / RADIUS, abs(sums[8]) / RADIUS) <= BALANCE_TOL * weight:
                break


def batch_run(pos, vel, law, weight=1.0, stiffness=10.0, parallel=False):
    """Return a run of the compiled loop on one thread or all, its arrays allocated beforehand; None has no friction."""
    frames, n = pos.shape[:2]
    feet = np.array([[[stiffness, 1.0, 0.0, 0.0, 0.0]] * n])
    out, force = np.empty((frames, kernels.OUT_COLUMNS)), np.empty((frames, n, 3))
    code = np.empty(frames, np.int64)
    load = np.array([float(weight)])
    setting = law.kernel_code if law else (kernels.SUPPORT_ONLY, 0.0)
    rest = (pos, vel, feet, load, *setting, False, out, force, code)
    return (lambda: kernels.frames_parallel(64, *rest)) if parallel else (lambda: kernels.frames_serial(*rest))


def frame_table(rng) -> Table:
    """Return the cost of a frame in a batch on one thread, alone, with the checks of the call, and of Coulomb."""
    gaps, rows = (1e-3, 1e-6, 1e-9), []
    for spread in (0.02, 0.05):
        pos, vel = ring(rng, FRAMES, 6, spread)
        feet = Feet(10.0, 1.0, 1.0)
        found = medians({
            "viscous": batch_run(pos, vel, Viscous()),
            "public": lambda pos=pos, vel=vel, feet=feet: solve(pos, vel, feet, parallel=False),
            **{gap: batch_run(pos, vel, Coulomb(gap)) for gap in gaps},
        }, 5)  # fmt: skip
        us = [f"{found[name] / FRAMES * 1e6:.2f}" for name in ("viscous", "public")]
        rows.append((f"+-{spread}", *us, *(f"x{found[gap] / found['viscous']:.1f}" for gap in gaps)))
    head = ("heights [m]", "viscous [us]", "with the call's checks [us]", *(f"Coulomb to {gap:.0e}" for gap in gaps))
    return Table(head, rows, f"### A hexapod on a ring, a frame of {FRAMES:.0e}")


def part_table(rng) -> Table:
    """Return the costs of a frame's parts: bare steps, the guards around them, the search they replace, friction."""
    feet, rows = np.array([[[10.0, 1.0, 0.0, 0.0, 0.0]] * 6]), []
    for spread in (0.02, 0.05):
        pos, vel = ring(rng, FRAMES, 6, spread)
        found = medians({
            "bare": lambda pos=pos: bare_supports(pos, feet, 1.0, False),
            "guarded": batch_run(pos, vel, None),
            "careful": lambda pos=pos: bare_supports(pos, feet, 1.0, True),
            "viscous": batch_run(pos, vel, Viscous()),
        }, ROUNDS)  # fmt: skip
        bare, guarded, careful, whole = (found[name] / FRAMES * 1e6 for name in found)
        cells = (bare, guarded - bare, careful, whole - guarded, whole)
        rows.append((f"+-{spread}", *(f"{us:.2f} (x{us / bare:.2f})" for us in cells)))
    head = (
        "heights [m]",
        "bare Newton steps [us]",
        "guards, loads, answer",
        "careful search instead",
        "viscous",
        "whole",
    )
    return Table(head, rows, "### The parts of a frame")


def call_table(rng) -> Table:
    """Return the cost of a single call from Python."""
    (pos,), (vel,) = ring(rng, 1, 6, 0.05)
    solvers = {name: Solver(Feet(10.0, 1.0, 1.0), 6, law) for name, law in LAWS.items()}
    found = medians({name: repeated(lambda s=s: s(pos, vel), CALLS) for name, s in solvers.items()}, ROUNDS)
    return Table(("law", "call [us]"), [(name, f"{1e6 * s / CALLS:.2f}") for name, s in found.items()], "### A call")


def derivative_table(rng) -> Table:
    """Return the cost of a frame and of all derivatives of its twist, one thread."""
    gap, rows = LAWS["coulomb"].gap, []
    for n in (6, 12):
        pos, vel = ring(rng, FRAMES, n, 0.02)
        feet = np.array([[[10.0, 1.0, 0.0, 0.0, 0.0]] * n])
        for name, law in LAWS.items():
            out, force = np.empty((FRAMES, kernels.OUT_COLUMNS)), np.empty((FRAMES, n, 3))
            code, stuck = np.empty((2, FRAMES), np.int64)
            by = np.empty((FRAMES, 3, n, derivative.FOOT_DERIVATIVES)), np.empty((FRAMES, 3))
            frame = (pos, vel, feet, np.ones(1), *law.kernel_code, False, out, force, code)
            slopes = (pos, vel, feet, *law.kernel_code, out, force, code, *by, stuck)
            found = medians({
                "solve": lambda frame=frame: kernels.frames_serial(*frame),
                "derive": lambda slopes=slopes: derivative.jacobians(*slopes),
            }, 5)  # fmt: skip
            us = [found[part] / FRAMES * 1e6 for part in ("solve", "derive")]
            rows.append((n, name, *(f"{value:.2f}" for value in us), f"x{us[1] / us[0]:.2f}"))
    title = f"### All derivatives of the twist, Coulomb to {gap:.0e}"
    return Table(("feet", "law", "solve [us]", "derivatives [us]", "ratio"), rows, title)


def thread_table(rng) -> Table:
    """Return the speed-up of all threads, and figure 8b's overhead: wall time times threads over one thread's."""
    pos, vel = ring(rng, THREADED, 6, 0.05)
    feet = Feet(10.0, 1.0, 1.0)
    runs = {(law, parallel): lambda law=law, parallel=parallel: solve(pos, vel, feet, law, parallel=parallel)
            for law in LAWS for parallel in (False, True)}  # fmt: skip
    wall, cpu = medians(runs, 5, wall=True), medians(runs, 5)
    rows = []
    for law in LAWS:
        gain = wall[law, False] / wall[law, True]
        more = cpu[law, True] / cpu[law, False]
        rows.append((law, f"x{gain:.2f}", f"{n_threads() / gain:.2f}", f"x{more:.2f}"))
    head = ("law", "faster", "overhead: threads x time / time of one", "CPU time of all")
    title = f"### {n_threads()} threads, {THREADED:.0e} hexapod frames, load {os.getloadavg()[0]:.1f}"
    return Table(head, rows, title)


def batch_overheads(rng) -> dict[str, list[float]]:
    """Return threads x time on threads / time on one, by the number of frames in a batch, for both laws."""
    overhead = {name: [] for name in LAWS}
    for frames in BATCHES:
        pos, vel = ring(rng, frames, 6, 0.05)
        for name, law in LAWS.items():
            runs = {many: repeated(batch_run(pos, vel, law, parallel=many), max(1, CALLS // frames))
                    for many in (False, True)}  # fmt: skip
            seconds = medians(runs, 9, wall=True)
            overhead[name].append(n_threads() * seconds[True] / seconds[False])
    return overhead


def path_times(rng) -> tuple[dict[str, list[float]], float]:
    """Return the wall time per step of each method of integration, by the number of steps [ns], and how they differ."""
    per_step = {name: [] for name in se2.METHODS}
    for steps in PATHS:
        twist, count = rng.normal(size=(steps, 3)), max(1, CALLS // steps)
        runs = {name: repeated(lambda name=name, twist=twist: se2.integrate(twist, 1e-3, method=name), count)
                for name in se2.METHODS}  # fmt: skip
        for name, seconds in medians(runs, 5, wall=True).items():
            per_step[name].append(seconds / count / steps * 1e9)
    ends = [se2.integrate(twist, 1e-3, method=name)[-1] for name in se2.METHODS]
    return per_step, max(np.abs(end - ends[0]).max() for end in ends)


def draw(overhead: dict[str, list[float]], per_step: dict[str, list[float]]):
    """Draw the overhead of threads by batch size, and the time of a step of integration by path length (8b)."""
    from matplotlib.figure import Figure

    figure = Figure((10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    count = n_threads()
    for name, values in overhead.items():
        left.semilogx(BATCHES, values, "o-", label=f"hexapod, {'viscous' if name == 'viscous' else 'Coulomb to 1e-6'}")
    left.axhline(1.0, color="0.6", lw=1, zorder=0)
    left.axhline(count, color="0.6", lw=1, ls="--", zorder=0)
    left.text(BATCHES[0], 0.96, "no overhead", color="0.4", va="top")
    left.text(BATCHES[-1], 1.02 * count, "as slow as one thread", color="0.4", va="bottom", ha="right")
    left.set(xlabel="frames in a batch", ylabel=f"{count} x time on {count} threads / time on one",
             title="Threads over frames", ylim=(0, None))  # fmt: skip
    for name, values in per_step.items():
        right.loglog(PATHS, values, "o-", label=METHODS[name])
    right.set(xlabel="steps of the path", ylabel="time per step [ns]", title="Integration of the body's path")
    for axes in (left, right):
        axes.legend(frameon=False)
    return figure


def tables(seed: Seed = 0) -> Page:
    """Return the tables, and the picture.

    Args:
        seed: Of poses and velocities.
    """
    rng = np.random.default_rng(seed)
    parts = [frame_table(rng), call_table(rng), derivative_table(rng), thread_table(rng), part_table(rng)]
    overhead, (per_step, apart) = batch_overheads(rng), path_times(rng)
    rows = [(name, *(f"{value:.2f}" for value in values)) for name, values in overhead.items()]
    parts.append(Table(("law", *BATCHES), rows, "### Overhead by frames in a batch"))
    rows = [(name, *(f"{value:.0f}" for value in values), f"{values[-1] * PATHS[-1] * 1e-6:.0f} ms")
            for name, values in per_step.items()]  # fmt: skip
    parts.append(Table(("method", *PATHS, "longest"), rows, "### SE(2) integration, ns per step by steps of the path"))
    words = f"The ends of the longest path are {apart:.1e} apart."
    return Page(*parts, words, files={FILES[0]: lambda: draw(overhead, per_step)})
