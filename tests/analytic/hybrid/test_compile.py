"""Compiled and interpreted runs are the same bits; the cache is neither stale nor colliding; mistakes are refused."""

import importlib.util
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import has_numba
from tarsus.analytic.compilation.fingerprint import fingerprint
from tarsus.analytic.hybrid import Status, loader
from tarsus.analytic.models import bouncing_ball, slip
from tarsus.scripts.laboratory.models import deadbeat_slip, dry_friction

needs_numba = pytest.mark.skipif(not has_numba(), reason="numba is not installed")


def same(a, b):
    assert a.status is b.status and a.message == b.message
    assert a.counts == b.counts
    for name in ("t", "x", "d", "chart"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("t", "kind", "x_minus", "x_plus", "d_plus", "fired"):
        assert np.array_equal(getattr(a.events, name), getattr(b.events, name)), name


# Compiling takes about 10 s per model and method, so each method is compiled once here, and in the core only a model
# that other tests of the core compile too.
@needs_numba
@pytest.mark.parametrize(
    "model, method, end",
    [
        (deadbeat_slip.build(), "dop853", 8.6),
        pytest.param(slip.build(), "dop853", 8.6, marks=pytest.mark.extra),
        pytest.param(dry_friction.build(), "dopri5", 6.0, marks=pytest.mark.extra),
        pytest.param(bouncing_ball.build(), "rk23", 2.0, marks=pytest.mark.extra),
        pytest.param(slip.build(), "rodas5p", 8.6, marks=pytest.mark.extra),
    ],
    ids=["deadbeat_slip", "slip", "dry_friction", "bouncing_ball", "slip by rodas5p"],
)
def test_runs_are_the_same_bits_compiled_and_interpreted(model, method, end):
    runs = [hy.compile(model, method, mode).run(final_time=end, record_period=0.05) for mode in ("compiled", "python")]
    assert len(runs[0].events) >= 2
    same(*runs)


@needs_numba
@pytest.mark.extra
def test_mixed_mode_calls_plain_python():
    """The transition uses a Python object, which numba could not compile."""
    seen = []
    model = hy.Model("ball", state={"h": 1.0, "v": 0.0}, memory={"n": 0.0}, charts=["fly"])

    @model.field("fly")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -9.81

    @model.guard("fly")
    def hit(t, x, d, p):
        return x[0]

    @model.on("hit")
    def bounce(t, x, d, p):
        seen.append({"t": t})
        x[0] = 0.0
        x[1] = -0.5 * x[1]
        return None if len(seen) > 100 else 0

    mixed = hy.compile(model, "rk23", "mixed").run(final_time=1.3)
    n = len(seen)
    same(mixed, hy.compile(model, "rk23", "python").run(final_time=1.3))
    assert n == len(mixed.events) > 3
    first = hy.compile(model, "rk23", "mixed")
    model.handlers["hit"] = lambda t, x, d, p: 1 // 0 if seen.append(t) else x.fill(0.0)
    declines = hy.compile(model, "rk23", "mixed")
    assert declines.kernel is first.kernel  # transitions are no part of it
    same(first.run(final_time=1.3), mixed)
    same(declines.run(final_time=1.3), hy.compile(model, "rk23", "python").run(final_time=1.3))
    assert first.batch(final_time=1.3).n_transitions == n
    model.handlers["hit"] = lambda t, x, d, p: int(x[2])
    errs = hy.compile(model, "rk23", "mixed").run(final_time=1.3)
    assert errs.status is Status.MODEL_ERROR and isinstance(errs.error, IndexError)


@needs_numba
def test_batch_is_the_same_as_single_runs():
    sim = hy.compile(deadbeat_slip.build(), mode="compiled")
    x0s = np.tile(sim.model.x0, (40, 1))
    x0s[:, 2] = np.linspace(0.5, 2.5, 40)
    batch = sim.batch(x0s, final_time=2.0)
    for i in (0, 7, 39):
        r = sim.run(x0s[i], final_time=2.0)
        assert batch.status[i] is r.status
        assert np.array_equal(batch.x[i], r.x_end) and batch.t[i] == r.t_end and batch.chart[i] == r.chart_end
    assert batch.n_transitions.max() > 10


SCRIPT = """
import types
from tarsus.analytic import hybrid as hy
conf = types.ModuleType("conf")
conf.__version__ = "1.0"
conf.inner = types.ModuleType("conf.inner")
conf.inner.RATE = {rate}
def helper(x):
    return conf.inner.RATE * x
model = hy.Model("decay", state={{"x": 1.0}}, charts=["run"])
@model.field("run")
def flow(t, x, d, p, dx):
    dx[0] = -helper(x[0])
sim = hy.compile(model, "rk23", "{mode}")  # compiles fastest
if sim.mode == "compiled":  # what it refers to was taken then
    conf.inner.RATE = 99.0
print(sim.kernel.name if sim.mode == "compiled" else "")  # names its file
print(float(sim.run(final_time=1.0).x_end[0]) if {run} else "nan")
"""


def in_new_process(tmp_path, rate, mode="compiled", prefix="", run=True, **variables):
    script = tmp_path / "model.py"  # the same file each time, edited
    script.write_text(prefix + SCRIPT.format(rate=rate, mode=mode, run=run))
    env = {**os.environ, "TARSUS_CACHE_DIR": str(tmp_path / "cache"), **variables}
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env)
    assert out.returncode == 0, out.stderr
    key, value = out.stdout.split("\n")[:2]
    return float(value), key


@needs_numba
@pytest.mark.extra
def test_cache_is_hit_and_never_stale(tmp_path):
    def files():
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*") if path.is_file()}

    first, key = in_new_process(tmp_path, 1.0, NUMBA_CACHE_DIR="")
    machine_code = files()
    names = {path.name.split("-")[0]: path.name.split("-")[1] for path in machine_code}
    assert abs(first - np.exp(-1.0)) < 1e-9
    assert names.keys() == {"advance", "kernel", "steps_rk23", "model", "_enter"} and names["advance"] == key
    # Ours comes before numba's.
    again, same_key = in_new_process(tmp_path, 1.0, NUMBA_CACHE_DIR=str(tmp_path / "numba"))
    assert (again, same_key) == (first, key)
    assert machine_code == files() and not (tmp_path / "numba").exists()
    _, other_key = in_new_process(tmp_path, 2.0, run=False)  # a value in a module that a helper of the field reads
    assert other_key != key


@needs_numba
def test_what_else_the_kernel_is_made_of_is_in_the_fingerprint(monkeypatch):
    def key(model=None, method="dop853"):
        return hy.compile(model or bouncing_ball.build(), method, "compiled").kernel.name

    before = key()
    assert before == key() != key(dry_friction.build()) and before != key(method="dopri5")
    with monkeypatch.context() as patch:
        patch.setattr(loader, "INLINE_BYTES", 1)
        assert key() != before
    import numba

    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert key() != before


def test_everything_runs_without_numba(tmp_path):
    block = "import sys; sys.modules['numba'] = None\nimport importlib.util as u; f = u.find_spec\n"
    block += "u.find_spec = lambda n, *a: None if n == 'numba' else f(n, *a)\n"
    value, _ = in_new_process(tmp_path, 1.0, mode="auto", prefix=block)
    assert abs(value - np.exp(-1.0)) < 1e-9


def test_fingerprint_sees_constants_defaults_closures_and_helpers():
    def make(closure=1.0, default=2.0):
        def f(x, y=default):
            return x * closure + y

        return f

    assert fingerprint(make()) == fingerprint(make())
    assert fingerprint(make()) != fingerprint(make(closure=1.5))
    assert fingerprint(make()) != fingerprint(make(default=2.5))
    spaces = [{"c": 1.0}, {"c": 2.0}]
    for space in spaces:
        exec(textwrap.dedent("def g(x):\n    return c * x\ndef f(x):\n    return g(x)"), space)
    assert fingerprint(spaces[0]["f"]) != fingerprint(spaces[1]["f"])


def test_unknown_mode_and_method_list_what_exists():
    with pytest.raises(ValueError, match="unknown mode 'fast'; known: compiled, mixed, python, auto"):
        hy.compile(bouncing_ball.build(), mode="fast")
    with pytest.raises(ValueError, match="unknown method 'rk4'; known: dop853, dopri5, rk23, rodas5p"):
        hy.compile(bouncing_ball.build(), method="rk4")


def test_unknown_settings_and_names_list_what_exists():
    sim = hy.compile(bouncing_ball.build(), mode="python")
    with pytest.raises(ValueError, match="unknown setting finaltime; known: final_time, rtol"):
        sim.run(finaltime=1.0)
    with pytest.raises(ValueError, match="unknown state 'h'; known: height, velocity"):
        sim.run({"h": 1.0})
    with pytest.raises(ValueError, match=r"state must have shape \(2,\) \(height, velocity\), got \(3,\)"):
        sim.run([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="unknown guard 'hit'; known: impact"):
        sim.run(stop_at="hit")
    with pytest.raises(ValueError, match="rtol must be positive, got -1"):
        sim.run(rtol=-1)
    with pytest.raises(ValueError, match="no chart 'fly'; known: flight, rest"):
        sim.run(chart="fly")


def broken(**parts):
    model = hy.Model(
        "m", state={"a": 1.0, "b": 0.0}, params={"k": 1.0}, charts=["one", "two"], aux=parts.pop("aux", ())
    )
    model.field("one", "two")(parts.pop("field", lambda t, x, d, p, dx: dx.__setitem__(slice(None), 0.0)))
    return model


def test_a_guard_leading_nowhere_is_refused():
    model = broken()
    with pytest.raises(ValueError, match="guard g: model m has no chart 'three'; known: one, two"):
        model.guard("one", to="three", name="g")(lambda t, x, d, p: x[0])
    model.guard("one", name="g")(lambda t, x, d, p: x[0])
    model.on("g")(lambda t, x, d, p: 5)
    with pytest.raises(ValueError, match="the transition of guard g leads to no chart: model m has no chart 5"):
        hy.compile(model, mode="python")


def too_long(t, x, d, p, dx):
    dx[0] = dx[1] = dx[2] = 0.0


def too_short(t, x, d, p, dx):
    dx[0] = 0.0


def meddles(t, x, d, p, dx):
    dx[0] = dx[1] = 0.0
    x[0] = 3.0


@pytest.mark.parametrize(
    "field, sentence",
    [
        (too_long, "the field of chart 'one' indexes an array out of bounds .*there are 2 states"),
        (too_short, "the field of chart 'one' does not set the rate of b"),
        (meddles, "the field of chart 'one' changes the state; only transitions may"),
        (lambda t, x: None, "the field of chart 'one' cannot be called"),
    ],
)
def test_a_wrong_field_is_refused(field, sentence):
    with pytest.raises(ValueError, match=sentence):
        hy.compile(broken(field=field), mode="python")


def test_a_wrong_number_of_auxiliary_functions_is_refused():
    model = broken(aux=("u", "v"))
    model.aux(lambda t, x, d, p, chart, out: out.__setitem__(0, 1.0))
    with pytest.raises(ValueError, match="the auxiliary function does not set v"):
        hy.compile(model, mode="python")


def test_missing_fields_and_unknown_targets_are_refused():
    model = hy.Model("m", state={"a": 1.0}, params={"k": 1.0}, charts=["one", "two"])
    model.field("one")(lambda t, x, d, p, dx: dx.__setitem__(0, 0.0))
    with pytest.raises(ValueError, match="no field for chart two"):
        hy.compile(model, mode="python")
    with pytest.raises(ValueError, match="target 'q' is not a parameter; known: k"):
        model.guard("one", target="q", name="g")(lambda t, x, d, p: x[0])


def test_arrays_of_names_and_dataclasses():
    model = hy.Model("m", state={"q": np.arange(3.0), "w": 5.0}, params=slip.Slip(), charts=["one"])
    assert model.state_names == ("q_0", "q_1", "q_2", "w")
    assert model.x0.tolist() == [0.0, 1.0, 2.0, 5.0]
    assert hy.indices({"q": np.arange(3.0), "w": 5.0}) == (0, 3)
    assert model.param_names[0] == "body_mass" and hy.vector(slip.Slip(k=7.0))[-1] == 7.0


def test_status_values_are_sentences():
    assert all(" " in status.value for status in Status)


def test_numba_is_found_as_python_finds_it():
    assert has_numba() == (importlib.util.find_spec("numba") is not None)
