"""Which leg was lost, or slips: a bank of hypotheses, each compared with a sound robot frame by frame.

A hypothesis says what would be measured, twist and tilt, if a leg carried nothing or had three tenths of its friction,
or if a payload moved the centre of mass: that tilts the body as a lost leg does, and must not be taken for one.
The logarithms of the likelihood ratios to the sound robot add up, never below zero (CUSUM); one that passes a threshold
is a finding. What the model misses on a sound robot repeats from stride to stride: `tare` takes it off by phase.
"""

from typing import NamedTuple

import numpy as np

from ..analytic.clock import TURN
from ..analytic.contact.kernels import MU, STIFFNESS
from ..analytic.models.multipod import MultipodParams
from ..analytic.models.sliding_observation import SlidingObservation
from .observer import Seen, Tare, bin_of

LOST, WET, PAYLOAD = "lost", "wet", "payload"
LOADS = tuple(
    (size * np.cos(angle), size * np.sin(angle)) for size in (4e-3, 8e-3, 14e-3) for angle in np.arange(8) * np.pi / 4
)  # by which a payload may have moved the centre of mass [m, m]
WET_SHARE = 0.3  # of its friction that a wet foot keeps
CLIPPED = 10.0  # largest evidence of a frame either way: a frame that no hypothesis explains says little
MARGIN = 2.0  # of the threshold over the largest evidence in the tare
LEAST_THRESHOLD = 40.0
LASTING = 2.0 * TURN  # phase over which a payload must lead: a lost leg looks like one for a part of the stride [rad]
LEAD = 20.0  # of the finding's evidence over that of any other hypothesis: at first several explain a change


class Fault(NamedTuple):
    """A finding."""

    leg: int | None  # None if it is a payload: learn it with a `PayloadObserver`, and tare with it before looking on
    kind: str  # LOST, WET or PAYLOAD
    evidence: float  # logarithm of the likelihood ratio to a sound robot, summed since it began to grow

    @property
    def sentence(self) -> str:
        """The fault that was found, and the others it may be."""
        if self.kind == PAYLOAD:
            return (
                "the centre of mass has moved: by a payload or, with six legs or fewer, by a lost leg; learn a payload "
                "with a PayloadObserver and tare the bank with it before looking for faults"
            )
        return f"leg {self.leg} is lost" if self.kind == LOST else f"the foot of leg {self.leg} is wet"


class FaultBank:
    """A bank of hypotheses of faults.

    Args:
        params: The robot.
        kinds: Of faults that are looked for, from `LOST` and `WET`; beside them always a `PAYLOAD`.

    Attributes:
        evidence: Of each hypothesis, kinds after one another, legs within (kinds * n,), then of `LOADS`.
        threshold: Of the evidence of a finding; infinite before `tare`.
    """

    def __init__(self, params: MultipodParams, kinds: tuple[str, ...] = (LOST, WET)) -> None:
        if not kinds or not set(kinds) <= {LOST, WET}:
            raise ValueError(f"kinds of faults are {LOST!r} and {WET!r}, got {kinds}")
        self._model, self.kinds, n = SlidingObservation(params), kinds, params.n_legs
        self._tables = np.repeat(self._model.table[None], 1 + len(kinds) * n, axis=0)  # the first is sound
        for k, kind in enumerate(kinds):
            for leg in range(n):
                column, share = (STIFFNESS, 0.0) if kind == LOST else (MU, WET_SHARE)
                self._tables[1 + k * n + leg, leg, column] *= share
        self.evidence, self.threshold = np.zeros(len(self._tables) - 1 + len(LOADS)), np.inf
        self._tare: Tare | None = None
        self._since = np.inf  # phase at which a payload began to lead [rad]

    def tare(self, frames: list[Seen], phases) -> None:
        """Learn what the model misses on a sound robot, and how much evidence it makes by itself.

        Args:
            frames: Of a walk of some strides.
            phases: Of the undulation [rad].

        Raises:
            ValueError: If the walk is too short; see `Tare.of`.
        """
        expected = np.array([self._expected(seen) for seen in frames])  # (frames, 1 + hypotheses, 5)
        self._tare = Tare.of([seen.measured for seen in frames], expected[:, 0], phases)
        self.reset()
        largest = 0.0
        for seen, among, phase in zip(frames, expected, phases, strict=True):
            self._weigh(seen, among, phase)
            largest = max(largest, self.evidence.max())
        self.threshold = max(LEAST_THRESHOLD, MARGIN * largest)
        self.reset()

    def update(self, seen: Seen, phase: float) -> Fault | None:
        """Take a frame; return the finding, a fault or a payload, or None while none has it or several do.

        Args:
            seen: The frame; one that is not wholly measured changes nothing.
            phase: Of the undulation, which grows from stride to stride [rad].

        Raises:
            RuntimeError: Before a tare.
        """
        if self._tare is None:
            raise RuntimeError("a fault bank must be tared by a walk of a sound robot first")
        self._weigh(seen, self._expected(seen), phase)
        faults = len(self._tables) - 1
        best, load = np.sort(self.evidence[:faults])[-2:], self.evidence[faults:].max()
        if load > max(self.threshold, best[-1] + LEAD):
            self._since = min(self._since, phase)
            return Fault(None, PAYLOAD, float(load)) if phase - self._since >= LASTING else None
        self._since = np.inf
        if best[-1] <= max(self.threshold, max(best[0], load) + LEAD):
            return None
        worst = int(np.argmax(self.evidence[:faults]))
        kind, leg = divmod(worst, len(seen.pos))
        return Fault(leg, self.kinds[kind], float(self.evidence[worst]))

    def reset(self) -> None:
        """Forget the evidence, not the tare."""
        self.evidence[:], self._since = 0.0, np.inf

    def _expected(self, seen: Seen) -> np.ndarray:
        faults = self._model.hypotheses(seen.pos, seen.vel, self._tables, np.zeros(2))
        loads = [self._model.hypotheses(seen.pos, seen.vel, self._tables[:1], d) for d in LOADS]
        return np.concatenate([faults, *loads])

    def _weigh(self, seen: Seen, expected: np.ndarray, phase: float) -> None:
        """Add a frame's evidence; a hypothesis under which the feet would not carry is out."""
        part = bin_of(phase)
        error = (seen.measured - self._tare.mean[part] - expected) / self._tare.deviation[part]
        square = np.sum(error**2, axis=1)
        if not np.isfinite(square[0]):
            return
        gain = np.where(np.isfinite(square[1:]), 0.5 * (square[0] - square[1:]), -np.inf)
        self.evidence = np.maximum(0.0, self.evidence + np.clip(gain, -CLIPPED, CLIPPED))
