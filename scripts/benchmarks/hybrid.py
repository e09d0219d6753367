"""100 strides of SLIP (400 events) by this engine and by others, at equal tolerance: time beside error.

Usage: tarsus benchmark hybrid [--rtol 1e-9] [--repeats 7]
Runtime: about 1 min. CPU time of this process, median of the repeats; ratios hold within one run, not between machines.

All peers integrate the manual's default start (k = 1000, i = 1, j = -2, neutral touchdown rule) with atol = rtol / 100
and stop at the same 400 events. `err16` is the worst event time of the first 16 strides against 40-digit arithmetic
(tests/oracles/hybrid_slip.py), `err100` the last event against our own run at rtol 1e-13.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.scripts import arguments, report

PACKAGES = ("tarsus", "numpy", "scipy", "numba", "diffrax", "jax")
EVENTS = 400
FIRST_CALLS = 5  # new processes
REFERENCE = Path(__file__).parents[2] / "tests" / "oracles" / "hybrid_slip.txt"
MASS, STIFFNESS, GRAVITY = 50.48, 1000.0, 10.0


def ours(method: str, mode: str) -> Callable:
    """Return a run of this engine."""
    sim = hy.compile(slip.build(), method, mode)

    def run(rtol: float) -> np.ndarray:
        return sim.run(final_time=1e9, max_charts=EVENTS, rtol=rtol).events.t

    return run


def scipy_peer(method: str) -> Callable:
    """Return SciPy's integrator, restarted at every event, as its users do it."""
    from scipy.integrate import solve_ivp

    def flight(t, s):
        return [s[2], s[3], 0.0, -GRAVITY]

    def stance(foot):
        def f(t, s):
            lx, ly = s[0] - foot, s[1]
            q2 = lx * lx + ly * ly
            push = STIFFNESS / (MASS * q2 * q2)
            return [s[2], s[3], push * lx, push * ly - GRAVITY]

        return f

    def event(function):
        function.terminal, function.direction = True, -1
        return function

    def run(rtol: float) -> np.ndarray:
        s, t, foot, angle, chart, times = np.array([0.0, 0.9, 1.0, 0.0]), 0.0, 0.0, 0.0, 3, []
        guards = {
            0: lambda: event(lambda t, s: s[3]),
            1: lambda: event(lambda t, s, a=angle: s[1] - math.cos(a)),
            2: lambda: event(lambda t, s, x=foot: -((s[0] - x) * s[2] + s[1] * s[3])),
            3: lambda: event(lambda t, s, x=foot: 1.0 - math.sqrt((s[0] - x) ** 2 + s[1] ** 2)),
        }
        while len(times) < EVENTS:
            field = flight if chart < 2 else stance(foot)
            r = solve_ivp(field, (t, t + 10.0), s, method, rtol=rtol, atol=rtol / 100, events=guards[chart]())
            t, s = r.t[-1], r.y[:, -1]
            times.append(t)
            if chart == 1:
                foot = s[0] + math.sin(angle)
            elif chart == 3:
                angle = math.atan2(s[0] - foot, s[1])
            chart = (chart + 1) % 4
        return np.array(times)

    return run


def diffrax_peer(solver: str) -> Callable:
    """Return diffrax's integrator with its events, the whole run jitted as one scan over strides."""
    import diffrax
    import jax
    import jax.numpy as jnp
    import optimistix

    jax.config.update("jax_enable_x64", True)

    def flight(t, s, foot):
        return jnp.stack([s[2], s[3], jnp.zeros(()), -GRAVITY * jnp.ones(())])

    def stance(t, s, foot):
        lx, ly = s[0] - foot, s[1]
        q2 = lx * lx + ly * ly
        push = STIFFNESS / (MASS * q2 * q2)
        return jnp.stack([s[2], s[3], push * lx, push * ly - GRAVITY])

    def segment(field, guard, t, s, args, rtol):
        event = diffrax.Event(
            lambda t, y, args, **kw: guard(y, *args), optimistix.Newton(1e-12, 1e-12), direction=False
        )
        controller = diffrax.PIDController(rtol=rtol, atol=rtol / 100)
        term = diffrax.ODETerm(lambda t, y, args: field(t, y, args[0]))
        solution = diffrax.diffeqsolve(
            term, getattr(diffrax, solver)(), t, t + 10.0, None, s, args, event=event, stepsize_controller=controller
        )
        return solution.ts[-1], solution.ys[-1]

    def run_all(rtol):
        def stride(carry, _):
            t, s, foot = carry
            t1, s = segment(
                stance, lambda y, x, h: 1.0 - jnp.sqrt((y[0] - x) ** 2 + y[1] ** 2), t, s, (foot, 0.0), rtol
            )
            angle = jnp.arctan2(s[0] - foot, s[1])
            t2, s = segment(flight, lambda y, x, h: y[3], t1, s, (foot, 0.0), rtol)
            t3, s = segment(flight, lambda y, x, h: y[1] - h, t2, s, (foot, jnp.cos(angle)), rtol)
            foot = s[0] + jnp.sin(angle)
            t4, s = segment(stance, lambda y, x, h: -((y[0] - x) * y[2] + y[1] * y[3]), t3, s, (foot, 0.0), rtol)
            return (t4, s, foot), jnp.stack([t1, t2, t3, t4])

        start = (jnp.zeros(()), jnp.array([0.0, 0.9, 1.0, 0.0]), jnp.zeros(()))
        return jax.lax.scan(stride, start, None, length=EVENTS // 4)[1].ravel()

    jitted = jax.jit(run_all)
    return lambda rtol: np.asarray(jitted(rtol))


def peers() -> tuple[dict[str, Callable], list[str]]:
    """Return what can be measured here, and the names of what cannot."""
    table: dict[str, Callable] = {}
    if hy.simulator.loader.has_numba():
        table |= {
            f"tarsus {method}, compiled": lambda method=method: ours(method, "compiled")
            for method in ("dop853", "dopri5")
        }
    table |= {"tarsus dop853, interpreted": lambda: ours("dop853", "python")}
    table |= {f"scipy {method}": lambda method=method: scipy_peer(method) for method in ("DOP853", "RK45", "LSODA")}
    missing = [name for name in ("diffrax",) if importlib.util.find_spec(name) is None]
    if not missing:
        table |= {f"diffrax {s}": lambda s=s: diffrax_peer(s) for s in ("Dopri5", "Tsit5", "Dopri8")}
    return table, missing


def measure(run: Callable, rtol: float, repeats: int) -> tuple[float, float, np.ndarray]:
    """Return the median and spread (largest less smallest) of the CPU time [s], and the event times."""
    times = run(rtol)  # compiles
    inner = 1
    start = time.process_time()
    run(rtol)
    if time.process_time() - start < 0.02:
        inner = 20
    samples = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(inner):
            run(rtol)
        samples.append((time.process_time() - start) / inner)
    return statistics.median(samples), max(samples) - min(samples), times


def first_call() -> str:
    """Return what the first compiled run costs in a new process, from the cache."""
    code = (
        "import time; a = time.process_time(); from tarsus.analytic import hybrid as hy; "
        "from tarsus.analytic.models import slip; b = time.process_time(); "
        "hy.compile(slip.build(), mode='compiled').run(final_time=1.0); c = time.process_time(); print(b - a, c - b)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(FIRST_CALLS)
    ]
    imports, run = (statistics.median(float(r.stdout.split()[i]) for r in runs) for i in (0, 1))
    return f"first compiled run in a new process, from cache: {run:.2f} s CPU (and {imports:.2f} s imports)"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Measure everything in one run and print the table."""
    parser = arguments.Parser(prog="tarsus benchmark hybrid", description=__doc__.partition("\n")[0])
    parser.add_argument("--rtol", type=arguments.rtol, default=1e-9, help="relative tolerance of all")
    parser.add_argument(
        "--repeats", type=arguments.count, default=7, help="measurements of each; the median is printed"
    )
    with arguments.read(parser, argv) as args:
        reference = np.loadtxt(REFERENCE)
    last = ours("dop853", "auto")(1e-13)[EVENTS - 1]
    table, missing = peers()
    rows = []
    for name, make in table.items():
        cpu, spread, t = measure(make(), args.rtol, args.repeats)
        rows.append((name, cpu, spread, np.abs(t[: reference.size] - reference).max(), abs(t[EVENTS - 1] - last)))
    fastest = rows[0][1]
    print(f"{EVENTS} events, rtol {args.rtol:g}, atol rtol/100; {report.versions(*PACKAGES)}; {report.machine()}")
    print(f"{'':28}{'CPU ms':>9}{'spread':>9}{'ratio':>8}{'err16 s':>10}{'err100 s':>10}")
    for name, cpu, spread, e16, e100 in rows:
        print(f"{name:28}{cpu * 1e3:9.3f}{spread * 1e3:9.3f}{cpu / fastest:8.1f}{e16:10.1e}{e100:10.1e}")
    print(*(f"{name}: not installed, skipped" for name in missing), sep="\n", end="\n" if missing else "")
    if hy.simulator.loader.has_numba():
        print(first_call())
    return 0


if __name__ == "__main__":
    sys.exit(main())
