"""The articulated leg in a plot that follows, stops and plays back a run, in a film, and as the figure of a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.slip_leg_hybrid import AUX, CHARTS, STANCE
from tarsus.controllers.slip import laws
from tarsus.scripts.runs.slip_leg_runs import STATE
from tarsus.scripts.views.leg_plot import LegPlot

FORCE_SCALE = 1e-3  # length of a drawn force [m/N]
TRACE = 400  # rows of the mass centre's trace that stay visible


def show_row(plot: LegPlot, experiment, row, trace: np.ndarray) -> None:
    """Show one row of a record: links, virtual SLIP leg, ground force, trace of the mass centre, signals."""
    t, leg = float(row["time"]), experiment.params
    base = np.array([row["x"], row["z"]], float)
    knee = base + leg.thigh_length * np.array([np.sin(row["hip"]), -np.cos(row["hip"])])
    toe, com = np.array([row["toe_x"], row["toe_z"]], float), np.array([row["com_x"], row["com_z"]], float)
    force = np.array([row["force_x"], row["force_z"]], float)
    plot.points(t, "b:", *trace)
    plot.points(t, "ko-", base, knee, toe)
    plot.points(t, "g-", *_spring(toe, com))
    plot.points(t, "gs", com)
    plot.vector(t, toe, FORCE_SCALE * force, "r")
    phase = CHARTS[int(row["phase"])]
    plot.text(t, f"t {t:6.3f} s  {phase:<8}\nspeed {float(row['com_vx']):5.2f} m/s  height {com[1]:.4f} m")
    plot.signal(t, force_z=force[1], hip_torque=float(row["hip_torque"]), knee_torque=float(row["knee_torque"]))


def _spring(toe: np.ndarray, com: np.ndarray) -> np.ndarray:
    """Return the virtual leg as a zigzag from toe to mass centre, shape (15, 2)."""
    along = com - toe
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    s = np.linspace(0.0, 1.0, 15)
    wave = np.where((s > 0.15) & (s < 0.85), 0.02 * (-1.0) ** np.arange(s.size), 0.0)
    return toe + s[:, None] * along + wave[:, None] * across


def film(run, experiment, fps: float) -> LegPlot:
    """Return a plot with all frames of a run."""
    plot, record = _plot(experiment), run.record
    time = record["time"].values
    com = np.stack([record["com_x"], record["com_z"]], axis=1)
    for k in np.unique(np.searchsorted(time, np.arange(0.0, time[-1], 1.0 / fps))):
        show_row(plot, experiment, record.isel(time=k), com[max(0, k - TRACE) : k + 1])
    return plot


def follower(experiment, fps: float) -> tuple[LegPlot, Callable]:
    """Return a plot, and what shows a state in it while a run goes on.

    The latter is called with (t, x, d, phase) and returns whether the run should stop; of calls closer together than
    frames it shows the first.
    """
    plot, outputs, trace = _plot(experiment), slip_leg_hybrid.build(laws()).hooks["aux"], []
    params = hy.vector({**items(experiment.params), **items(experiment.control), **ground_table(experiment.ground)})

    def follow(t: float, x: np.ndarray, d: np.ndarray, phase: int) -> bool:
        if plot.moments and t < plot.moments[-1].t + (1 - 1e-6) / fps:
            return plot.stopped
        values = np.zeros(len(AUX))
        outputs(t, x, d, params, phase, values)
        row = dict(zip(STATE, x, strict=True)) | dict(zip(AUX, values, strict=True)) | {"time": t, "phase": phase}
        trace.append((row["com_x"], row["com_z"]))
        show_row(plot, experiment, row, np.array(trace[-TRACE:]))
        return plot.show()

    return plot, follow


def _plot(experiment) -> LegPlot:
    return LegPlot(ground=lambda x: experiment.ground.height(x, 0.0))


def draw(run):
    """Return the figure of a run: way of the mass centre, force, compression, energy at the apexes."""
    import matplotlib.pyplot as plt

    record, steps = run.record, run.steps
    figure, axes = plt.subplots(4, 1, figsize=(9, 9), layout="constrained")
    axes[0].plot(record["com_x"], record["com_z"], "b:", label="mass centre")
    stands = record["phase"].values == STANCE
    axes[0].plot(record["toe_x"][stands], record["toe_z"][stands], "k.", markersize=3, label="foot on the ground")
    axes[0].set(xlabel="x [m]", ylabel="z [m]", title=f"{record.attrs['engine']}: {run.n_steps} steps, {run.status}")
    axes[0].legend(fontsize=8, loc="upper right")
    for name in ("force_x", "force_z"):
        axes[1].plot(record["time"], record[name], linewidth=0.8, label=name)
    axes[1].set(ylabel="ground force [N]", ylim=(-150, 450), xlabel="t [s]")
    for name in ("hip_torque", "knee_torque"):
        axes[2].plot(record["time"], record[name], linewidth=0.8, label=name)
    axes[2].set(ylabel="torque [N m]", xlabel="t [s]")
    for name, style in (("apex_height", "o-"), ("apex_energy", "s-")):
        change = 100.0 * (steps[name] / steps[name][0] - 1.0)
        axes[3].plot(steps["time"], change, style, markersize=3, label=name)
    axes[3].set(xlabel="t [s]", ylabel="change since the start [%]")
    for axis in axes[1:]:
        axis.legend(fontsize=8, loc="upper right")
    return figure
