"""The pictures of contact against reality: errors, friction, a toss frame by frame, and impacts of the ellipse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tarsus.scripts.laboratory.reality import friction, noise, rotations
from tarsus.scripts.laboratory.studies.study_plots import plain_log
from tarsus.scripts.library.reality import cube, offering, rigid, rollouts, scoring, tosses
from tarsus.scripts.library.reality.rollouts import CubeContact
from tarsus.scripts.library.reality.tosses import HALF_WIDTH, RATE, Toss
from tarsus.scripts.suite import running

# Of the paper on which the metric is: Drake, Bullet and MuJoCo, tuned on these tosses, published convention.
PUBLISHED = (("Drake", 13.5, 16.5), ("Bullet", 14.9, 16.5), ("MuJoCo", 25.1, 21.7))
FRICTIONS = (0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24, 0.28)
CONES = {"elliptic cone": "stiff", "pyramid": "stiff pyramidal"}  # settings of MuJoCo that differ by nothing else
EVERY = 5  # one of so many tosses is simulated for a point of the curve
SHOWN = 3  # of the tosses that are held out, the one that is drawn
FRAMES = (0, 8, 16, 28, 44, 70)  # of it
EDGES = [(i, j) for i, j in combinations(range(8), 2) if np.abs(friction.CORNERS[i] - friction.CORNERS[j]).sum() < 0.15]


class ScoredSetting(NamedTuple):
    """The scores of an engine's setting in a convention."""

    name: str
    convention: str
    how: str  # untuned or tuned
    scores: cube.Scores

    @property
    def words(self) -> str:
        """What the row is called."""
        return f"{self.name}, {self.how}"


def loss(row: ScoredSetting) -> float:
    """Return the key that rows are sorted by."""
    return row.scores.loss


def draw(rows: list[ScoredSetting]):
    """Draw errors with intervals, against time since contact, against cost and against friction."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 11), layout="constrained")
    best = [row for row in rows if row.convention == "published" and np.isfinite(loss(row))]
    best = sorted(best, key=lambda row: row.scores.errors[:, 0].mean(), reverse=True)
    _bars(axes[0, 0], best, 0, "position error [%], published convention", [one[1] for one in PUBLISHED])
    _bars(axes[0, 1], best, 1, "rotation error [deg], published convention", [one[2] for one in PUBLISHED])
    axes[0, 1].set_yticklabels([])
    corrected = [
        row for row in rows if row.convention == "corrected" and np.isfinite(loss(row)) and row.how != "untuned"
    ]
    for row in corrected:
        curve = row.scores.curve
        axes[1, 0].plot(1e3 * np.arange(1, curve.shape[1] + 1) / RATE, curve[0], label=row.words)
        axes[1, 1].plot(row.scores.cost, row.scores.errors[:, 0].mean(), "o", label=row.words)
    floor = noise.floor(tosses.CORRECTED, partial(rigid.run, step=rigid.SETTINGS["1 ms"])).curve[0]
    axes[1, 0].plot(1e3 * np.arange(1, len(floor) + 1) / RATE, floor, "k--", label="the measured starts' noise alone")
    axes[1, 0].set(xlabel="time since contact [ms]", ylabel="position error [%], corrected convention", yscale="log")
    axes[1, 1].set(xlabel="processor time over simulated time", ylabel="position error [%], corrected", xscale="log")
    axes[1, 0].set_ylim(bottom=1e-2)
    figure.legend(*axes[1, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    plain_log(axes[1, 1].xaxis)
    return figure


def _bars(axis, rows: list[ScoredSetting], column: int, label: str, published: list[float]) -> None:
    for place, row in enumerate(rows):
        one = scoring.estimate(row.scores.errors[:, column])
        axis.barh(place, one.value, color="0.7" if "untuned" in row.how else "C0")
        axis.plot([one.low, one.high], [place, place], color="black", lw=1.5)
    names = [row.words for row in rows]
    for (name, *_), value in zip(PUBLISHED, published, strict=True):
        axis.barh(len(names), value, fill=False, ec="C3")
        names.append(f"{name}, as published")
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.set_xlabel(label)


def draw_ellipse(impacts: Mapping):
    """Draw slip and spin after impacts with both signs: true friction leaves many that stick, and tells the spin."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 1 + len(impacts["spins"]), figsize=(13, 4), layout="constrained")
    for sign, counts in impacts["slips"].items():
        axes[0].stairs(counts, offering.SLIPS, label=f"{sign} sign", lw=1.5)
    axes[0].set(xlabel="slip after the impact [m/s]", ylabel="impacts", xlim=tuple(offering.SLIPS[[0, -1]]))
    axes[0].legend()
    for axis, (sign, counts) in zip(axes[1:], impacts["spins"].items(), strict=True):
        seen = np.ma.masked_equal(np.array(counts), 0)
        shown = axis.pcolormesh(offering.SPINS, offering.SPINS, seen.T, cmap="viridis_r", norm="log", vmin=1, vmax=50)
        axis.plot(offering.SPINS[[0, -1]], offering.SPINS[[0, -1]], color="black", lw=0.8)
        axis.set(xlabel="spin after, measured [rad/s]", title=f"{sign} sign, by {offering.SPIN_LAW.title()}'s law")
        axis.set(ylabel="predicted [rad/s]", aspect="equal")
    figure.colorbar(shown, ax=axes[-1], label="impacts", ticks=[1, 3, 10, 30], format="%d")
    return figure


def draw_friction():
    """Draw the error over friction with a cone and a pyramid, and the friction that corners and faces show."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    for name, setting in CONES.items():
        left.plot(FRICTIONS, errors_over_friction(setting), "o-", label=name)
    left.set(xlabel="friction coefficient", ylabel="position error [%]", ylim=(0, None), title="MuJoCo, stiff contacts")
    left.legend()
    measured, bins = tosses.read(tosses.CORRECTED), np.linspace(0.05, 0.35, 46)
    for name, found in (("corners that hit", friction.of_corners(measured)), ("faces", friction.of_faces(measured))):
        low, middle, high = np.percentile(found, [25, 50, 75])
        label = f"{name}: {middle:.3f}, half of {len(found)} in {low:.3f} to {high:.3f}"
        right.hist(found, bins, density=True, alpha=0.6, label=label)
    right.set(xlabel="friction that slides", ylabel="density", title="measured", ylim=(0, 45))
    right.legend(loc="upper left")
    return figure


def errors_over_friction(setting: str) -> list[float]:
    """Return the mean position error of held out tosses in MuJoCo, corrected convention, at each friction [%]."""
    some = tosses.half(tosses.read(tosses.CORRECTED), True)[::EVERY]
    run = _mujoco(setting)
    frictions = (CubeContact(mu) for mu in FRICTIONS)
    return [float(cube.score(run, some, tosses.CORRECTED, contact).errors[:, 0].mean()) for contact in frictions]


def _mujoco(setting: str) -> Callable:
    return partial(rollouts.run, rollouts.Engine(running.engine_file("mujoco"), setting))


def draw_toss():
    """Draw a toss at some of its frames: as it was measured, by our own cube, and by MuJoCo as it comes."""
    import matplotlib.pyplot as plt

    toss = tosses.half(tosses.read(tosses.CORRECTED), True)[SHOWN]
    models = {
        "rigid cube": (partial(rigid.run, step=rigid.SETTINGS["0.25 ms"]), CubeContact(0.18, 0.2, 4e-3), "C0"),
        "MuJoCo, reference": (_mujoco("reference"), CubeContact(0.18, 0.125, 4e-3), "C2"),
        "MuJoCo, defaults": (_mujoco("defaults"), CubeContact(0.21, 0.25, 4e-3), "C3"),
    }
    poses = [("measured", toss.position, toss.quaternion, "black")]
    for name, (run, contact, colour) in models.items():
        (made,) = run([toss], tosses.CORRECTED, contact)
        poses.append((name, made.position, made.quaternion, colour))
    figure = plt.figure(figsize=(13, 5.4), layout="constrained")
    for place, frame in enumerate(FRAMES):
        axis = figure.add_subplot(2, 3, place + 1, projection="3d")
        for name, position, quaternion, colour in poses:
            _outline(
                axis, position[frame], quaternion[frame], name, color=colour, lw=2.2 if name == "measured" else 1.2
            )
        _look_at(axis, toss, frame)
        axis.set_title(f"{1e3 * toss.time[frame]:.0f} ms", y=0.95, fontsize=10)
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names))
    return figure


def _outline(axis, position: np.ndarray, quaternion: np.ndarray, label: str, **style) -> None:
    corners = position + friction.CORNERS @ rotations.matrix(quaternion).T
    for k, (i, j) in enumerate(EDGES):
        axis.plot(*corners[[i, j]].T, label=label if k == 0 else None, **style)


def _look_at(axis, toss: Toss, frame: int) -> None:
    """Show the board around the measured cube, from the side of its way."""
    x, y, _ = toss.position[frame]
    wide = 3.0 * HALF_WIDTH
    grid = np.linspace(-wide, wide, 7)
    for step in grid:
        axis.plot([x - wide, x + wide], [y + step, y + step], [0, 0], color="0.85", lw=0.6, zorder=0)
        axis.plot([x + step, x + step], [y - wide, y + wide], [0, 0], color="0.85", lw=0.6, zorder=0)
    axis.set(xlim=(x - wide, x + wide), ylim=(y - wide, y + wide), zlim=(0.0, 4.0 * HALF_WIDTH))
    axis.set_box_aspect((6, 6, 4), zoom=1.6)
    axis.view_init(elev=18, azim=-60)
    axis.set_axis_off()
