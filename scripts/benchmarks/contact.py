"""Time the contact solver: per frame, per call, on threads, and along a path.

Usage: tarsus benchmark contact [--out FOLDER] [--seed 0]. Runtime: about half a minute after compilation. CPU time on
one thread (wall time for the thread speed-up), medians over interleaved rounds; with --out also a picture, after figure
8b of Wu, Zhao and Revzen (arXiv:2310.20669). `benchmark scaling` has the number of legs, beside MuJoCo.
"""

from __future__ import annotations

import os

import numpy as np

from tarsus.analytic.compilation.parallel import n_threads
from tarsus.analytic.contact import Coulomb, Feet, Solver, Viscous, kernels, se2, solve
from tarsus.scripts import arguments, report
from tarsus.scripts.benchmarks.timing import medians, repeated
from tarsus.scripts.runs import output

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


def batch_run(pos, vel, law, weight=1.0, stiffness=10.0, parallel=False):
    """Return a run of the compiled loop on one thread or all, its arrays allocated beforehand."""
    frames, n = pos.shape[:2]
    feet = np.array([[[stiffness, 1.0, 0.0, 0.0, 0.0]] * n])
    out, force = np.empty((frames, kernels.OUT_COLUMNS)), np.empty((frames, n, 3))
    code = np.empty(frames, np.int64)
    load = np.array([float(weight)])
    rest = (pos, vel, feet, load, *law.kernel_code, False, out, force, code)
    return (lambda: kernels.frames_parallel(64, *rest)) if parallel else (lambda: kernels.frames_serial(*rest))


def report_hexapod(rng) -> None:
    """Print the cost of a frame in a batch of 1e5, of a single call, and of Coulomb beside viscous."""
    print(f"hexapod on a ring, us per frame (batch of {FRAMES:.0e}, one thread; the call with its checks in brackets)")
    for spread in (0.02, 0.05):
        pos, vel = ring(rng, FRAMES, 6, spread)
        feet = Feet(10.0, 1.0, 1.0)
        found = medians({
            "viscous": batch_run(pos, vel, Viscous()),
            "public": lambda pos=pos, vel=vel, feet=feet: solve(pos, vel, feet, parallel=False),
            **{f"coulomb {gap:.0e}": batch_run(pos, vel, Coulomb(gap)) for gap in (1e-3, 1e-6, 1e-9)},
        }, 5)  # fmt: skip
        us = {name: seconds / FRAMES * 1e6 for name, seconds in found.items()}
        ratios = ", ".join(f"{name} x{us[name] / us['viscous']:.1f}" for name in us if name.startswith("coulomb"))
        print(f"  heights +-{spread}: viscous {us['viscous']:.2f} ({us['public']:.2f}); {ratios}")
    for law in (Viscous(), Coulomb(1e-6)):
        solver, one = Solver(Feet(10.0, 1.0, 1.0), 6, law), (pos[0].copy(), vel[0].copy())
        seconds = medians({"call": lambda solver=solver, one=one: [solver(*one) for _ in range(CALLS)]}, ROUNDS)["call"]
        print(f"  single call from Python, {type(law).__name__}: {seconds / CALLS * 1e6:.2f} us")


def report_threads(rng) -> np.ndarray:
    """Print and return threads, and the overhead of figure 8b: wall time times threads over one thread's."""
    pos, vel = ring(rng, THREADED, 6, 0.05)
    feet = Feet(10.0, 1.0, 1.0)
    runs = {f"{law} {parallel}": lambda law=law, parallel=parallel: solve(pos, vel, feet, law, parallel=parallel)
            for law in ("viscous", "coulomb") for parallel in (False, True)}  # fmt: skip
    wall = medians(runs, 5, wall=True)
    cpu = medians(runs, 5)
    extra = [cpu[f"{law} True"] / cpu[f"{law} False"] for law in ("viscous", "coulomb")]
    speedup = [wall[f"{law} False"] / wall[f"{law} True"] for law in ("viscous", "coulomb")]
    threads = n_threads()
    words = f"viscous x{speedup[0]:.2f}, coulomb x{speedup[1]:.2f} (wall)"
    print(f"\nthreads: {threads}; {THREADED:.0e} hexapod frames: {words}")
    print(f"  overhead (threads x time / time of one): {threads / speedup[0]:.2f}, {threads / speedup[1]:.2f}")
    print(f"  of which CPU time: x{extra[0]:.2f}, x{extra[1]:.2f}; the rest is waiting, load {os.getloadavg()[0]:.1f}")
    return np.array([threads, *speedup])


def report_batches(rng) -> dict[str, np.ndarray]:
    """Print and return threads x time on threads / time on one, by the number of frames in a batch, for both laws."""
    overhead = {"viscous": [], "coulomb": []}
    for frames in BATCHES:
        pos, vel = ring(rng, frames, 6, 0.05)
        count = max(1, CALLS // frames)
        for name, law in (("viscous", Viscous()), ("coulomb", Coulomb(1e-6))):
            one, many = batch_run(pos, vel, law), batch_run(pos, vel, law, parallel=True)
            runs = {"one": repeated(one, count), "many": repeated(many, count)}
            seconds = medians(runs, 9, wall=True)
            overhead[name].append(n_threads() * seconds["many"] / seconds["one"])
    print("\noverhead by frames in a batch: " + ", ".join(f"{frames}" for frames in BATCHES))
    for name, values in overhead.items():
        print(f"  {name}: " + ", ".join(f"{value:.2f}" for value in values))
    return {name: np.array(values) for name, values in overhead.items()}


def report_paths(rng) -> dict[str, np.ndarray]:
    """Print and return the wall time per step of each method of integration, by the number of steps [ns]."""
    per_step = {name: [] for name in se2.METHODS}
    for steps in PATHS:
        twist, count = rng.normal(size=(steps, 3)), max(1, CALLS // steps)
        runs = {name: repeated(lambda name=name, twist=twist: se2.integrate(twist, 1e-3, method=name), count)
                for name in se2.METHODS}  # fmt: skip
        for name, seconds in medians(runs, 5, wall=True).items():
            per_step[name].append(seconds / count / steps * 1e9)
    ends = [se2.integrate(twist, 1e-3, method=name)[-1] for name in se2.METHODS]
    longest = ", ".join(f"{name} {values[-1] * steps * 1e-6:.0f} ms" for name, values in per_step.items())
    print(f"\n{steps} SE(2) steps: {longest}; {max(np.abs(end - ends[0]).max() for end in ends):.1e} apart")
    print("  ns per step, by steps: " + ", ".join(f"{steps}" for steps in PATHS))
    for name, values in per_step.items():
        print(f"    {name}: " + ", ".join(f"{value:.0f}" for value in values))
    return {name: np.array(values) for name, values in per_step.items()}


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus benchmark contact", description=__doc__.partition("\n")[0])
    output.add_options(parser, None, "folder for the picture")
    parser.add_argument("--seed", type=arguments.seed, default=0)
    with arguments.read(parser, argv) as args:
        files = output.Output(args, "contact_threads.png") if args.out else None
    rng = np.random.default_rng(args.seed)
    print(f"{report.versions('numpy', 'numba')}, on {report.machine()}, seed {args.seed}")
    report_hexapod(rng)
    report_threads(rng)
    overhead, per_step = report_batches(rng), report_paths(rng)
    if files:
        from tarsus.scripts.views import contact_pictures as pictures

        with files.writing("contact_threads.png") as (picture,):
            pictures.threads(BATCHES, overhead, PATHS, per_step, n_threads()).savefig(picture, dpi=150, format="png")
        print(files)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
