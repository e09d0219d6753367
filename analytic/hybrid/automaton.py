"""A controller as an automaton: phases, the commands of each, the events between them, and what they store.

One object is read in two ways: `close` makes guards of its events, which the engine finds to rounding; `Sampled` looks
at them at the samples of a simulator or a robot. Functions take (t, x, d, p) as a hybrid model's do, and are compiled::

    a = Automaton("hop", phases=("flight", "stance"), contact=("stance",), memory={"height": 0.0}, params=Gains())

    a.begin(first_phase)                                            # (t, x, d, p) -> code of a phase
    a.command("flight", "stance")(torque)                           # (t, x, d, p, u) writes the commands
    a.event("flight", name="apex", law=note_the_height)(rise)       # it happens where rise(t, x, d, p) falls to zero
    a.contact("flight", name="touchdown", to="stance", seen="predicted")

Whether the foot touches is the plant's affair: a guard of its own in the engine; elsewhere `measured`, or `predicted`
from where the foot would be by now without ground. Laws change only the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..spelling import listed
from .names import items

SEEN = ("measured", "predicted")


@dataclass(frozen=True)
class Event:
    """What leads from one phase to another.

    Attributes:
        name: Names the event.
        phases: Where it may happen.
        to: The next phase; None: the phase stays, or the law returns the next one's code.
        value: An own event's function (t, x, d, p), positive before it; None of contact's.
        law: (t, x, d, p), which changes d.
        falling: It happens only while its value falls: entered at or below zero, a phase does not end at once.
        releases: An own event that ends contact, too: the foot leaves the ground with it.
        seen: How an event of contact is noticed at samples, one of `SEEN`.
    """

    name: str
    phases: tuple[str, ...]
    to: str | None
    value: Callable | None
    law: Callable | None
    falling: bool = False
    releases: bool = False
    seen: str = ""


class Automaton:
    """A controller under construction.

    Args:
        name: Its name.
        phases: In the order of their codes from 0.
        contact: Those in which the foot is on the ground.
        memory: What it stores from one event to the next: names with their first values.
        params: Its parameters: names with defaults, e.g. a frozen dataclass.
        n_commands: Number of commands.

    Attributes:
        events: By their names, in the order in which they are looked at.
    """

    def __init__(
        self,
        name: str,
        *,
        phases: tuple[str, ...],
        contact: tuple[str, ...],
        memory: Any,
        params: Any,
        n_commands: int = 2,
    ) -> None:
        self.name, self.phases, self.n_commands = name, tuple(phases), n_commands
        self.memory, self.params = items(memory), items(params)
        self.down = self._known(*contact)
        self.commands: dict[str, Callable] = {}
        self.events: dict[str, Event] = {}
        self.first: Callable | None = None

    def code(self, phase: str) -> int:
        """Return the code of a phase.

        Raises:
            ValueError: If there is none of that name.
        """
        return self.phases.index(*self._known(phase))

    def begin(self, function: Callable) -> Callable:
        """Decorate `b(t, x, d, p) -> code`, which chooses the first phase, in which there is no contact."""
        self.first = function
        return function

    def command(self, *phases: str) -> Callable:
        """Decorate `c(t, x, d, p, u)`, which writes the commands in these phases."""
        self._known(*phases)

        def register(function: Callable) -> Callable:
            self.commands |= dict.fromkeys(phases, function)
            return function

        return register

    def event(
        self,
        *phases: str,
        name: str,
        to: str | None = None,
        law: Callable | None = None,
        falling: bool = False,
        releases: bool = False,
    ) -> Callable:
        """Decorate the value (t, x, d, p) of an own event, positive before it; see `Event`."""

        def register(value: Callable) -> Callable:
            self._add(Event(name, phases, to, value, law, falling, releases))
            return value

        return register

    def contact(
        self, *phases: str, name: str, to: str | None = None, law: Callable | None = None, seen: str = "measured"
    ) -> None:
        """Add an event of contact: the foot lands, or leaves where these phases are in contact; see `Event`.

        Raises:
            ValueError: If `seen` is unknown, or a foot's leaving is to be predicted.
        """
        if seen not in SEEN:
            raise ValueError(f"seen must be one of {', '.join(SEEN)}, got {seen!r}")
        if seen == "predicted" and set(phases) & set(self.down):
            raise ValueError(f"event {name}: a foot's leaving cannot be predicted; give seen='measured'")
        self._add(Event(name, phases, to, None, law, seen=seen))

    def _add(self, event: Event) -> None:
        if event.name in self.events:
            raise ValueError(f"automaton {self.name} already has an event {event.name!r}")
        self._known(*event.phases, *([] if event.to is None else [event.to]))
        self.events[event.name] = event

    def _known(self, *phases: str) -> tuple[str, ...]:
        for phase in phases:
            if phase not in self.phases:
                raise ValueError(f"automaton {self.name} has no phase {phase!r}; known: {listed(phase, self.phases)}")
        return phases


def functions(automaton: Automaton) -> dict[str, Callable]:
    """Return the functions of an automaton, by the codes of phases and the places of events.

    They are `values(t, x, d, p, phase, v)`, which writes those of the phase's own events,
    `happen(t, x, d, p, phase, place) -> phase` and `command(t, x, d, p, phase, u)`.

    Raises:
        ValueError: If nothing chooses the first phase, or a phase has no command.
    """
    missing = [phase for phase in automaton.phases if phase not in automaton.commands]
    if missing or automaton.first is None:
        what = f"no command in phase {', '.join(missing)}" if missing else "nothing that chooses the first phase"
        raise ValueError(f"automaton {automaton.name} has {what}")
    space: dict[str, Any] = {}
    texts = _values_text(automaton, space), _happen_text(automaton, space), _command_text(automaton, space)
    exec(compile("\n\n".join(texts), f"<automaton {automaton.name}>", "exec"), space)
    return {name: space[name] for name in ("values", "happen", "command")}


def _among(automaton: Automaton, phases: Any) -> str:
    return " or ".join(f"phase == {automaton.code(phase)}" for phase in phases)


def _values_text(automaton: Automaton, space: dict) -> str:
    text = ["def values(t, x, d, p, phase, v):"]
    for k, event in enumerate(automaton.events.values()):
        if event.value is not None:
            space[f"value_{k}"] = event.value
            text += [f"    if {_among(automaton, event.phases)}:", f"        v[{k}] = value_{k}(t, x, d, p)"]
    return "\n".join([*text, "    return"])


def _happen_text(automaton: Automaton, space: dict) -> str:
    text = ["def happen(t, x, d, p, phase, place):"]
    for k, event in enumerate(automaton.events.values()):
        space[f"law_{k}"] = event.law
        law = "phase" if event.law is None else f"law_{k}(t, x, d, p)"
        text += [f"    if place == {k}:"]
        text += (
            [f"        return {law}"]
            if event.to is None
            else [f"        {law}", f"        return {automaton.code(event.to)}"]
        )
    return "\n".join([*text, "    return phase"])


def _command_text(automaton: Automaton, space: dict) -> str:
    text = ["def command(t, x, d, p, phase, u):"]
    for k, function in enumerate(dict.fromkeys(automaton.commands.values())):
        space[f"command_{k}"] = function
        mine = [phase for phase, other in automaton.commands.items() if other is function]
        text += [f"    if {_among(automaton, mine)}:", f"        command_{k}(t, x, d, p, u)"]
    return "\n".join([*text, "    return"])
