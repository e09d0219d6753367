"""Run the articulated SLIP leg for some steps, exactly or in MuJoCo: summary, record, figure, video, live plot.

Writes run.nc (the labelled record), run.png (the figure) and run.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np

from tarsus.analytic import terrain as terrains
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.controllers.slip_parameters import DEFECTS, SlipControl

FORCE_SCALE = 1e-3  # length of a drawn force [m/N]
TRACE = 400  # rows of the mass centre's trace that stay visible


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="tarsus run slip leg", description=(__doc__ or "").partition("\n")[0], allow_abbrev=False
    )
    parser.add_argument("--steps", type=int, default=40, help="from apex to apex; default 40")
    parser.add_argument("--engine", default="hybrid", help="hybrid (exact, default) or mujoco")
    parser.add_argument("--preset", default="reference", help="MuJoCo's settings: reference (default) or rl")
    parser.add_argument("--out", type=Path, default=Path("out/slip_leg"), help="folder for the files")
    parser.add_argument("--no-compensation", action="store_true", help="without impact compensation")
    parser.add_argument(
        "--erratum", type=int, nargs="+", default=[], choices=DEFECTS, help="slips of the report to run with"
    )
    parser.add_argument(
        "--terrain", nargs="+", default=["flat"], metavar=("NAME", "ARG"), help=", ".join(terrains.TERRAINS)
    )
    parser.add_argument(
        "--set", nargs="+", default=[], action="extend", metavar="NAME=VALUE", help="parameters of leg or controller"
    )
    parser.add_argument("--fps", type=float, default=60.0, help="pictures per second of simulated time; default 60")
    parser.add_argument("--slower", type=float, default=4.0, help="the video is that much slower than life; default 4")
    parser.add_argument("--no-video", action="store_true", help="write no video")
    parser.add_argument("--live", action="store_true", help="show the run while it is computed, then play it back")
    return parser


def experiment_from(args: argparse.Namespace):
    """Return the experiment of a command line.

    Raises:
        ValueError: If a name is unknown or a value cannot be read.
    """
    from tarsus.scripts.slip_leg_runs import ENGINES, Experiment

    if args.engine not in ENGINES:
        raise ValueError(f"unknown engine {args.engine!r}; there are {', '.join(ENGINES)}")
    if args.steps < 1:
        raise ValueError(f"--steps must be at least 1, got {args.steps}")
    control = {DEFECTS[number]: 1.0 for number in args.erratum}
    control |= {"energy_gain": 0.5} if args.engine == "mujoco" else {}
    control |= {"compensate": 0.0, "energy_gain": 0.0} if args.no_compensation else {}
    leg: dict[str, float] = {}
    tables = {entry.name: leg for entry in fields(SlipLegParams)}
    tables |= {entry.name: control for entry in fields(SlipControl)}
    for assignment in args.set:
        name, _, value = assignment.partition("=")
        if name not in tables:
            raise ValueError(f"unknown parameter {name!r}; there are {', '.join(tables)}")
        try:
            tables[name][name] = float(value)
        except ValueError:
            raise ValueError(f"--set takes NAME=VALUE with a number, got {assignment!r}") from None
    try:
        ground = terrains.make(args.terrain[0], *map(float, args.terrain[1:]))
    except ValueError as error:
        raise ValueError(f"--terrain {' '.join(args.terrain)}: {error}") from None
    return Experiment(replace(SlipLegParams(), **leg), replace(SlipControl(), **control), ground)


def show_row(plot, experiment, row, trace: np.ndarray) -> None:
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
    phase = ("hold", "retract", "extend", "stance")[int(row["phase"])]
    plot.text(t, f"t {t:6.3f} s  {phase:<8}\nspeed {float(row['com_vx']):5.2f} m/s  height {com[1]:.4f} m")
    plot.signal(t, force_z=force[1], hip_torque=float(row["hip_torque"]), knee_torque=float(row["knee_torque"]))


def _spring(toe: np.ndarray, com: np.ndarray) -> np.ndarray:
    """Return the virtual leg as a zigzag from toe to mass centre, shape (15, 2)."""
    along = com - toe
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-12)
    s = np.linspace(0.0, 1.0, 15)
    wave = np.where((s > 0.15) & (s < 0.85), 0.02 * (-1.0) ** np.arange(s.size), 0.0)
    return toe + s[:, None] * along + wave[:, None] * across


def film(run, experiment, fps: float, plot=None, live: bool = False):
    """Return a plot with all frames of a run, shown while they are made if it is live."""
    from tarsus.scripts.leg_plot import LegPlot

    plot = plot or LegPlot(ground=lambda x: experiment.ground.height(x, 0.0))
    record = run.record
    time = record["time"].values
    com = np.stack([record["com_x"], record["com_z"]], axis=1)
    frames = np.unique(np.searchsorted(time, np.arange(0.0, time[-1], 1.0 / fps)))
    for k in frames:
        show_row(plot, experiment, record.isel(time=k), com[max(0, k - TRACE) : k + 1])
        if live and plot.show():
            break
    return plot


def draw(run):
    """Return the figure of a run: way of the mass centre, force, compression, energy at the apexes."""
    import matplotlib.pyplot as plt

    record, steps = run.record, run.steps
    figure, axes = plt.subplots(4, 1, figsize=(9, 9), layout="constrained")
    axes[0].plot(record["com_x"], record["com_z"], "b:", label="mass centre")
    stands = record["phase"].values == 3
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


def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, or 2 for a command line that cannot be run."""
    args = parser().parse_args(argv)
    import matplotlib

    if not args.live:
        matplotlib.use("Agg")
    from tarsus.scripts.slip_leg_runs import ENGINES

    try:
        experiment = experiment_from(args)
        options = {"preset": args.preset} if args.engine == "mujoco" else {}
        run = ENGINES[args.engine](experiment, args.steps, **options)
    except ValueError as error:
        print(f"tarsus run slip leg: {error}", file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    print(summary(run))
    run.record.to_netcdf(args.out / "run.nc")
    draw(run).savefig(args.out / "run.png", dpi=120)
    written = ["run.nc", "run.png"]
    if args.live or not args.no_video:
        plot = film(run, experiment, args.fps, live=args.live)
        if not args.no_video:
            plot.write_video(args.out / "run.mp4", args.fps / args.slower)
            written.append("run.mp4")
        if args.live:
            plot.playback()
    print(f"{args.out}: {', '.join(written)}")
    return 0


def summary(run) -> str:
    """Return what a run did, in words."""
    height, energy = run.steps["apex_height"], run.steps["apex_energy"]
    lines = [f"{run.record.attrs['engine']}: {run.n_steps} steps; {run.status}"]
    lines += [f"apex height {height.min():.5f} to {height.max():.5f} m, last {height[-1]:.5f} m"]
    lines += [
        f"energy of the mass centre at the apexes {energy[0]:.3f} J, last {energy[-1] / energy[0] - 1:+.2e} of it"
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
