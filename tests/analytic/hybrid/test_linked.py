"""The kernel is translated once, and linked with methods and models: bits, exceptions, files, other processes."""

import os
import shutil

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from llvmlite import binding as llvm  # noqa: E402

from tarsus.analytic import hybrid as hy  # noqa: E402
from tarsus.analytic.compilation import cache, functions, linking, store  # noqa: E402
from tarsus.analytic.hybrid import Status, generic, linked, loader  # noqa: E402
from tarsus.analytic.hybrid.tableau import METHODS  # noqa: E402
from tarsus.analytic.models import bouncing_ball  # noqa: E402

pytestmark = pytest.mark.skipif(not functions.is_tried(), reason="this release of numba was not tried")


def ball(restitution=0.5, bounce=None, method="dop853"):
    """A ball that may do anything when it bounces."""
    model = hy.Model("ball", state={"h": 1.0, "v": 0.0}, memory={"n": 0.0}, charts=["fly"], method=method)

    @model.field("fly")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -9.81

    @model.guard("fly")
    def hit(t, x, d, p):
        return x[0]

    @model.on("hit")
    def on_hit(t, x, d, p):
        x[0] = 0.0
        x[1] = -restitution * x[1]
        d[0] += 1.0
        if bounce is not None:
            bounce(t, x, d)
        return 0

    return model


def both(model, **settings):
    """Return the runs compiled and interpreted."""
    return [hy.compile(model, mode=mode).run(final_time=1.2, **settings) for mode in ("compiled", "python")]


def assert_same(a, b):
    assert a.status is b.status and a.message == b.message and a.counts == b.counts
    for x, y in ((a._record, b._record), (a._log, b._log), (a.x_end, b.x_end), (a.d_end, b.d_end)):
        np.testing.assert_array_equal(x, y)


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A cache that holds the kernels and rules of this session's, and nothing of a model's."""
    generic.kernel(), generic.steps("dop853")
    (tmp_path / store.FOLDER).mkdir(mode=0o700)
    for shared in ("kernel-*", "steps_*", "rules-*"):
        for path in cache.cache_folder(store.FOLDER).glob(shared):
            shutil.copy2(path, tmp_path / store.FOLDER)
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(linked, "_KERNELS", {})
    generic.kernel.cache_clear(), generic.steps.cache_clear()
    return tmp_path / store.FOLDER


def test_a_model_is_linked_with_the_kernel_that_is_there(empty, monkeypatch):
    monkeypatch.setattr(generic, "_executed", None)  # not called
    assert_same(*both(ball(0.6)))
    assert len([*empty.glob("advance-*")]) == 1


def test_another_kernel_or_method_takes_the_translation_of_the_model_that_is_there(empty, monkeypatch):
    def translates(of, how=linking.translated):
        made.append([*of])
        return how(of)

    made, kernel = [], generic.kernel()
    assert_same(*both(ball(0.65)))
    monkeypatch.setattr(linking, "translated", translates)
    monkeypatch.setattr(generic, "_kernel", lambda: llvm.parse_bitcode(kernel))
    monkeypatch.setattr(generic, "_source", lambda file, method, source=generic._source: source(file, method) + "#")
    generic.kernel.cache_clear(), generic.key_of.cache_clear()
    assert_same(*both(ball(0.65, method="rk23")))
    assert made == [[f"tarsus_{name}" for named in generic.STEPS.values() for name in named]]
    assert len([*empty.glob("advance-*")]) == 2 and len([*empty.glob("model-*")]) == 1
    monkeypatch.undo()
    generic.kernel.cache_clear(), generic.key_of.cache_clear()


def test_exceptions_of_a_models_functions_are_those_of_the_interpreted_run():
    def refuses(t, x, d):
        if d[0] > 1.0:
            raise ValueError("it bounces no more")

    def stops(t, x, d):
        if t > 1.0:
            raise StopIteration

    for bounce in (refuses, stops):
        compiled, python = both(ball(bounce=bounce))
        assert hy.compile(ball(bounce=bounce), mode="compiled").kernel._other is None
        assert compiled.status is python.status is Status.MODEL_ERROR
        assert type(compiled.error) is type(python.error) and compiled.error.args == python.error.args
        assert compiled.t_end == python.t_end


def test_a_transition_that_returns_nothing_declines():
    model = ball()
    model.handlers["hit"] = lambda t, x, d, p: None
    assert_same(*both(model))


def factorial(n):
    return n * factorial(n - 1) if n > 1 else 1


def recursive(t, x, d):
    d[0] = factorial(3)


def says_where(t, x, d):
    if d[0] > 100.0:
        raise ValueError("it bounces no more", t)


@pytest.mark.parametrize("bounce", [recursive, says_where])
def test_what_calls_itself_or_needs_python_objects_is_not_linked(bounce, monkeypatch):
    monkeypatch.setattr(loader, "load", lambda functions, method, mode: mode)  # compiled apart it takes a minute
    kernel = hy.compile(ball(bounce=bounce), mode="compiled").kernel
    kernel.compile()
    assert kernel._other == "compiled"


@pytest.mark.extra
def test_what_is_compiled_apart_has_the_values_it_had():
    count = 3

    def counts(t, x, d):
        d[0] = factorial(count)

    sim = hy.compile(ball(bounce=counts), mode="compiled")
    count = 4
    compiled = sim.run(final_time=1.2)
    assert sim.kernel._other is not None and compiled.d_end[0] == 6.0
    count = 3
    assert_same(compiled, both(ball(bounce=counts))[1])


def test_machine_code_that_is_damaged_is_made_anew(empty, monkeypatch):
    first = hy.compile(ball(0.7), mode="compiled").run(final_time=1.2)
    [path] = empty.glob("advance-*")
    path.write_bytes(path.read_bytes()[:-1])
    monkeypatch.setattr(linked, "_KERNELS", {})
    assert_same(first, hy.compile(ball(0.7), mode="compiled").run(final_time=1.2))
    assert store.read(path, len)


def test_without_a_folder_for_files_models_run(empty, monkeypatch):
    generic.kernel(), generic.steps("dop853")  # kept in memory
    monkeypatch.setattr(store, "cache_folder", lambda name: None)
    assert_same(*both(ball(0.8)))


def test_a_kernel_is_named_by_its_source_and_the_method(monkeypatch):
    names = {method: generic.key_of(method) for method in ("", "rk23", "dopri5", "dop853", "rodas5p")}
    assert len({*names.values()}) == 5
    monkeypatch.setattr(generic, "_source", lambda file, method, source=generic._source: source(file, method) + "#")
    generic.key_of.cache_clear()
    assert generic.key_of("") != names[""] and generic.key_of("rk23") != names["rk23"]
    monkeypatch.undo()
    generic.key_of.cache_clear()


def test_large_arrays_that_code_has_the_address_of_stay_and_are_said_not_to_be_kept(empty):
    table = np.arange(200_000.0)

    def looks_up(t, x, d):
        d[0] = table[199_999]

    sim = hy.compile(ball(bounce=looks_up), mode="compiled")
    table[:] = 0.0
    with pytest.warns(UserWarning, match="not kept for the next process: it holds the address of an array of more"):
        assert sim.run(final_time=1.2).d_end[0] == 199_999.0
    assert not [*empty.glob("advance-*"), *empty.glob("model-*")]


def test_machine_code_defines_one_name_for_others():
    kernel = hy.compile(ball(0.9), mode="compiled").kernel
    module = kernel.linked(f"tarsus_advance_{kernel.name}")
    linking.machine_code_of(module)
    named = [part.name for part in (*module.functions, *module.global_variables) if part.linkage.name != "internal"]
    defined = {part.name for part in (*module.functions, *module.global_variables) if not part.is_declaration}
    assert [name for name in named if name in defined and not name.startswith(".const")] == [
        f"tarsus_advance_{kernel.name}"
    ]


def test_every_name_that_the_kernel_leaves_open_is_defined():
    """A table or a size that is new in `free` is known to the kernel for all models, too."""
    functions_of = hy.compile(bouncing_ball.build(), mode="python").functions
    sizes = {*functions_of.sizes, *loader.flags(functions_of), *loader.method_numbers(METHODS["rk23"])} - {"GAMMA"}
    assert sizes == {*generic.SIZES} and {*functions_of.tables} == {*generic.TABLES}


KEPT = """
import sys
import numpy as np
from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import bouncing_ball, rimless_wheel
for name in sys.argv[1:]:
    model = {"ball": bouncing_ball, "wheel": rimless_wheel}[name].build()
    run = hy.compile(model, "dop853", "compiled").run(final_time=1.0)
    if len(sys.argv) > 2:
        python = hy.compile(model, "dop853", "python").run(final_time=1.0)
        assert run.counts == python.counts and np.array_equal(run._log, python._log), name
        assert np.array_equal(run._record, python._record), name
"""


@pytest.mark.extra
def test_machine_code_made_by_two_processes_serves_a_third(new_process, empty):
    """numba numbers names by process, and one engine finds functions by name."""
    env = os.environ | {"TARSUS_CACHE_DIR": str(empty.parent)}
    for models in (["ball"], ["wheel"], ["ball", "wheel"], ["wheel", "ball"]):
        made = {*empty.iterdir()}
        done = new_process(KEPT, *models, env=env)
        assert done.returncode == 0, done.stderr
        assert len(models) == 1 or {*empty.iterdir()} == made
