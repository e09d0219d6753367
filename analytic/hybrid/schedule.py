"""A model whose order of events is given: what an optimiser may differentiate, where the order would change freely.

`scheduled` makes from a model, whose events the engine finds, one that goes through a list of them. An event of the
list is either awaited, "touchdown": only this guard is looked at, beside that of the nodes; or made, "liftoff@6": it
happens with the sixth node, whatever its guard says. All other guards are suppressed, and become constraints of the
optimiser: they must stay positive, and where an event was made its guard must be negative behind the node. Then the
free model has the same order.

Charts: CAPACITY times the free chart, plus how many events of the list have happened. The list is in the parameters,
`event_0`, ... (which guard, -1: none) and `event_node_0`, ... (at which node, 0: awaited), so that one compiled model
serves every order. The number of nodes passed is the last entry of the memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spelling import listed
from .expand import to_functions
from .guard import ON_ENTRY, Guard
from .kernel.codes import DECLINE
from .known_times import refuse
from .model import Model

CAPACITY = 8  # events of an order, at most one less
COUNT = "nodes_passed"


def scheduled(model: Model, node: str) -> Model:
    """Return the model with events in an order that parameters give; a run starts with a chart, not by `initial`."""
    if node not in model.guards:
        raise ValueError(f"model {model.name}: unknown guard {node!r}; known: {listed(node, model.guards)}")
    refuse(model, "a given order of events")
    free, names = to_functions(model), tuple(model.guards)
    n_guards, n_params, n_memory, at_node = len(names), model.p0.size, model.d0.size, names.index(node)
    kept = np.array([guard.invalid or name == node for name, guard in model.guards.items()])
    first, first_node = n_params, n_params + CAPACITY
    free_field, free_guards, free_transition, free_key = free.field, free.guards, free.transition, free.field_key

    def field(t, x, d, p, chart, dx):
        free_field(t, x, d, p, chart // CAPACITY, dx)

    def field_key(chart):
        return free_key(chart // CAPACITY)

    def guards(t, x, d, p, chart, g):
        own, place = np.empty(n_guards), chart % CAPACITY
        for i in range(n_guards):
            own[i] = np.inf
        free_guards(t, x, d, p, chart // CAPACITY, own)
        for i in range(n_guards):
            awaited = abs(p[first + place] - i) < 0.5 and p[first_node + place] < 0.5
            if kept[i] or awaited:
                g[i] = own[i]
        return n_guards

    def transition(t, x, d, p, chart, fired):
        place, done = chart % CAPACITY, 0
        if fired[at_node]:
            d[n_memory] += 1.0
            for i in range(n_guards):
                if abs(p[first + place] - i) < 0.5 and abs(p[first_node + place] - d[n_memory]) < 0.5:
                    fired[i] = 1
        made = free_transition(t, x, d, p, chart // CAPACITY, fired)
        for i in range(n_guards):
            if abs(p[first + place] - i) < 0.5 and fired[i]:
                done = 1
        return made if made == DECLINE else CAPACITY * made + place + done

    params = dict(zip(model.param_names, model.p0.tolist(), strict=True))
    params |= {f"event_{i}": -1.0 for i in range(CAPACITY)} | {f"event_node_{i}": 0.0 for i in range(CAPACITY)}
    memory = dict(zip(model.memory_names, model.d0.tolist(), strict=True)) | {COUNT: 0.0}
    state = dict(zip(model.state_names, model.x0.tolist(), strict=True))
    words = {code: word for word, code in ON_ENTRY.items()}
    made = Model(f"{model.name}, scheduled", state=state, memory=memory, params=params, method=model.method)
    made.functions(
        field=field,
        guards=guards,
        transition=transition,
        table=[
            Guard(name, g.direction, g.side, g.invalid, words[int(entry)], g.sampled)
            for (name, g), entry in zip(model.guards.items(), free.tables["ON_ENTRY"], strict=True)
        ],
        field_key=field_key,
    )
    return made


def order_params(model: Model, order: Sequence[str]) -> dict[str, float]:
    """Return the parameters of an order of events: "touchdown" (awaited), "liftoff@6" (with the sixth node)."""
    if len(order) >= CAPACITY:
        raise ValueError(f"an order may have up to {CAPACITY - 1} events, got {len(order)}; divide the run in segments")
    params = {f"event_{i}": -1.0 for i in range(CAPACITY)} | {f"event_node_{i}": 0.0 for i in range(CAPACITY)}
    last = 0
    for i, entry in enumerate(order):
        name, _, at = entry.partition("@")
        if name not in model.guards:
            raise ValueError(f"order: unknown guard {name!r} in {entry!r}; known: {listed(name, model.guards)}")
        if "@" in entry:
            if not at.isdigit() or int(at) <= last:
                raise ValueError(f"order: {entry!r} must name a node after node {last}")
            last = int(at)
            params[f"event_node_{i}"] = float(last)
        params[f"event_{i}"] = float(list(model.guards).index(name))
    return params
