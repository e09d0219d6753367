"""What a machine must offer to be run in both engines and compared: the interface of `tarsus crossvalidate`.

A machine joins with a class like this and a line in `crossvalidate.MACHINES`; its record's layout is a line in
`layouts.LAYOUTS`.
"""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from tarsus.scripts.comparison import stances


@dataclass(frozen=True)
class Trial:
    """What one engine made of an experiment."""

    record: xr.Dataset
    stances: tuple[np.ndarray, ...]  # of each foot, as finely as the engine knows them (see `scripts.stances`)
    completed: bool  # whether the machine was on its legs to the end

    @classmethod
    def of(cls, record: xr.Dataset, completed: bool, every: int = 1) -> Trial:
        """Return the trial of a record whose rows are all the steps: stances from its flags, then every n-th row."""
        flags, time = record["foot_contact"].values, record["time"].values
        feet = tuple(stances.from_flags(time, flags[:, leg]) for leg in range(flags.shape[1]))
        return cls(record.isel(time=slice(None, None, every)), feet, completed)


class Machine(ABC):
    """A machine that both engines run from the same parameters, controller and start."""

    name: str  # as on the command line

    @abstractmethod
    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what `experiment` reads from the command line; `--preset` is there already."""

    @abstractmethod
    def experiment(self, args: argparse.Namespace) -> Any:
        """Return the machine, ground, gait, start and MuJoCo settings that the command line asks for.

        Raises:
            ValueError: If that is impossible; the sentence says why.
        """

    @abstractmethod
    def exact(self, experiment: Any, seconds: float, period: float, **accuracy: float) -> Trial:
        """Run the exact engine.

        Args:
            experiment: What to run.
            seconds: For how long [s].
            period: Between rows of the record [s].
            accuracy: The engine's own settings, such as `rtol`.

        Raises:
            RuntimeError: If the engine could not go on; the sentence says why.
        """

    @abstractmethod
    def mujoco(self, experiment: Any, seconds: float, fine: bool = True) -> Trial:
        """Run MuJoCo; the record's rows are whole steps, about a millisecond apart.

        Args:
            experiment: What to run.
            seconds: For how long [s].
            fine: Whether to look at every step, for contact times and the energy budget; that takes half as long again.
        """

    @abstractmethod
    def stride(self, experiment: Any) -> float:
        """Return the period of a stride, over which means are taken [s]."""
