"""hybrid-tools' own bouncing ball, with the derivative by the height that it falls from: its engine beside ours.

The ball falls from `HEIGHT` and is asked for at `TIME`, some impacts later. hybrid-tools integrates by SciPy at its
tolerance of 1e-3, and its users propagate derivatives as its Kalman filter does: the discretised Jacobian between
events, exact for a ball, and the saltation matrix at each. Errors are against the closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.models import bouncing_ball
from tarsus.scripts.laboratory.benchmarks import hybrid_peers, timing
from tarsus.scripts.laboratory.frame import Table

HEIGHT, RESTITUTION, GRAVITY, TIME = 2.5, 0.8, 9.81, 3.0
WINDOWS = (0.01, 0.1)  # of hybrid-tools' time steps [s]
BALL = bouncing_ball.BouncingBall(gravity=GRAVITY, restitution=RESTITUTION)
Answer = tuple[np.ndarray, np.ndarray]  # height and velocity at TIME, and their derivatives by HEIGHT


def exact() -> Answer:
    """Return the closed form: times of impacts and speeds after them go as the root of the height."""
    p = hy.vector(BALL)
    times = bouncing_ball.impact_times(HEIGHT, p, 30)
    n = int(np.searchsorted(times, TIME))
    last, up = times[n - 1], RESTITUTION**n * math.sqrt(2.0 * GRAVITY * HEIGHT)
    since, late, faster = TIME - last, last / (2.0 * HEIGHT), up / (2.0 * HEIGHT)
    v = up - GRAVITY * since
    height = up * since - 0.5 * GRAVITY * since**2
    return np.array([height, v]), np.array([faster * since - v * late, faster + GRAVITY * late])


def ours() -> Callable[[], Answer]:
    """Return a run of this engine without derivative (NaN)."""
    sim = hy.compile(bouncing_ball.build(BALL))
    nothing = np.full(2, np.nan)
    return lambda: (sim.run({"height": HEIGHT}, chart="flight", final_time=TIME, record_period=None).x_end, nothing)


def ours_derived() -> Callable[[], Answer]:
    """Return a run of this engine with its derivative."""
    derivatives = Derivatives(bouncing_ball.build(BALL), 1)

    def run() -> Answer:
        end = derivatives.run(["height"], {"height": HEIGHT}, chart="flight", final_time=TIME).end
        return end.x, end.x_by[:, 0]

    return run


def theirs(window: float, derived: bool) -> Callable[[], Answer]:
    """Return a run of hybrid-tools in windows [s], with its derivative or without (NaN)."""
    from hybrid_tools import HybridSimulator, ModeNoise
    from hybrid_tools.basic_hybrid_systems import bouncing_ball as ball

    system, p, nothing = ball(), np.array([RESTITUTION, GRAVITY]), np.zeros(1)
    for mode, noise in system.noises.items():  # its ball is blown about at random
        system.noises[mode] = ModeNoise(np.zeros_like(noise.W), noise.V)

    def run() -> Answer:
        simulator = HybridSimulator(np.array([HEIGHT, 0.0]), "I", window, p, system)
        for i in range(round(TIME / window)):
            simulator.simulate_timestep(i * window, nothing)
        return simulator.get_state(), np.full(2, np.nan)

    return (lambda: saltated(system, p, window)) if derived else run


def saltated(system, p: np.ndarray, window: float) -> Answer:
    """Return the state at TIME and its derivative by the height, by hybrid-tools' functions."""
    from hybrid_tools import hybrid_helper_functions as ht
    from scipy.integrate import solve_ivp

    x, by, mode, u = np.array([HEIGHT, 0.0]), np.array([1.0, 0.0]), "I", np.zeros(1)
    for i in range(round(TIME / window)):
        t, end = i * window, (i + 1) * window
        while t < end:
            rate = ht.solve_ivp_dynamics_func(system.dynamics, mode, u, window, p)
            guards, modes = ht.solve_ivp_guard_funcs(system.guards, mode, u, window, p)
            for guard in guards:
                guard.terminal = True
            piece = solve_ivp(rate, [t, end], x, events=guards)
            met, at, new = ht.solve_ivp_extract_hybrid_events(piece, modes)
            until = end if new is None else at
            by = system.dynamics[mode].A_disc(x, u, until - t, p) @ by
            t, x = until, piece.y[:, -1] if new is None else met
            if new is not None:
                by = ht.compute_saltation_matrix(x, u, window, p, mode, new, system) @ by
                x, mode = system.resets[mode][new].r(x, u, window, p).reshape(2), new
    return x, by


def table(repeats: int) -> Table | str:
    """Return the table, or a sentence where hybrid-tools is not installed."""
    if "hybrid-tools" in hybrid_peers.missing():
        return "Its own bouncing ball was skipped: hybrid-tools is not installed (pip install 'tarsus[bench]')."
    runs = {"tarsus": ours(), "tarsus, with derivative": ours_derived()}
    for window in WINDOWS:
        runs[f"hybrid-tools {window}"] = theirs(window, False)
        runs[f"hybrid-tools {window}, with derivative"] = theirs(window, True)
    answers = {name: run() for name, run in runs.items()}
    took = {
        name: float(np.median(times.cpu)) / inner[name]
        for inner in [{name: 50 if name.startswith("tarsus") else 1 for name in runs}]
        for name, times in timing.rounds(
            {n: timing.repeated(run, inner[n]) for n, run in runs.items()}, repeats
        ).items()
    }
    x, by = exact()
    rows = []
    for name, (state, derivative) in answers.items():
        own = took["tarsus" + ", with derivative" * name.endswith("derivative")]
        errors = np.abs(state - x).max(), np.abs(derivative - by).max()
        cells = [f"{error:.1e}" if np.isfinite(error) else "" for error in errors]
        rows.append((name, f"{1e3 * took[name]:.3f}", f"{took[name] / own:.0f}", *cells))
    return Table(("engine", "CPU [ms]", "ratio", "error", "error of the derivative"), rows, "### Its own bouncing ball")
