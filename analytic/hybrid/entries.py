"""A model's functions as the kernel for all models calls them: arrays come as addresses, and have the model's sizes."""

from __future__ import annotations

from typing import Any

from numba import carray

from . import loader


def of_addresses(functions: loader.Functions, module: str) -> dict[str, Any]:
    """Return the model's functions, to be compiled, as functions of addresses; `module` is the name of theirs."""
    n, nd, n_p, ng = (functions.sizes[name] for name in ("N", "ND", "NP", "NG"))
    of = loader.jitted(functions, module)
    return _of_state(of, n, nd, n_p, ng) | _of_enclosures(of, n, nd, n_p, ng)


def _of_state(of: dict[str, Any], n: int, nd: int, n_p: int, ng: int) -> dict[str, Any]:
    field_of, guards_of, transition_of, initial_of, validate_of, after_zeno_of, key_of = (
        of[name] for name in ("field", "guards", "transition", "initial", "validate", "after_zeno", "field_key")
    )

    def field(t, x, d, p, chart, dx):
        field_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(dx, n))
        return 0

    def guards(t, x, d, p, chart, g):
        guards_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(g, ng))
        return 0

    def transition(t, x, d, p, chart, fired):
        return transition_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart, carray(fired, ng))

    def initial(t, x, d, p):
        return initial_of(t, carray(x, n), carray(d, nd), carray(p, n_p))

    def validate(t, x, d, p, chart):
        return 1 if validate_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart) else 0

    def after_zeno(t, x, d, p, chart):
        return after_zeno_of(t, carray(x, n), carray(d, nd), carray(p, n_p), chart)

    def field_key(chart):
        return key_of(chart)

    made = field, guards, transition, initial, validate, after_zeno, field_key
    return {function.__name__: function for function in made}


def _of_enclosures(of: dict[str, Any], n: int, nd: int, n_p: int, ng: int) -> dict[str, Any]:
    values, jets = of["enclose_values"], of["enclose_jets"]

    def enclose_values(t, x, d, p, chart, g, undecided):
        at = carray(t, 4), carray(x, (n, 4)), carray(d, nd), carray(p, n_p)
        values(*at, chart, carray(g, (ng, 4)), carray(undecided, 4))
        return 0

    def enclose_jets(t, x, d, p, chart, g, undecided):
        at = carray(t, 4), carray(x, (n, 4)), carray(d, nd), carray(p, n_p)
        jets(*at, chart, carray(g, (ng, 4)), carray(undecided, 4))
        return 0

    return {"enclose_values": enclose_values, "enclose_jets": enclose_jets}
