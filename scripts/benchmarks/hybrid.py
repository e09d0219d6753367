"""100 strides of SLIP (400 events) by this engine and by others, at equal tolerance: time beside error.

Usage: tarsus benchmark hybrid [--rtol 1e-9] [--repeats 7]
Runtime: about 1 min. CPU time of this process, median of the repeats; ratios hold within one run, not between machines.

All peers integrate the manual's default start (k = 1000, i = 1, j = -2, neutral touchdown rule) with atol = rtol / 100
and stop at the same 400 events. `err16` is the worst event time of the first 16 strides against 40-digit arithmetic
(tests/oracles/hybrid_slip.py), `err100` the last event against our own run at rtol 1e-13.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.scripts import arguments
from tarsus.scripts.benchmarks import timing
from tarsus.scripts.pages.frame import Page, Table
from tarsus.scripts.signature import Count

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


def diffrax_arc(solver: str) -> Callable:
    """Return diffrax's integration of a field from one event to the next."""
    import diffrax
    import optimistix

    def arc(field, guard, t, s, args, rtol):
        root = optimistix.Newton(1e-12, 1e-12)
        event = diffrax.Event(lambda t, y, args, **kw: guard(y, *args), root, direction=False)
        controller = diffrax.PIDController(rtol=rtol, atol=rtol / 100)
        term = diffrax.ODETerm(lambda t, y, args: field(t, y, args[0]))
        solution = diffrax.diffeqsolve(
            term, getattr(diffrax, solver)(), t, t + 10.0, None, s, args, event=event, stepsize_controller=controller
        )
        return solution.ts[-1], solution.ys[-1]

    return arc


def diffrax_peer(solver: str) -> Callable:
    """Return diffrax's integrator with its events, the whole run jitted as one scan over strides."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    arc = diffrax_arc(solver)

    def flight(t, s, foot):
        return jnp.stack([s[2], s[3], jnp.zeros(()), -GRAVITY * jnp.ones(())])

    def stance(t, s, foot):
        lx, ly = s[0] - foot, s[1]
        q2 = lx * lx + ly * ly
        push = STIFFNESS / (MASS * q2 * q2)
        return jnp.stack([s[2], s[3], push * lx, push * ly - GRAVITY])

    def run_all(rtol):
        def stride(carry, _):
            t, s, foot = carry
            t1, s = arc(stance, lambda y, x, h: 1.0 - jnp.sqrt((y[0] - x) ** 2 + y[1] ** 2), t, s, (foot, 0.0), rtol)
            angle = jnp.arctan2(s[0] - foot, s[1])
            t2, s = arc(flight, lambda y, x, h: y[3], t1, s, (foot, 0.0), rtol)
            t3, s = arc(flight, lambda y, x, h: y[1] - h, t2, s, (foot, jnp.cos(angle)), rtol)
            foot = s[0] + jnp.sin(angle)
            t4, s = arc(stance, lambda y, x, h: -((y[0] - x) * y[2] + y[1] * y[3]), t3, s, (foot, 0.0), rtol)
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
    imports, run = np.median([list(map(float, run.stdout.split())) for run in runs], axis=0)
    return f"First compiled run in a new process, from cache: {run:.2f} s CPU (and {imports:.2f} s imports)."


def check(**_) -> None:
    """Refuse to run where the tests' references are not.

    Raises:
        OSError: If they are not beside the package.
    """
    np.loadtxt(REFERENCE)


def tables(rtol: Annotated[float, arguments.rtol] = 1e-9, repeats: Count = 7) -> Page:
    """Return the table, and what a first run costs.

    Args:
        rtol: Relative tolerance of all.
        repeats: Measurements of each.
    """
    reference, last = np.loadtxt(REFERENCE), ours("dop853", "auto")(1e-13)[EVENTS - 1]
    known, missing = peers()
    runs = {name: make() for name, make in known.items()}
    events = {name: run(rtol) for name, run in runs.items()}  # compiles
    inner = {name: 20 if timing.seconds(lambda run=run: run(rtol))[0] < 0.02 else 1 for name, run in runs.items()}
    loops = {name: timing.repeated(lambda run=run: run(rtol), inner[name]) for name, run in runs.items()}
    took = {name: times.cpu / inner[name] for name, times in timing.rounds(loops, repeats).items()}
    fastest, rows = np.median(next(iter(took.values()))), []
    for name, cpu in took.items():
        errors = np.abs(events[name][: reference.size] - reference).max(), abs(events[name][EVENTS - 1] - last)
        numbers = (f"{1e3 * np.median(cpu):.3f}", f"{1e3 * np.ptp(cpu):.3f}", f"{np.median(cpu) / fastest:.1f}")
        rows.append((name, *numbers, *(f"{error:.1e}" for error in errors)))
    head = ("engine", "CPU [ms]", "spread [ms]", "ratio", "err16 [s]", "err100 [s]")
    words = [f"{name}: not installed, skipped." for name in missing]
    words += [first_call()] if hy.simulator.loader.has_numba() else []
    return Page(f"{EVENTS} events, atol = rtol / 100.", Table(head, rows), *words)
