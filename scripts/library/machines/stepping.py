"""The one loop in which MuJoCo runs a machine: command, step, and rows of a record.

A row is the state before a physics step, with the forces of that same instant: MuJoCo computes forces, toe positions
and sensors for the state a step starts from, and moves the state afterwards. So state is read before the step and
everything derived from it after; reading all of it after the step would mix two instants.

A run that diverges or falls ends there, and its status says so. MuJoCo itself would only count a warning, put the
machine back to the start, and go on.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np
from tqdm import tqdm

from tarsus.analytic.terrain import Terrain
from tarsus.envs.measure import UPRIGHT
from tarsus.mjcf.presets import Preset
from tarsus.mjcf.terrain import GroundPatches
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, RunStatus

# Kinks of the reference often fall on a step. The nudge puts them before it; otherwise rounding decides, leg by leg,
# and moves the speed of the coarse preset by half a percent.
NUDGE = 1e-5  # [timestep]
BAR = "{desc}{percentage:3.0f} %|{bar}| {n:.1f}/{total:.1f} s simulated [{elapsed}]"
ROOM = 10_000  # rows of a record that are made at once
BAD = [mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC]


class Stepper(ABC):
    """A machine in MuJoCo, `model` and `data`, under its controller, one physics step after the other."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, ground: Terrain, preset: Preset):
        """Take a compiled model at its start."""
        self.model, self.data, self.ground, self.n_steps = model, data, ground, 0
        self._patches, self._follow_every = GroundPatches(model, ground), preset.follow_every
        self._command_lead = preset.command_lead + NUDGE * model.opt.timestep

    def step(self) -> None:
        """Advance by one timestep."""
        self.command(self.data)
        self.advance()

    @abstractmethod
    def command(self, data: mujoco.MjData) -> None:
        """Write the commands for the step that starts from `data`."""

    def advance(self) -> None:
        """Let the ground follow the feet, and take the step."""
        if self.n_steps % self._follow_every == 0:
            self._patches.follow(self.data)
        self.n_steps += 1
        mujoco.mj_step(self.model, self.data)

    def ended(self) -> bool:
        """Return whether the run is complete before its time, asked at every step."""
        return False

    def fallen(self) -> str:
        """Return in what way the machine has fallen, or an empty string, asked at every row."""
        return ""

    def before(self) -> tuple:
        """Return a row's time and state, and what else the step is going to change; copied before the step."""
        return self.data.time, self.data.qpos, self.data.qvel

    @abstractmethod
    def after(self) -> tuple:
        """Return, after the step, what MuJoCo derived from the state before it; copied before the next."""

    def posture(self, upright: float = UPRIGHT, beyond: str = RunStatus.TOPPLED) -> str:
        """Return the words for a fall of a free body, `beyond` a tilt of cosine `upright`, or an empty string."""
        x, y, z, _, q_x, q_y, _ = self.data.qpos[:7]
        if 1 - 2 * (q_x * q_x + q_y * q_y) < upright:  # the vertical part of the body's up axis
            return beyond
        return RunStatus.FELL if z < self.ground.height(x, y) else ""

    def warnings(self) -> str:
        """Return MuJoCo's warnings, in words; empty if there are none."""
        counts = {kind: self.data.warning[kind].number for kind in range(mujoco.mjtWarning.mjNWARNING)}
        names = {kind: mujoco.mjtWarning(kind).name.removeprefix("mjWARN_") for kind in counts}
        return ", ".join(f"{names[kind]} ({count} times)" for kind, count in counts.items() if count)


def simulate(
    stepper: Stepper,
    seconds: float,
    every: int | None = None,
    *,
    endless: bool = True,
    on_frame: Callable | None = None,
    progress: bool = False,
) -> tuple[list[np.ndarray], str]:
    """Return the columns of a record from the stepper's start, and how the run ended; ValueError for less than a row.

    By default rows are `SAMPLE_PERIOD` apart, or else every so many steps: forces of an impact last a few milliseconds,
    and rows further apart than that miss some. If `endless`, a run to the end of its time is complete, though its
    stepper has not `ended`. `on_frame` is called with every row but the last; a true answer ends the run there.
    """
    timestep = stepper.model.opt.timestep
    every, n_rows = rows_in(seconds, timestep, every)
    rows = _Rows(n_rows + 1)
    with tqdm(total=n_rows, unit_scale=every * timestep, disable=not progress, bar_format=BAR) as bar:
        status = _run(stepper, every, n_rows, rows, on_frame, bar)
    if status == RunStatus.COMPLETED and not (endless or stepper.ended()):
        status = "the time allowed ran out"
    return [column[: rows.n] for column in rows.columns], status


def _run(stepper: Stepper, every: int, n_rows: int, rows: "_Rows", on_frame: Callable | None, bar: tqdm) -> str:
    for k in range(n_rows * every + 1):  # one step more closes the record
        row_due = k % every == 0
        if row_due and k and (fallen := stepper.fallen()):
            return fallen
        stepper.command(stepper.data)
        if stepper.ended():
            return RunStatus.COMPLETED
        before = [np.array(value) for value in stepper.before()] if row_due else []
        stepper.advance()
        if any(stepper.data.warning[kind].number for kind in BAD):
            return RunStatus.DIVERGED  # a row begun is given up: MuJoCo has reset the state
        if row_due:
            rows.add(*before, *stepper.after())
            bar.update(int(k > 0))
            if on_frame is not None and rows.n <= n_rows and on_frame(*rows.last()):
                return RunStatus.STOPPED
    return RunStatus.COMPLETED


class _Rows:
    """The columns of a record, filled row by row, at most so many: made by the first, doubled where a run needs it."""

    def __init__(self, most: int) -> None:
        self.n, self.columns, self._room = 0, [], min(most, ROOM)

    def add(self, *values: Any) -> None:
        if not self.n:
            self.columns = [np.empty((self._room, *np.shape(value)), np.asarray(value).dtype) for value in values]
        elif self.n == self._room:
            self.columns = [np.concatenate([column, np.empty_like(column)]) for column in self.columns]
            self._room *= 2
        for column, value in zip(self.columns, values, strict=True):
            column[self.n] = value
        self.n += 1

    def last(self) -> Iterator:
        return (column[self.n - 1] for column in self.columns)


def rows_in(seconds: float, timestep: float, every: int | None = None) -> tuple[int, int]:
    """Return the physics steps between two rows of a record, and how many rows follow; ValueError for less than one."""
    every = max(1, round(SAMPLE_PERIOD / timestep)) if every is None else every
    n_rows = round(seconds / (every * timestep))
    if n_rows < 1:
        raise ValueError(f"a run must last at least one row of {every * timestep:g} s, got {seconds} s")
    return every, n_rows
