"""A multipod that follows a path, steered by the sliding model; in MuJoCo only."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.machine import SET
from tarsus.scripts.library.machines.multipod import SHORTEST, Multipod
from tarsus.scripts.library.machines.outcome import Run

SPEED = 0.06  # along the path [m/s]
SINE = (0.2, 6.0, 6.0)  # amplitude, wavelength and length of the path by default [m]


class ConnectionMpc(Multipod):
    """A multipod that follows a path, planned on the sliding model."""

    name = "connection_mpc"
    seconds = None  # to the end of the path
    files = ("run.nc", "run.csv", "legs.csv", "path.csv", "run.png", "run.mp4")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--legs", dest="n_legs", type=arguments.count, help="how many, even, 4 to 50; default 12")
        words = "CSV file of points x, y in m, the path in the robot's frame at its start; by default a sine"
        parser.add_argument("--path", type=Path, metavar="FILE", help=words)
        parser.add_argument("--speed", type=arguments.number(low=0.0), default=SPEED, help="speed along the path [m/s]")
        parser.add_argument("--lost", nargs="+", type=int, default=[], metavar="LEG", help="legs missing in the model")
        words = "standard deviations of measured positions [m] and headings [rad]"
        parser.add_argument("--noise", nargs=2, type=arguments.number(low=0.0), default=(0.0, 0.0), help=words)
        parser.add_argument("--seed", type=arguments.integer(low=0), default=0, help="seed of the noise")
        parser.add_argument("--set", **SET, help="parameters of the robot, for instance leaf_k=800")

    def experiment(self, args: argparse.Namespace) -> Any:
        """Return the experiment of a command line; the path is rehearsed on the model."""
        from tarsus.analytic.models.multipod import MultipodParams
        from tarsus.analytic.models.sliding_walk import SlidingWalk
        from tarsus.controllers.feasibility import rehearse
        from tarsus.controllers.gaits import multipod_gait
        from tarsus.scripts.library.machines.connection_walk import TURNED, FollowingStepper, PathWalking

        if args.seconds is not None and args.seconds < SHORTEST:
            raise ValueError(f"a walk must last at least {SHORTEST:g} s for its tables, got --seconds {args.seconds:g}")
        names = [entry.name for entry in fields(MultipodParams) if entry.name not in ("n_legs", "motor")]
        given = arguments.assignments(args.set, "--set", names, " of a multipod")
        params = MultipodParams(n_legs=12 if args.n_legs is None else args.n_legs, **given)
        gait = multipod_gait(params, "undulation", yaw=TURNED[0])
        path = read_path(args.path, args.speed)
        model = SlidingWalk(params, lost=tuple(args.lost))
        rehearse(model, path)
        noise = tuple(args.noise)
        following = PathWalking(
            "multipod", params, gait, preset=args.preset, model=model, path=path, noise=noise, seed=args.seed
        )
        FollowingStepper(following)  # refuses what no model can be made of
        return following

    def mujoco(self, experiment: Any, seconds: float | None, fine: bool = True, **options: Any) -> Run:
        from tarsus.scripts.library.machines.connection_walk import follow

        return follow(experiment, seconds, **options)

    def failed(self, run: Run) -> bool:
        """Return whether MuJoCo warned, or the robot toppled."""
        return super().failed(run) or not run.completed

    def summary(self, run: Any) -> str:
        """Return the summary of a walk, and its distance from the path."""
        from tarsus.scripts.library.records.summary import text

        track, length = run.track, run.walking.params.segment_length * run.walking.params.n_segments
        words = super().summary(run)
        if len(track) < 2:
            return words
        held = sum("held" in decision.status.value for decision in run.decided)
        rows = [
            (
                "path",
                f"{run.walking.path.length:.2f} m at {run.walking.path.speed:g} m/s, walked for {track[-1, 0]:.1f} s",
            ),
            ("off the path", f"{_size(run.distance, length)}, {1e3 * run.distance.max():.1f} mm at most"),
            ("off where it should be by then", _size(run.late, length)),
            ("decisions", f"{len(run.decided)}, in {held} the last command was held"),
        ]
        return f"{words}\n\n{text(rows)}"

    def tables(self, run: Any) -> dict[str, Any]:
        """Return the loads of the legs, and the track in the path's frame."""
        import pandas as pd

        track = pd.DataFrame(run.track, columns=["time", "x", "y", "heading"])
        return super().tables(run) | {"path.csv": track.assign(distance=run.distance)}

    def figure(self, run: Any, experiment: Any) -> Any:
        """Return the path, the track and the controls."""
        from matplotlib.figure import Figure

        figure = Figure((9, 6), layout="constrained")
        above, below = figure.subplots(2, 1, height_ratios=[1.4, 1])
        wanted, track = experiment.path(np.linspace(0, experiment.path.duration, 400)), run.track
        above.plot(wanted[:, 0], wanted[:, 1], color="0.7", lw=5, label="path")
        above.plot(track[:, 1], track[:, 2], color="tab:blue", lw=1.2, label="centre of the body")
        above.set(xlabel="x [m]", ylabel="y [m]", title=f"{experiment.n_legs} legs, steered by the sliding model")
        above.axis("equal")
        above.legend(frameon=False)
        times = [decision.time for decision in run.decided]
        controls = np.array([decision.controls for decision in run.decided]).reshape(-1, 3)
        for values, name in zip(controls.T, ("yaw amplitude", "crab", "steering"), strict=True):
            below.step(times, values, where="post", label=name)
        below.set(xlabel="time [s]", ylabel="controls [rad]")
        below.legend(frameon=False, loc="upper right")
        return figure

    def stepper(self, experiment: Any) -> Any:
        from tarsus.scripts.library.machines.connection_walk import FollowingStepper

        return FollowingStepper(experiment)


def _size(distance: np.ndarray, length: float) -> str:
    rms = np.sqrt(np.mean(distance**2))
    return f"{1e3 * rms:.1f} mm rms, {rms / length:.4f} body lengths"


def read_path(file: Path | None, speed: float):
    """Return the path in a file, or the sine, at a speed; ValueError if it is none, or leaves the ground."""
    from tarsus.controllers.path import Path as Way
    from tarsus.mjcf.terrain import EDGE

    if file is None:
        return Way.sine(*SINE, speed)
    try:
        points = np.genfromtxt(file, delimiter=",", ndmin=2, comments="#")
    except (OSError, ValueError) as error:
        raise ValueError(f"--path {file}: {str(error).partition(chr(10))[0]}") from None
    points = points[1:] if len(points) and np.isnan(points[0]).all() else points  # names of columns
    if points.shape[1] != 2 or not np.isfinite(points).all():
        raise ValueError(f"--path {file} must have two numbers x, y in every line, after a line of names if any")
    try:
        path = Way(points, speed)
    except ValueError as error:
        raise ValueError(f"--path {file}: {error}") from None
    far = np.abs(path(np.linspace(0, path.duration, 1000))[:, :2] - path.points[0]).max()
    if far > EDGE:
        raise ValueError(
            f"--path {file} leaves the ground: it goes {far:.1f} m from its start, which ends at {EDGE:g} m"
        )
    return path


CONNECTION_MPC = ConnectionMpc()
