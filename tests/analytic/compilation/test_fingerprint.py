"""The fingerprint is that of the values reached: every change that a compiled function would see gives another one."""

import builtins
import ctypes
import dataclasses
import enum
import os
import subprocess
import sys
import textwrap
import types
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from tarsus.analytic.compilation import compiled
from tarsus.analytic.compilation.content import NoFingerprint
from tarsus.analytic.compilation.fingerprint import fingerprint
from tarsus.analytic.compilation.references import is_library

numba = pytest.importorskip("numba")


def module(name, text="", **values):
    made = types.ModuleType(name)
    vars(made).update(values)
    exec(textwrap.dedent(text), vars(made))
    return made


def of(body, used=True, **known):
    """Return the fingerprint of `f(x)` with that body, in a module of its own that knows these values."""
    return fingerprint(module("model", f"def f(x):\n    {body}", **known).f, rebuilt=used)


def package(g):
    """Return a package whose submodule holds a constant; its own file is the same whatever that is."""
    inner = module("pkg.inner", G=g)
    return module("pkg", "__version__ = '1.0'\nfrom math import pi", inner=inner, G=inner.G)


def by_numba(text, **known):
    return module(
        "lib", "import numba\nfrom numba.extending import *\nfrom numba.experimental import *\n" + text, **known
    )


def helper_of(g):
    """Return a jitted function that a user's module imported from another, where its constant stands."""
    lib = by_numba("@numba.njit\ndef dependency(x):\n    return G * x", G=g)
    return by_numba("@numba.njit\ndef helper(x):\n    return dependency(x)", dependency=lib.dependency).helper


def class_with(g):
    return type("C", (), {"G": g})


@dataclasses.dataclass(frozen=True)
class Params:
    mass: float
    length: float = 1.0


Colour = enum.Enum("Colour", {"RED": 1, "BLUE": 2})
VECTORIZED = "@numba.vectorize\ndef v(x):\n    return G * x"
JITCLASS = "@jitclass([('a', numba.float64)])\nclass J:\n    def __init__(self, a):\n        self.a = a * G"
OVERLOAD = "def o(x):\n    pass\n@overload(o)\ndef _(x):\n    return lambda x: G * x"
INTRINSIC = "@intrinsic\ndef i(context, x):\n    return x(x), lambda c, b, s, a: b.fmul(a[0], a[0].type(G))"

# A body, and what it knows as a function of one value that differs from run to run.
CASES = {
    "a re-exported name": ("return pkg.G * x", lambda g: {"pkg": package(g)}),
    "a submodule of a package": ("return pkg.inner.G * x", lambda g: {"pkg": package(g)}),
    "a module with a version": ("return m.G * x", lambda g: {"m": module("m", G=g, __version__="1")}),
    "a function of a module": ("return m.f(x)", lambda g: {"m": module("m", "def f(x):\n    return G * x", G=g)}),
    "a module of an inner function": ("return (lambda y: m.G * y)(x)", lambda g: {"m": module("m", G=g)}),
    "an imported function's dependency": ("return h(x)", lambda g: {"h": helper_of(g)}),
    "the same, by its module": ("return m.h(x)", lambda g: {"m": module("m", h=helper_of(g))}),
    "the fields' order of a namedtuple": (
        "return p.a * x",
        lambda g: {"p": namedtuple("P", "a b" if g > 1 else "b a")(1, 2)},
    ),
    "the same of its class": ("return P(x, 0.0).a", lambda g: {"P": namedtuple("P", "a b" if g > 1 else "b a")}),
    "a namedtuple's value": ("return p.a * x", lambda g: {"p": namedtuple("P", "a b")(g, 2)}),
    "a class attribute": ("return C.G * x", lambda g: {"C": class_with(g)}),
    "a class attribute of a base": ("return C.G * x", lambda g: {"C": type("D", (class_with(g),), {})}),
    "a method": ("return C.f(x)", lambda g: {"C": type("C", (), {"f": module("m", "def f(x):\n  return G", G=g).f})}),
    "an enumeration": ("return x if E.A else 0", lambda g: {"E": enum.Enum("E", {"A": g, "B": 5.0})}),
    "a member of an enumeration": ("return x if A is A else 0", lambda g: {"A": enum.IntEnum("E", {"A": int(g)}).A}),
    "a dataclass": ("return p.mass * x", lambda g: {"p": Params(g)}),
    "a dataclass's default": ("return P.b * x", lambda g: {"P": dataclasses.make_dataclass("P", [("b", float, g)])}),
    "an array": ("return a[0] * x", lambda g: {"a": np.array([g, 1.0])}),
    "an array's type": ("return a[0] * x", lambda g: {"a": np.array([1, 2], dtype=np.int32 if g > 1 else np.int64)}),
    "an array's order": ("return a[0] * x", lambda g: {"a": np.zeros((2, 2), order="C" if g > 1 else "F")}),
    "a record": (
        "return a[0].u",
        lambda g: {"a": np.zeros(1, dtype=[("u", "f8"), ("v", "f8")][:: 1 if g > 1 else -1])},
    ),
    "an array in a tuple": ("return a[0][0] * x", lambda g: {"a": (np.array([g]), 1)}),
    "a type": ("return t(x)", lambda g: {"t": np.float32 if g > 1 else np.float64}),
    "a function of NumPy's": ("return s(x)", lambda g: {"s": np.sin if g > 1 else np.cos}),
    "vectorize": ("return v(x)", lambda g: {"v": by_numba(VECTORIZED, G=g).v}),
    "vectorize, by its module": ("return m.v(x)", lambda g: {"m": by_numba(VECTORIZED, G=g)}),
    "a jitclass": ("return J(x).a", lambda g: {"J": by_numba(JITCLASS, G=g).J}),
    "an overload": ("return o(x)", lambda g: {"o": by_numba(OVERLOAD, G=g).o}),
    "an overload, by its module": ("return m.o(x)", lambda g: {"m": by_numba(OVERLOAD, G=g)}),
    "an intrinsic": ("return i(x)", lambda g: {"i": by_numba(INTRINSIC, G=g).i}),
    "a function in a tuple": ("return t[0](x)", lambda g: {"t": (helper_of(g), 1)}),
    "a function as a default": (
        "return h(x)",
        lambda g: {"h": module("m", "def h(x, f=f):\n    return f(x)", f=helper_of(g)).h},
    ),
    "a default": ("return h(x)", lambda g: {"h": module("m", "def h(x, y=G):\n    return x * y", G=g).h}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_fingerprint_sees(case):
    body, known = CASES[case]
    assert of(body, **known(1.0)) == of(body, **known(1.0))
    assert of(body, **known(1.0)) != of(body, **known(2.0))


@pytest.mark.parametrize(
    "case",
    [
        "a submodule of a package",
        "a function of a module",
        "the same, by its module",
        "an array in a tuple",
        "vectorize, by its module",
        "a jitclass",
        "an overload, by its module",
        "an intrinsic",
    ],
)
def test_compiled_code_is_made_of_what_was_hashed(case, tmp_path, monkeypatch):
    """In numbers: kept, and in what may be another process, neither stale nor compiled of later values."""
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    body, known = CASES[case]
    files = set()
    for g in (1.0, 2.0, 1.0):
        monkeypatch.setattr("tarsus.analytic.compilation.functions._COMPILED", {})
        assert compiled(module("model", f"def f(x):\n    {body}", **known(g)).f)(3.0) == g * 3.0
        files |= {*tmp_path.rglob("*.nbc")}
    assert len(files) == 2


def test_an_attribute_set_at_run_time_is_taken_when_it_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    conf = module("conf", G=1.0, A=np.array([1.0]), B=np.array([1.0]))
    inner = module("inner", "def f(x, b=B):\n    return b[0] * x", B=conf.B).f
    law = module("model", "def f(x):\n    return conf.G * conf.A[0] * inner(x)", conf=conf, inner=inner).f
    first = compiled(law)
    conf.G, conf.A[0], conf.B[0] = 2.0, 5.0, 7.0  # after it was taken, before numba compiles it
    assert first(3.0) == 3.0 and compiled(law)(3.0) == 210.0


USES = {
    "another name for a module": (
        "m = conf\n    return m.G * x",
        "module conf is used in f.conf other than by the names",
    ),
    "a module as an argument": ("return g(conf) * x", "module conf is used in f.conf other than"),
    "an attribute by its name": ("return getattr(conf, 'G') * x", "module conf is used in f.conf other than"),
    "an object": ("return conf.thing * x", "f.conf.thing is of type object, which cannot be hashed"),
    "an address": ("return conf.cos(x)", "f.conf.cos is of type _FuncPtr, which cannot be hashed"),
    "an array of objects": ("return conf.boxes[0] * x", "f.conf.boxes is an array of objects"),
    "a masked array": ("return conf.masked[0] * x", "f.conf.masked is an array of objects or of a user-defined type"),
    "a stencil": ("return conf.stencil(x)", "f.conf.stencil is of type StencilFunc"),
    "what numba caches": ("return conf.v(x)", "f.conf.v has numba's own cache"),
    "an inner value": ("return conf.h(x)", "f.conf.h.table is of type object"),
}


@pytest.mark.parametrize("case", USES)
def test_what_cannot_be_told_from_another_is_refused_with_a_sentence(case):
    body, sentence = USES[case]
    conf = by_numba("@numba.stencil\ndef stencil(a):\n    return a[0]", thing=object(), boxes=np.array([None]), G=1.0)
    conf = module("conf", "def h(x):\n    return table", **vars(conf) | {"__name__": "conf", "table": object()})
    conf.cos, conf.masked = ctypes.CDLL(None).cos, np.ma.array([1.0])
    conf.v = numba.vectorize(module("lib", "def v(x):\n    return x").v)
    conf.v._dispatcher.cache = object.__new__(numba.core.caching.FunctionCache)
    with pytest.raises(NoFingerprint, match=sentence):
        of(body, conf=conf, g=lambda m: m.G)


def test_code_that_was_compiled_before_a_value_changed_is_refused():
    eager = "@numba.vectorize(['float64(float64)'])\ndef v(x):\n    return G * x"
    with pytest.raises(NoFingerprint, match="v may have been compiled before something it refers to was changed"):
        of("return v(x)", v=by_numba(eager, G=1.0).v)
    assert of("return v(x)", v=by_numba(eager.replace("G *", "2.0 *")).v)  # refers to nothing that could change
    lib = by_numba(VECTORIZED, G=1.0)
    assert of("return v(x)", v=lib.v) == of("return v(x)", v=lib.v)
    lib.G = 2.0
    with pytest.raises(NoFingerprint, match="v may have been compiled before"):
        of("return v(x)", v=lib.v)


def test_functions_that_call_each_other_are_what_they_are_wherever_one_begins():
    lib = by_numba("@numba.njit\ndef a(x):\n    return b(x)\n@numba.njit\ndef b(x):\n    return a(x) + G", G=1.0)
    again = by_numba("@numba.njit\ndef a(x):\n    return b(x)\n@numba.njit\ndef b(x):\n    return a(x) + G", G=1.0)
    for rebuilt in (True, False):
        found = [fingerprint(value, rebuilt=rebuilt) for value in (lib.a, lib.b, lib.a, again.b)]
        assert found[0] == found[2] != found[1] == found[3]


def test_the_users_overloads_of_what_is_not_theirs_are_seen():
    """Of a type's attribute, and of an operator: what they are registered for stands in no value."""
    before = of("return x.tarsus_double"), of("return x.tarsus_triple")
    by_numba("@overload_attribute(numba.types.Float, 'tarsus_double')\ndef _(x):\n    return lambda x: 2 * x")
    assert of("return x.tarsus_double") != before[0] and of("return x.tarsus_triple") == before[1]


def test_a_users_builtin_is_seen(monkeypatch):
    monkeypatch.setattr(builtins, "tarsus_g", 1.0, raising=False)
    before = of("return tarsus_g * x + len(x)")
    monkeypatch.setattr(builtins, "tarsus_g", 2.0)
    assert of("return tarsus_g * x + len(x)") != before


def test_only_what_the_code_reads_of_a_module_enters():
    conf = module("conf", G=1.0, H=1.0)
    before = of("return conf.G * x", conf=conf)
    conf.H = object()
    assert of("return conf.G * x", conf=conf) == before


def test_names_of_attributes_are_no_references():
    assert of("return x.real", real=object()) == of("return x.real")


def test_a_users_file_may_have_the_name_of_a_library(tmp_path, monkeypatch):
    python = Path(os.__file__).parent
    mine = module("tabnanny", G=9.81, __file__=str(tmp_path / "tabnanny.py"))
    monkeypatch.setitem(sys.modules, "tabnanny", mine)
    before = of("return mine.G * x", mine=mine)
    mine.G = 1.62
    assert of("return mine.G * x", mine=mine) != before and not is_library("tabnanny")
    mine.__file__ = str(python / "site-packages" / "tabnanny.py")
    assert not is_library("tabnanny")
    mine.__file__ = str(python / "tabnanny.py")
    assert is_library("tabnanny") and is_library("math") and is_library("enum") and is_library("numpy.linalg")


def test_the_fingerprint_is_the_same_in_every_process():
    """Sets have another order there, and objects another address."""
    script = """
import numpy as np
from tarsus.analytic.compilation.fingerprint import fingerprint
from tarsus.analytic.hybrid import expand
from tarsus.analytic.models import slip
from tarsus.scripts.laboratory.models import dry_friction

G = frozenset("abcdef"), {"x", "y", "z"}, np.arange(3)

def f(x):
    return x in {"a", "b", "c", "d"} or G

print(fingerprint(f), *(fingerprint(expand.to_functions(m.build()).field) for m in (slip, dry_friction)))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(found) == 1
