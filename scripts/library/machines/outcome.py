"""The result of a machine's run in either engine: its record, and its status."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from tarsus.scripts.library.records import stances

if TYPE_CHECKING:
    import xarray as xr

SAMPLE_PERIOD = 1e-3  # between rows of a record by default [s]; a longer timestep records every step


class RunStatus(StrEnum):
    """How a run ended, where no sentence of the engine's says more."""

    COMPLETED = "reached the end"
    TOPPLED = "toppled: the body tilted by more than 60 degrees"
    OVERTURNED = "overturned: the body tilted by more than 90 degrees"
    FELL = "fell: the centre of the body went below the ground"
    STOPPED = "stopped before its end, as asked"
    DIVERGED = "diverged: MuJoCo found numbers that are not finite or far too large"


@dataclass(frozen=True)
class Run:
    """What one engine made of an experiment."""

    record: xr.Dataset | None  # up to the last good state; None if no history was asked for
    status: str  # a `Status`, or a sentence
    warnings: str = ""  # the engine's, in words
    stances: tuple[np.ndarray, ...] = ()  # of each foot, as finely as the engine knows them (see `records.stances`)
    steps: dict[str, np.ndarray] = field(default_factory=dict)  # of a machine that hops: columns, a row a hop
    n_steps: int = 0  # of them completed

    @classmethod
    def of(cls, record: xr.Dataset, status: str | None = None, warnings: str = "", every: int = 1) -> Run:
        """Return the run of a record whose rows are all the steps: stances from its flags, then every n-th row."""
        flags, time = record["foot_contact"].values, record["time"].values
        feet = tuple(stances.from_flags(time, flags[:, leg]) for leg in range(flags.shape[1]))
        return cls(record.isel(time=slice(None, None, every)), status or record.attrs["status"], warnings, feet)

    @property
    def completed(self) -> bool:
        """Whether the machine was on its legs to the end."""
        return self.status == RunStatus.COMPLETED
