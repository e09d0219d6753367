"""The hopping leg's gait: settling onto it, one period of it, and its Floquet multipliers against the commanded speed.

Usage: tarsus figure hopping leg gait [--out out/figures]
Runtime: half a minute to compile once, then about 10 s.
"""

from __future__ import annotations

import sys

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import HoppingLegParams, hip_height
from tarsus.controllers.raibert import Raibert
from tarsus.scripts.plotting import figure_main

SPEEDS = (-0.5, 0.0, 0.5, 1.0, 1.5)
N_HOPS = 40
# Apex coordinates: hip and knee, all rates but the pitch's (zero there), pitch; then the memory that a hop changes.
# The yaw is left out: the gait turns about the boom, and its return map is in coordinates that do not.
STATES = (1, 2, 3, 4, 6, 7)
MEMORY = ("from_y", "from_z", "mean_force", "lean_now")
RTOL, ATOL = 1e-4, 1e-5  # of differences of a map that is right to 1e-9


def compute() -> dict[str, np.ndarray]:
    """Return apex heights and speeds hop by hop, one period's history, and the multipliers at every speed."""
    model = hybrid_leg.build(Raibert())
    sim = hy.compile(model)
    data = {"speed": np.array(SPEEDS)}
    heights, speeds, moduli = [], [], []
    for speed in SPEEDS:
        r = sim.run(params={"speed": speed}, final_time=60, record_period=None, stop_at="apex", stop_count=N_HOPS)
        apex = r.events.of("apex")
        heights.append(hip_height(HoppingLegParams(), r.events.x_plus[apex, 1]))
        speeds.append(r.events.x_plus[apex, 4])
        moduli.append(np.abs(multipliers(sim, model, r, speed)))
    one = sim.run(r.x_end, r.d_end, {"speed": SPEEDS[-1]}, t0=r.t_end, chart="descent", final_time=r.t_end + 0.42)
    aux = dict(zip(hybrid_leg.AUX, one.aux.T, strict=True))
    grid = np.linspace(one.t[0], one.t[-1], 400)
    data |= {name: np.interp(grid, one.t, aux[name]) for name in ("F_Y", "F_Z", "u_hip", "u_knee", "hip_z", "toe_z")}
    data |= {"t": grid - grid[0], "apex_height": np.array(heights), "apex_speed": np.array(speeds)}
    return data | {"multipliers": np.array(moduli)}


def multipliers(sim: hy.Simulator, model: hy.Model, run: hy.Result, speed: float) -> np.ndarray:
    """Return the multipliers of the gait that a run has settled on, from differences of its apex map, shape (10,)."""
    memory = [model.memory_names.index(name) for name in MEMORY]
    x_star, d_star, t_event = run.x_end.copy(), run.d_end.copy(), model.memory_names.index("t_event")
    x_star[0] = 0.0
    d_star[t_event] -= run.t_end

    def lift(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, d = x_star.copy(), d_star.copy()
        x[list(STATES)], d[memory] = z[: len(STATES)], z[len(STATES) :]
        # What the controller remembers of this apex follows from it.
        d[model.memory_names.index("apex_height")] = hip_height(HoppingLegParams(), x[1])
        d[model.memory_names.index("apex_speed")] = x[4]
        return x, d

    def project(x: np.ndarray, d: np.ndarray) -> np.ndarray:
        return np.concatenate([x[list(STATES)], d[memory]])

    apex_map = sections.return_map(sim, "apex", lift, project, {"speed": speed}, chart="descent", rtol=1e-11)
    z = project(x_star, d_star)
    return sections.multipliers(sections.derivative(apex_map, z))


def draw(data: dict[str, np.ndarray]):
    """Return a matplotlib figure of `data`."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for k, speed in enumerate(data["speed"]):
        error = np.abs(data["apex_height"][k] - 0.4) + 1e-9
        axes[0, 0].semilogy(1e3 * error, ".-", lw=0.8, ms=3, label=f"{speed:+.1f} m/s")
        axes[0, 1].plot(data["apex_speed"][k], ".-", lw=0.8, ms=3)
    axes[0, 0].set(xlabel="hop", ylabel="apex height, off 0.4 m [mm]", title="Settling from rest")
    axes[0, 0].legend(fontsize=8)
    axes[0, 1].set(xlabel="hop", ylabel="speed at the apex [m/s]", title="Commanded: -0.5, 0, 0.5, 1, 1.5 m/s")
    for name, label in (("F_Z", "force up [N]"), ("F_Y", "along the way [N]")):
        axes[1, 0].plot(data["t"], data[name], label=label)
    for name, label in (("u_hip", "hip torque [N m]"), ("u_knee", "knee torque [N m]")):
        axes[1, 0].plot(data["t"], data[name], "--", lw=0.9, label=label)
    axes[1, 0].set(xlabel="time from an apex [s]", title=f"One hop at {data['speed'][-1]:.1f} m/s")
    axes[1, 0].legend(fontsize=8)
    axes[1, 1].plot(data["speed"], data["multipliers"][:, :6], "o-", ms=4)
    axes[1, 1].axhline(1.0, color="0.6", lw=0.8)
    axes[1, 1].set(xlabel="commanded speed [m/s]", ylabel="|multiplier|", ylim=(0, 1.05), title="The six largest")
    return figure


def main(argv: list[str] | None = None) -> int:
    """Write the figure's data and picture."""
    return figure_main(__file__, compute, draw, argv)


if __name__ == "__main__":
    sys.exit(main())
