"""The result of a run: its status, its record, and its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spelling import listed
from . import shown
from .dense_output import DenseOutput
from .kernel import codes

if TYPE_CHECKING:
    import xarray as xr


class Status(Enum):
    """Why a run ended; the values are sentences."""

    FINAL_TIME = "the final time was reached"
    STOPPED = "stopped where it was asked to stop"
    CHART_LIMIT = (
        "another event was due after max_charts of them, declined ones included; the run may be Zeno or chatter"
    )
    INVALID_CHART = "the state left the region where its chart is valid"
    INVALID_ENTRY = "a chart was entered with one of its guards already negative"
    STEP_TOO_SMALL = "the integration step became smaller than allowed; the field may be singular or discontinuous"
    STOP_ITER = "a guard has no definite sign beside its jump, or its zero was not found within max_stop_iter"
    ZENO = "the events accumulate at a finite time, which the run cannot pass"
    CHATTER = "events follow one another without time passing"
    NONFINITE = "a number is NaN or infinite"
    STEP_LIMIT = "the largest allowed number of integration steps was taken"
    UNKNOWN_CHART = "a transition led to a chart that the model does not have"
    MODEL_ERROR = "a function of the model, or a callback, raised an exception"


STATUS_OF_CODE = {getattr(codes, status.name): status for status in Status}
KINDS = ("transition", "declined", "grazing", "accumulation")


@dataclass(frozen=True)
class Names:
    """Names of a model's entries, shared by its results."""

    state: tuple[str, ...]
    memory: tuple[str, ...]
    params: tuple[str, ...]
    guards: tuple[str, ...]
    aux: tuple[str, ...]
    charts: tuple[str, ...] | None  # None: made on demand

    def chart(self, code: int) -> str | int:
        """Return a chart's name, or its code if charts have none."""
        return self.charts[code] if self.charts is not None and 0 <= code < len(self.charts) else int(code)


@dataclass(frozen=True)
class Events:
    """The event log, one row each, in order of time.

    Attributes:
        log: The kernel's table, shape (k, ...); the properties are its columns.
        names: Names of the model's entries.
    """

    log: np.ndarray
    names: Names

    def __len__(self) -> int:
        return len(self.log)

    @property
    def t(self) -> np.ndarray:
        """Times [s], shape (k,)."""
        return self.log[:, 0]

    @cached_property
    def kind(self) -> np.ndarray:
        """What happened, shape (k,) of str.

        "transition"; "declined" (by the transition, which may have changed the memory); "grazing" (a guard came
        within the tolerance of zero and turned back; nothing was done); "accumulation" (the run jumped to the limit of
        Zeno events).
        """
        return np.array(KINDS)[self.log[:, 1].astype(int)]

    @cached_property
    def chart_before(self) -> np.ndarray:
        """Chart codes before the event, shape (k,)."""
        return self.log[:, 2].astype(np.int64)

    @cached_property
    def chart_after(self) -> np.ndarray:
        """Chart codes after the event, shape (k,)."""
        return self.log[:, 3].astype(np.int64)

    @property
    def x_minus(self) -> np.ndarray:
        """States before the transition, shape (k, n)."""
        return self._states(0)[:, : len(self.names.state)]

    @property
    def d_minus(self) -> np.ndarray:
        """Memory before the transition, shape (k, n_memory)."""
        return self._states(0)[:, len(self.names.state) :][:, : len(self.names.memory)]

    @property
    def x_plus(self) -> np.ndarray:
        """States after the transition, shape (k, n)."""
        return self._states(1)[:, : len(self.names.state)]

    @property
    def d_plus(self) -> np.ndarray:
        """Memory after the transition, shape (k, n_memory)."""
        return self._states(1)[:, len(self.names.state) :][:, : len(self.names.memory)]

    @cached_property
    def fired(self) -> np.ndarray:
        """Which guards fired: their transitions were performed, shape (k, n_guards) of bool."""
        return self._guards() > 0

    @cached_property
    def reached(self) -> np.ndarray:
        """The mask of guards at zero in the event, also those that another's transition moved away, as `fired`."""
        return self._guards() != 0

    @cached_property
    def jumped(self) -> np.ndarray:
        """The mask of guards that fired with a jump past zero instead of a crossing, as `fired`."""
        return self._guards() == 2

    @cached_property
    def name(self) -> np.ndarray:
        """Names of the guards that fired, several joined with '+', shape (k,)."""
        rows = ("+".join(n for n, f in zip(self.names.guards, row, strict=True) if f) for row in self.fired)
        return np.array(list(rows), dtype=str)

    def of(self, guard: str, kind: str = "transition") -> np.ndarray:
        """Return the rows in which a guard fired, as indices, shape (n_rows,).

        Raises:
            ValueError: If there is no guard of that name.
        """
        if guard not in self.names.guards:
            raise ValueError(f"unknown guard {guard!r}; known: {listed(guard, self.names.guards)}")
        return np.flatnonzero(self.fired[:, self.names.guards.index(guard)] & (self.kind == kind))

    @property
    def _width(self) -> int:
        return len(self.names.state) + max(len(self.names.memory), 1)

    def _guards(self) -> np.ndarray:
        return self.log[:, 4 + 2 * self._width :][:, : len(self.names.guards)]

    def _states(self, after: int) -> np.ndarray:
        start = 4 + after * self._width
        return self.log[:, start : start + self._width]


@dataclass(frozen=True)
class Zeno:
    """The accumulation point of events, extrapolated from the constant ratio of their gaps."""

    time: float  # predicted limit [s]
    ratio: float  # of successive gaps
    guard: str
    settled_after: int  # number of transitions after which the ratio had settled


@dataclass(frozen=True)
class Result:
    """A finished run. It contains everything recorded until the end, for any status."""

    status: Status
    message: str
    t_end: float  # where it ended [s]
    x_end: np.ndarray  # (n,)
    d_end: np.ndarray  # (n_memory,)
    chart_end: int
    p: np.ndarray  # (n_params,) as used
    names: Names
    error: BaseException | None = None
    _record: np.ndarray = field(repr=False, default=None)
    _log: np.ndarray = field(repr=False, default=None)
    _aux: Any = field(repr=False, default=None)
    _w: np.void = field(repr=False, default=None)
    _steps: np.ndarray = field(repr=False, default=None)

    @property
    def counts(self) -> dict[str, int]:
        """Steps, rejected steps, field evaluations, transitions, declined ones, and points outside a valid chart."""
        names = ("n_steps", "n_rejected", "n_field", "n_charts", "n_declined", "n_warnings")
        words = ("steps", "rejected", "field", "transitions", "declined", "warnings")
        return {word: int(self._w[name]) for word, name in zip(words, names, strict=True)}

    @property
    def guard(self) -> str:
        """The guard at which the run ended: one that must not be negative was; an empty string if there is none."""
        by = self.status in (Status.INVALID_CHART, Status.INVALID_ENTRY, Status.CHATTER, Status.ZENO, Status.STOP_ITER)
        culprit = int(self._w["culprit"]) if by else -1
        return self.names.guards[culprit] if culprit >= 0 else ""

    @property
    def n_sampled(self) -> int:
        """Number of windows in which samples decided about a guard, for want of an enclosure."""
        return int(self._w["n_sampled"])

    @property
    def zeno(self) -> Zeno | None:
        """The accumulation point of events, if the ratio of their gaps has settled below 1."""
        w = self._w
        if int(w["zeno_guard"]) < 0:
            return None
        guard = self.names.guards[int(w["zeno_guard"])]
        return Zeno(float(w["zeno_limit"]), float(w["zeno_ratio"]), guard, int(w["zeno_chart_count"]))

    @property
    def t(self) -> np.ndarray:
        """Recorded times [s], shape (m,)."""
        return self._record[:, 0]

    @cached_property
    def chart(self) -> np.ndarray:
        """Recorded chart codes, shape (m,)."""
        return self._record[:, 1].astype(np.int64)

    @property
    def x(self) -> np.ndarray:
        """Recorded states, shape (m, n)."""
        return self._record[:, 2 : 2 + len(self.names.state)]

    @property
    def d(self) -> np.ndarray:
        """Recorded memory, shape (m, n_memory)."""
        start = 2 + len(self.names.state)
        return self._record[:, start : start + len(self.names.memory)]

    @cached_property
    def _dense(self) -> DenseOutput:
        if self._steps is None:
            raise ValueError("the dense output was not kept: run(..., dense=True)")
        end = self.t_end, self.x_end, self.d_end, self.chart_end
        return DenseOutput(self.events, self._record, self._steps, end)

    def at(self, t: Any, side: str = "right") -> np.ndarray:
        """The state at times of the run, of any shape [s]; shape (..., n). Needs `run(..., dense=True)`.

        Args:
            t: Times within the run.
            side: At an event, the state "left" of it (before) or "right" of it (after its transition).

        Raises:
            ValueError: If a time is not within the run, the side is unknown, or the dense output was not kept.
        """
        return self._dense.states(t, side)

    def memory_at(self, t: Any, side: str = "right") -> np.ndarray:
        """The memory at times of the run, shape (..., n_memory); as `at`."""
        return self._dense.memory(t, side)

    def chart_at(self, t: Any, side: str = "right") -> np.ndarray:
        """The codes of charts at times of the run, shape (...); as `at`."""
        return self._dense.charts(t, side)

    @cached_property
    def aux(self) -> np.ndarray:
        """The model's auxiliary functions at the recorded points, shape (m, n_aux)."""
        return self._aux(self.t, self.x, self.d, self.p, self.chart)

    @cached_property
    def events(self) -> Events:
        """The event log."""
        return Events(self._log, self.names)

    def to_xarray(self) -> xr.Dataset:
        """Return the run as a labelled dataset.

        Along `time`: every state, memory entry and auxiliary function, and `chart`, by name. Along `event`: time, name,
        kind, charts and states (k, n) before and after. Its attributes are status, message, final time and parameters.
        """
        return shown.dataset(self)

    def plot(self, names: Sequence[str] | None = None) -> Any:
        """Return a Matplotlib figure of columns over time, each in a row, with a grey line at every transition.

        Args:
            names: Of states, memory entries or auxiliary functions; by default the states.

        Raises:
            ValueError: If there is no such column, or the run has no two rows.
        """
        return shown.plot(self, names)
