"""Functions that go through LLVM together compute what numba computes by itself, whatever its release."""

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from tarsus.analytic.compilation import functions  # noqa: E402

X = np.linspace(-3.0, 3.0, 50)


def test_the_entry_of_a_function_is_itself_where_it_has_several_types_or_none():
    doubled = numba.njit(lambda x: 2 * x)
    assert functions.entry(doubled) is doubled and functions.entry(abs) is abs
    assert doubled(3) == functions.entry(doubled)(3) == 6 and functions.entry(doubled) is not doubled
    assert doubled(0.5) == functions.entry(doubled)(0.5) == 1.0 and functions.entry(doubled) is doubled


def deepest(x, n):
    return x * x - n * math.sin(x)


def middle(x, n):
    return deepest(x, n) / (1.0 + deepest(x, 3))


def law(values, out):
    for i in range(values.size):
        out[i] = middle(values[i], 1) + middle(values[i], 2) + deepest(values[i], 5)


def values_of(compiled) -> np.ndarray:
    out = np.empty_like(X)
    compiled(X, out)
    return out


@pytest.fixture
def afresh(tmp_path, monkeypatch):
    """Nothing is compiled yet, in memory or on disk."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(functions, "_COMPILED", {})


def test_a_function_and_those_it_calls_compute_the_same_bits(afresh):
    np.testing.assert_array_equal(values_of(functions.compiled(law)), values_of(law))


def test_a_release_that_was_not_tried_compiles_as_it_does(afresh, monkeypatch):
    monkeypatch.setattr(numba, "version_info", SimpleNamespace(short=(0, 99)))
    monkeypatch.setitem(sys.modules, "tarsus.analytic.compilation.together", None)  # importing it fails
    np.testing.assert_array_equal(values_of(functions.compiled(law)), values_of(law))


@functions.jit
def sine(x, n):
    return n * math.sin(x)


@functions.jit
def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


@functions.jit
def sum_of_sines(x, n):
    return sine(x, n) + sine(x, n + 1.0)


def test_what_python_does_not_call_is_only_translated(tmp_path, monkeypatch):
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))  # nothing is there
    assert sum_of_sines(0.5, 2) == 5.0 * math.sin(0.5)
    if numba.version_info.short in functions.TRIED:
        assert not sine.overloads and len(sine.translated.overloads) == 2
    assert sine(0.5, 3) == sine.py_func(0.5, 3)


@functions.jit
def of_arrays(n):
    return np.linspace(0.0, 1.0, n)[1] + np.zeros(n).sum()


@pytest.mark.skipif(not functions.is_tried(), reason="this release of numba was not tried")
def test_machine_code_shares_no_names_with_that_of_other_processes(tmp_path, monkeypatch):
    """numba's own functions, compiled with a function, have names that are numbered by process."""
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))  # nothing is there
    assert of_arrays(5) == 0.25
    [made] = of_arrays.overloads.values()
    module = made.library._final_module
    shared = [f.name for f in module.functions if not f.is_declaration and f.linkage.name != "internal"]
    assert all("of_arrays" in name or name.startswith("NRT_") for name in shared), shared


def test_a_function_may_call_itself():
    assert factorial(5) == 120
    assert functions.jit(lambda n: factorial(n) + 1)(5) == 121


def test_functions_that_numba_compiles_by_itself_call_those_compiled_here():
    assert numba.njit(lambda x: sum_of_sines(x, 2))(0.5) == 5.0 * math.sin(0.5)
    assert numba.njit(lambda x: sine(x, 1))(0.5) == math.sin(0.5)


def test_an_inner_function_is_translated_once_for_all_numbers():
    jitted = {}

    def keep(function):
        jitted[function.__name__] = functions.inner(function, **functions.INNER)
        return jitted[function.__name__]

    within = keep(deepest)

    @keep
    def twice(x):
        return within(x, 1) + within(x, 2)

    outside = functions.outer(lambda x: twice(x), **functions.EXACT)
    assert outside(0.5) == deepest(0.5, 1) + deepest(0.5, 2)
    assert len(jitted["deepest"].signatures) == 1
