"""An automaton at the samples of a simulator or a robot, which notices its events itself.

The rules at a sample, after one in which the state was x' and the commands were u':

1. At the first, the automaton chooses its phase.
2. Where the foot is in the air, `free` is x' moved on without ground under u'.
3. The phase's own events, in their order: one happens if its value is at most zero; if `falling`, also below that of x'
   with the present memory.
4. Else contact's, once a sample. Measured: what is measured contradicts the phase, and `settle` has passed since the
   last change. Predicted: the foot is below ground now or in `free`; the law receives the positions of now, and the
   velocities of `free`, which no impact has changed. Falling events and predictions, which look at x', wait where the
   phase was entered in this very sample.
5. After an event, the new phase from 3; an own event that ends contact is contact's, too.
6. The command, for the middle of the time for which it will be held.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compilation import compiled
from .automaton import Automaton, functions
from .closing import Plant
from .names import vector

MOST_EVENTS = 6  # at one sample


class Happened(NamedTuple):
    """An event that was noticed."""

    name: str
    t: float  # when it was noticed [s]
    x: np.ndarray  # state
    d: np.ndarray  # memory after it


class Sampled:
    """A controller for sampled use.

    Args:
        automaton: The controller.
        plant: Its model of the machine.
        memory: Names with first values, the plant's and then the automaton's.
        beliefs: What it takes the parameters of machine, ground and controller for, as the hybrid model's: names with
            values, or a vector. They need not be the plant's.
        settle: After a change of measured contact, for how long it is not believed [s]: a simulated contact may
            chatter, and a real switch bounces.
        hold: How long each command will be held [s]; a command that is computed for the moment lags by half of that,
            and a lagging spring does work.
        fast: Compile it: takes seconds once, then a tenth of the time per sample.

    Attributes:
        beliefs: The parameters, shape (n,); what is measured may be written there before a sample.
        memory: Memory, shape (n,).
        code: The phase's code; -1 before the first sample.
        log: The events since the last reset; the first is `start`.
    """

    def __init__(
        self,
        automaton: Automaton,
        plant: Plant,
        memory: dict[str, float],
        beliefs: dict | np.ndarray,
        *,
        settle: float = 0.0,
        hold: float = 0.0,
        fast: bool = True,
    ) -> None:
        self.automaton, self.hold, self.settle, self._first = automaton, hold, settle, vector(memory)
        self.beliefs = np.array(beliefs, float) if isinstance(beliefs, np.ndarray) else vector(beliefs)
        sample = sampling(automaton, plant)
        self._sample = compiled(sample) if fast else sample
        self._names, self._n, self._n_phases = (*automaton.events, "start"), automaton.n_commands, len(automaton.phases)
        self.reset()

    def reset(self) -> None:
        """Forget; the next sample is the first."""
        self.memory, self.code, self.log = self._first.copy(), -1, []
        self._last, self._notes = np.empty(0), np.empty((1 + MOST_EVENTS, 1 + self.memory.size))

    @property
    def phase(self) -> str:
        """The current phase; an empty string before the first sample."""
        return self.automaton.phases[self.code] if self.code >= 0 else ""

    def __call__(self, t: float, x: np.ndarray, touches: bool = False) -> np.ndarray:
        """Return the commands, shape (n,).

        Args:
            t: Time [s].
            x: State (q, v), shape (2 n,); copied.
            touches: Whether the foot touches the ground, where that is measured.
        """
        u, before = np.zeros(self._n), self.code
        if before < 0:
            self._last = np.concatenate([[t, -np.inf], x, u])
        self.code = found = self._sample(
            t, x, self.memory, self.beliefs, before, self._last, touches, self.settle, self.hold, u, self._notes
        )
        if found >= self._n_phases or before < 0:
            n, self.code = divmod(found, self._n_phases)
            places = ([-1] if before < 0 else []) + [*range(n)]
            for place, *d in self._notes[places]:
                self.log.append(Happened(self._names[int(place)], t, x.copy(), np.array(d)))
        return u


def sampling(automaton: Automaton, plant: Plant) -> Callable:
    """Return the function of one sample.

    It is `sample(t, x, d, p, phase, last, touches, settle, hold, u, notes) -> n phases + phase` for n events: `last`
    are time of the last sample, time of the last change of measured contact, state and commands; a row of the notes is
    an event's place in the automaton and the memory after it, the last row that after the start.
    """
    made, events, phases = functions(automaton), tuple(automaton.events.values()), automaton.phases
    values, happen, command, begin = made["values"], made["happen"], made["command"], automaton.first
    N, PHASES, predicting, middle = len(events), len(phases), predicted(automaton, plant), halfway(automaton, plant)
    active = np.array([[phase in event.phases for phase in phases] for event in events])
    own, falling = np.array([[event.value is not None, event.falling] for event in events]).T.copy()
    measured = np.array([event.seen == "measured" for event in events])
    down = np.array([phase in automaton.down for phase in phases])

    def note(row, k, d):
        row[0] = k
        for i in range(d.size):  # numba compiles 30 functions for `row[1:] = d`
            row[1 + i] = d[i]

    def chosen_own(t, x, d, p, phase, last, entered, v):
        values(t, x, d, p, phase, v)
        for k in range(N):
            if active[k, phase] and own[k] and v[k] <= 0.0:
                if not falling[k]:
                    return k
                if not entered:
                    now = v[k]
                    values(last[0], last[2 : 2 + x.size], d, p, phase, v)
                    if now < v[k]:
                        return k
                    v[k] = now
        return -1

    def chosen_contact(t, x, d, p, phase, last, entered, touches, settle, free):
        for k in range(N):
            if active[k, phase] and not own[k]:
                if measured[k]:
                    if touches != down[phase] and t > last[1] + settle:
                        return k
                elif not entered and predicting(t, x, d, p, last, free):
                    return k
        return -1

    def sample(t, x, d, p, phase, last, touches, settle, hold, u, notes):
        v, free, n = np.empty(N), x.copy(), 0
        entered, changed = phase < 0, False
        if entered:
            phase = begin(t, x, d, p)
            note(notes[MOST_EVENTS], N, d)
        while n < MOST_EVENTS:
            was, k = down[phase], chosen_own(t, x, d, p, phase, last, entered, v)
            if k >= 0:
                phase = happen(t, x, d, p, phase, k)
                changed = changed or was != down[phase]
            else:
                if not changed:
                    k = chosen_contact(t, x, d, p, phase, last, entered, touches, settle, free)
                if k < 0:
                    break
                phase = happen(t, free, d, p, phase, k)
                changed, last[1] = True, t
            entered = True
            note(notes[n], k, d)
            n += 1
        command(t, x, d, p, phase, u)
        if hold > 0.0:
            middle(t, x, d, p, phase, down[phase], hold, u)
        last[0] = t
        for i in range(x.size):
            last[2 + i] = x[i]
        for i in range(u.size):
            last[2 + x.size + i] = u[i]
        return n * PHASES + phase

    return sample


def predicted(automaton: Automaton, plant: Plant) -> Callable:
    """Return `predicting(t, x, d, p, last, free) -> bool`: whether the foot is below ground, or would be without it.

    If so, `free`, which is x before, is given the velocities of flight alone since the last sample: the foot may have
    hit the ground meanwhile and bounced up again, and the impact is over within milliseconds.
    """
    if all(event.seen != "predicted" for event in automaton.events.values()):
        return lambda t, x, d, p, last, free: False
    fly, gap = plant.fly, plant.gap

    def predicting(t, x, d, p, last, free):
        nx = x.size
        y, elapsed, nq = np.empty(nx), t - last[0], nx // 2
        fly(last[2 : 2 + nx], d, p, last[2 + nx :], y)
        for i in range(nq):
            y[i] = last[2 + i] + elapsed * (last[2 + nq + i] + 0.5 * elapsed * y[nq + i])
            y[nq + i] = last[2 + nq + i] + elapsed * y[nq + i]
        meets = min(gap(x, p), gap(y, p)) <= 0.0
        if meets:
            for i in range(nq, nx):
                free[i] = y[i]
        return meets

    return predicting


def halfway(automaton: Automaton, plant: Plant) -> Callable:
    """Return `middle(t, x, d, p, phase, stands, hold, u)`: the commands for the middle of the time they are held."""
    command, fly, stand = functions(automaton)["command"], plant.fly, plant.stand

    def middle(t, x, d, p, phase, stands, hold, u):
        later = np.empty(x.size)
        if stands:
            stand(x, d, p, u, later, np.empty(2))
        else:
            fly(x, d, p, u, later)
        for i in range(x.size):
            later[i] = x[i] + 0.5 * hold * later[i]
        command(t + 0.5 * hold, later, d, p, phase, u)

    return middle
