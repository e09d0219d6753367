"""A plant and the automaton that drives it as one hybrid model."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .automaton import Automaton, Event, functions
from .model import Model


@dataclass(frozen=True)
class Plant:
    """A machine with one foot, without its controller, as functions to compile.

    The state x is (q, v), positions and their rates; u are the commands, dx the rates of x.

    Attributes:
        fly: `(x, d, p, u, dx)`, its motion without contact.
        stand: `(x, d, p, u, dx, F)`, with its foot held, and the ground's force on it.
        gap: `(x, p)`, the height of the foot over the ground [m].
        strike: `(x, d, p)`, notes the foothold in d, and makes the velocity that after the impact.
        load: `(F, p)`, falls to zero where the ground lets go of the foot; None: only the controller ends contact.
        landing: What `on_entry` (see `Guard`) is of the guard of landing.
        begins: Makes of a controller's first choice (t, x, d, p) -> phase the model's; None: nothing is refused.
        leaves: The same of the law of a foot's leaving.
    """

    fly: Callable
    stand: Callable
    gap: Callable
    strike: Callable
    load: Callable | None = None
    landing: str = "refuse"
    begins: Callable | None = None
    leaves: Callable | None = None


def close(model: Model, automaton: Automaton, plant: Plant) -> Model:
    """Add fields, guards and transitions of a plant under an automaton to a model, whose first charts are its phases.

    Raises:
        ValueError: If the charts do not begin with the phases, or the foot is to leave a plant that has no `load`, or
            in phases of different commands.
    """
    if model.charts[: len(automaton.phases)] != automaton.phases:
        raise ValueError(f"the charts of model {model.name} must begin with {automaton.phases}, got {model.charts}")
    for function in dict.fromkeys(automaton.commands.values()):
        mine = [phase for phase, other in automaton.commands.items() if other is function]
        for down in (False, True):
            if phases := [phase for phase in mine if (phase in automaton.down) is down]:
                model.field(*phases)((_standing if down else _flying)(function, plant, automaton.n_commands))
    for event in automaton.events.values():
        _add(model, automaton, plant, event)
    model.initial(plant.begins(automaton.first) if plant.begins else automaton.first)
    return model


def _add(model: Model, automaton: Automaton, plant: Plant, event: Event) -> None:
    """Add an event's guard and transition."""
    stands = event.phases[0] in automaton.down
    options = {"on_entry": "ignore" if event.falling else "fire"}
    value, law, to = event.value, event.law, event.to
    if value is None and stands:
        value, options = _load(automaton, plant, event), {"sampled": True}
    elif value is None:
        value, law, options = _height(plant.gap), _landing(law, plant.strike), {"on_entry": plant.landing}
    if stands and plant.leaves is not None and (event.value is None or event.releases):
        flight = next(model.fields[phase] for phase in automaton.phases if phase not in automaton.down)
        law, to = plant.leaves(law if to is None else _leading(law, automaton.code(to)), flight), None
    model.guard(*event.phases, name=event.name, to=to, **options)(value)
    if law is not None:
        (model.on if to is None else model.reset)(event.name)(law)


def _leading(law: Callable | None, code: int) -> Callable:
    def lead(t, x, d, p):
        if law is not None:
            law(t, x, d, p)
        return code

    return lead


def _flying(command: Callable, plant: Plant, n: int) -> Callable:
    fly = plant.fly

    def flying(t, x, d, p, dx):
        u = np.zeros(n)
        command(t, x, d, p, u)
        fly(x, d, p, u, dx)

    return flying


def _standing(command: Callable, plant: Plant, n: int) -> Callable:
    stand = plant.stand

    def standing(t, x, d, p, dx):
        u, F = np.zeros(n), np.zeros(2)
        command(t, x, d, p, u)
        stand(x, d, p, u, dx, F)

    return standing


def _load(automaton: Automaton, plant: Plant, event: Event) -> Callable:
    if plant.load is None:
        raise ValueError(f"event {event.name}: without `load` a foot leaves only by an event that releases it")
    if len({automaton.commands[phase] for phase in event.phases}) > 1:
        raise ValueError(f"event {event.name}: its phases must share one command, as the foot's load depends on it")
    command, stand, load, n = automaton.commands[event.phases[0]], plant.stand, plant.load, automaton.n_commands

    def pressed(t, x, d, p):
        u, F = np.zeros(n), np.zeros(2)
        command(t, x, d, p, u)
        stand(x, d, p, u, np.empty(x.size), F)
        return load(F, p)

    return pressed


def _height(gap: Callable) -> Callable:
    def height(t, x, d, p):
        return gap(x, p)

    return height


def _landing(law: Callable | None, strike: Callable) -> Callable:
    if law is None:
        return lambda t, x, d, p: strike(x, d, p)

    def land(t, x, d, p):
        law(t, x, d, p)
        strike(x, d, p)

    return land


def forces(automaton: Automaton, plant: Plant) -> Callable:
    """Return `(t, x, d, p, chart, out)`, which writes the commands and the ground's force on the foot (2,)."""
    command, stand, n = functions(automaton)["command"], plant.stand, automaton.n_commands
    down = np.array([phase in automaton.down for phase in automaton.phases])

    def loads(t, x, d, p, chart, out):
        u, F = np.zeros(n), np.zeros(2)
        if chart < down.size:
            command(t, x, d, p, chart, u)
            if down[chart]:
                stand(x, d, p, u, np.empty(x.size), F)
        out[:n] = u
        out[n:] = F

    return loads
