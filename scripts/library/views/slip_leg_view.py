"""The articulated leg in a plot that follows, stops and plays back a run, in a film, and as the figure of a run."""

from __future__ import annotations

import numpy as np

from tarsus.analytic.hybrid.closing import forces
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.slip_leg_hybrid import AUX
from tarsus.controllers.slip import slip
from tarsus.controllers.slip_laws import PHASES, shown
from tarsus.scripts.library.views.leg_plot import LegPlot

FORCE_SCALE = 1e-3  # length of a drawn force [m/N]
TRACE = 400  # rows of the mass centre's trace that stay visible


PLANE = [0, 2]  # of the axes


def show_row(plot: LegPlot, experiment, row: dict, trace: np.ndarray) -> None:
    """Show one row of a record: links, virtual SLIP leg, ground force, trace of the mass centre, signals.

    Args:
        plot: Where.
        experiment: Of the leg.
        row: `time`, `base`, `toe`, `com`, `force` (2) in the plane, `hip` [rad], `torque` (2), `speed` and `phase`.
        trace: Of the mass centre, shape (n, 2) [m].
    """
    t, base, toe, com, force = (row[name] for name in ("time", "base", "toe", "com", "force"))
    knee = base + experiment.params.thigh_length * np.array([np.sin(row["hip"]), -np.cos(row["hip"])])
    plot.points(t, "b:", *trace)
    plot.points(t, "ko-", base, knee, toe)
    plot.points(t, "g-", *_spring(toe, com))
    plot.points(t, "gs", com)
    plot.vector(t, toe, FORCE_SCALE * force, "r")
    phase = PHASES[int(row["phase"])]
    plot.text(t, f"t {t:6.3f} s  {phase:<8}\nspeed {row['speed']:5.2f} m/s  height {com[1]:.4f} m")
    plot.signal(t, force_z=force[1], hip_torque=row["torque"][0], knee_torque=row["torque"][1])


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
    time, com = record["time"].values, record["com_position"].values[:, PLANE]
    columns = {
        "time": time,
        "base": record["body_position"].values[:, PLANE],
        "toe": record["foot_position"].values[:, 0, PLANE],
        "com": com,
        "force": record["foot_force"].values[:, 0, PLANE],
        "hip": record["joint_angle"].values[:, 0],
        "torque": record["torque"].values,
        "speed": record["com_velocity"].values[:, 0],
        "phase": record["phase"].values,
    }
    for k in np.unique(np.searchsorted(time, np.arange(0.0, time[-1], 1.0 / fps))):
        row = {name: column[k] for name, column in columns.items()}
        show_row(plot, experiment, row, com[max(0, k - TRACE) : k + 1])
    return plot


class SlipLegFollower:
    """Shows states of a run as they come; of those closer together than moments, the first.

    Args:
        experiment: What runs.
        params: Of its hybrid model, in the order of the model's parameters.
        fps: Moments per simulated second.

    Attributes:
        plot: The plot.
        period: Between moments [s].
    """

    def __init__(self, experiment, params: np.ndarray, fps: float) -> None:
        self.plot, self.period, self._experiment, self._trace = _plot(experiment), 1 / fps, experiment, []
        self._params, self._loads = params, forces(slip(), slip_leg_hybrid.PLANT)

    def __call__(self, engine: str, t: float, x: np.ndarray, d: np.ndarray, phase: int, *_) -> bool:
        """Show what an engine says of now; return whether the run should stop."""
        return self.show(t, x, d, phase)

    def show(self, t: float, x: np.ndarray, d: np.ndarray, phase: int) -> bool:
        """Show a state, if a moment is due; return whether the run should stop."""
        plot, out, places = self.plot, np.zeros(len(AUX)), np.zeros(10)
        if plot.moments and t < plot.moments[-1].t + (1 - 1e-6) * self.period:
            return plot.stopped
        self._loads(t, x, d, self._params, phase, out)
        shown(t, x, d, self._params, phase, places)
        (torque, force), (com, com_velocity, toe) = np.split(out, 2), np.split(places[:6], 3)
        self._trace.append(com)
        row = {"time": t, "base": x[:2], "toe": toe, "com": com, "force": force, "hip": x[2], "torque": torque}
        show_row(
            plot, self._experiment, row | {"speed": com_velocity[0], "phase": phase}, np.array(self._trace[-TRACE:])
        )
        return plot.show()


def _plot(experiment) -> LegPlot:
    return LegPlot(ground=lambda x: experiment.ground.height(x, 0.0))


def draw(run):
    """Return the figure of a run: way of the mass centre, force, compression, energy at the apexes."""
    from matplotlib.figure import Figure

    record, steps = run.record, run.steps
    figure = Figure((9, 9), layout="constrained")
    axes = figure.subplots(4, 1)
    axes[0].plot(*record["com_position"].values[:, PLANE].T, "b:", label="mass centre")
    feet = record["foot_position"].values[record["foot_contact"].values][:, PLANE]
    axes[0].plot(*feet.T, "k.", markersize=3, label="foot on the ground")
    axes[0].set(xlabel="x [m]", ylabel="z [m]", title=f"{record.attrs['engine']}: {run.n_steps} steps, {run.status}")
    axes[0].legend(fontsize=8, loc="upper right")
    for axis in "xz":
        axes[1].plot(record["time"], record["foot_force"].sel(leg=0, axis=axis), linewidth=0.8, label=f"force_{axis}")
    axes[1].set(ylabel="ground force [N]", ylim=(-150, 450), xlabel="t [s]")
    for joint in ("hip", "knee"):
        axes[2].plot(record["time"], record["torque"].sel(motor=joint), linewidth=0.8, label=f"{joint}_torque")
    axes[2].set(ylabel="torque [N m]", xlabel="t [s]")
    for name, style in (("apex_height", "o-"), ("apex_energy", "s-")):
        change = 100.0 * (steps[name] / steps[name][0] - 1.0)
        axes[3].plot(steps["time"], change, style, markersize=3, label=name)
    axes[3].set(xlabel="t [s]", ylabel="change since the start [%]")
    for axis in axes[1:]:
        axis.legend(fontsize=8, loc="upper right")
    return figure
