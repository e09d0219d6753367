"""Junk of every kind in every argument of every public function: one sentence that names the argument, nothing else."""

import inspect
import types

import numpy as np
import pytest

from tarsus.analytic import contact
from tarsus.analytic.contact import (
    Coulomb,
    Epsilon,
    Feet,
    Solver,
    SolverStatus,
    Viscous,
    fit,
    kernels,
    se2,
    slide,
    solve,
)

N = 4
SQUARE = np.array([[1.0, 1, -0.1], [1, -1, -0.1], [-1, 1, -0.1], [-1, -1, -0.1]])
VEL = np.array([[0.3, 0.1], [0.2, -0.1], [0.1, 0.2], [0.4, 0.0]])
FEET = Feet(100.0, 0.5, 5.0)
FRAMES = {"foot_pos": np.tile(SQUARE, (5, 1, 1)), "load": np.ones((5, N))}
SLIPS = {"slip_vel": np.ones((5, N, 2)), "traction": np.ones((5, N, 2)), "load": 1.0, "reference_speed": 1.0}

# Every public function, with arguments that it accepts.
CALLS = {
    Feet: {"stiffness": 1.0, "mu": 1.0, "weight": 1.0, "anisotropy": np.zeros((N, 2))},
    Viscous: {"reference_speed": 1.0},
    Coulomb: {"gap": 1e-6},
    Epsilon: {"start": 1e-5, "factor": 0.1, "settled": 1e-3, "stages": 8, "reference_speed": 1.0},
    solve: {
        **{"foot_pos": SQUARE, "foot_vel": VEL, "feet": FEET, "law": "viscous"},
        **{"ground": 0.0, "tilt_terms": False, "parallel": True},
    },
    Solver: {"feet": FEET, "n": N, "law": "viscous", "ground": 0.0, "tilt_terms": False},
    Solver(FEET, N): {"foot_pos": SQUARE, "foot_vel": VEL},
    Solver.motion: {"answer": np.zeros((kernels.ANSWER_ROWS + N, 3))},
    contact.support: {"foot_pos": SQUARE, "stiffness": 1.0, "weight": 1.0, "ground": 0.0},
    contact.load_derivatives: {"foot_pos": SQUARE, "stiffness": 1.0, "weight": 1.0, "ground": 0.0},
    slide: {
        **{"foot_pos": SQUARE, "foot_vel": VEL, "load": 1.0, "mu": 1.0},
        **{"anisotropy": np.zeros((N, 2)), "law": "coulomb"},
    },
    contact.connection_matrix: {"foot_pos": SQUARE, "load": 1.0, "mu": 1.0, "anisotropy": np.zeros((N, 2))},
    contact.lag_filter: {"twist": np.zeros((5, 3)), "gamma": 0.5},
    contact.force_scale: {"predicted": VEL, "measured": VEL},
    contact.twist_derivatives: {
        **{"foot_pos": SQUARE, "foot_vel": VEL, "feet": FEET, "law": "viscous"},
        **{"ground": 0.0},
    },
    contact.force_derivatives: {
        **{"foot_pos": SQUARE, "foot_vel": VEL, "feet": FEET, "law": "viscous"},
        **{"ground": 0.0},
    },
    fit.fit_friction: SLIPS,
    fit.fit_coulomb: {**{name: value for name, value in SLIPS.items() if name != "reference_speed"}, "slowest": 0.1},
    fit.fit_stiffness: {**FRAMES, "ground": 0.0, "regulariser": 0.0, "tolerance": 1e-8},
    se2.exponential: {"twist": np.zeros(3), "dt": 0.1},
    se2.compose: {"first": np.zeros(3), "second": np.zeros(3)},
    se2.integrate: {"twist": np.zeros((5, 3)), "dt": 0.1, "start": np.zeros(3), "method": "scan"},
}

JUNK = {
    "nothing": None,
    "text": "abc",
    "numbers as text": ["1", "2"],
    "a complex number": 1j,
    "complex numbers": SQUARE + 1j,
    "a dict": {"stiffness": 1.0},
    "a set": {1.0, 2.0},
    "a function": max,
    "an object": object(),
    "a generator": (x for x in (1.0, 2.0)),
    "ragged lists": [[1.0, 2.0], [3.0]],
    "a date": np.datetime64("2024-01-01"),
    "NaN": np.nan,
    "infinity": np.inf,
    "NaN among numbers": np.where(SQUARE > 0, np.nan, SQUARE),
    "a masked array": np.ma.masked_greater(SQUARE, 0.5),
    "a list of masked arrays": [np.ma.masked_greater(SQUARE, 0.5)] * 2,
    "beyond what can be squared": 1e155,
    "a number too far below zero": -1e155,
}


def test_every_public_function_is_here():
    public = {getattr(contact, name) for name in contact.__all__ if name != "LAWS"}
    for module in (fit, se2):
        public |= {value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__}
    results = {
        contact.Motion,
        contact.Support,
        contact.TwistDerivatives,
        contact.ForceDerivatives,
        SolverStatus,
        contact.SlidingLaw,
    }
    results |= {fit.CoulombFit, fit.FrictionFit, fit.StiffnessFit}
    methods = set(se2.METHODS.values())  # whose arguments `integrate` has checked
    for value in public - results - methods:
        if isinstance(value, type | types.FunctionType) and not value.__name__.startswith("_"):
            assert value in CALLS, value
    for function, arguments in CALLS.items():
        takes = function.__call__ if isinstance(function, Solver) else function
        assert list(arguments) == [name for name in inspect.signature(takes).parameters if name != "self"]


@pytest.mark.parametrize("function", CALLS, ids=lambda f: getattr(f, "__qualname__", "Solver.__call__"))
def test_junk_is_refused_in_one_sentence_that_names_the_argument(function):
    good = CALLS[function]
    function(**good)
    for name in good:
        for kind, junk in JUNK.items():
            if (junk is None and name == "anisotropy") or (junk is None and function is Viscous):
                continue
            try:
                function(**(good | {name: junk}))
            except (ValueError, TypeError) as error:
                sentence = str(error)
                assert name in sentence and "\n" not in sentence and len(sentence) < 250, (name, kind, sentence)
                assert error.__suppress_context__ or error.__context__ is None, (
                    name,
                    kind,
                    "drags another error along",
                )
            else:
                raise AssertionError(f"{name} may be {kind}")


def test_a_solver_takes_lists_too():
    solver = Solver(FEET, N, "coulomb")
    expected = solver(SQUARE, VEL)
    for pos, vel in ((SQUARE.tolist(), VEL.tolist()), (tuple(map(tuple, SQUARE)), VEL)):
        np.testing.assert_allclose(solver(pos, vel), expected, rtol=0, atol=1e-14)


def test_no_feet_are_refused():
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        Solver(FEET, 0)


def test_an_array_without_a_masked_entry_is_an_array():
    plain, masked = solve(SQUARE, VEL, FEET), solve(np.ma.asarray(SQUARE), VEL, FEET)
    np.testing.assert_array_equal(plain.force, masked.force)


def test_limits_of_size_are_those_of_the_page():
    limit, least = kernels.LARGEST, kernels.SMALLEST
    assert (limit, least) == (1e50, 1e-50)
    solve(SQUARE * limit, VEL * limit, Feet(least, least, limit))
    for change in ({"stiffness": 0.9 * least}, {"mu": 0.9 * least}, {"weight": 0.9 * least}, {"weight": 1.1 * limit}):
        with pytest.raises(ValueError, match=rf"{[*change][0]} must"):
            Feet(**({"stiffness": 1.0, "mu": 1.0, "weight": 1.0} | change))
    assert Feet(0.0, 0.0, 1.0).mu == 0.0
