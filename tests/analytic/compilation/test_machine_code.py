"""Kept machine code is used, and whatever happens to its files costs no more than compiling again."""

import ctypes
import os
import pickle
import subprocess
import sys
import threading
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

from tarsus.analytic.compilation import cache, compiled, functions, jit

numba = pytest.importorskip("numba")

from tarsus.analytic.compilation import machine_code, store  # noqa: E402
from tarsus.analytic.compilation.parallel import prange  # noqa: E402

PACKAGE = Path(cache.__file__).parents[2]
G = 2.0


def helper(x):
    return G * x


def law(x):
    return helper(x) + 1.0


def kernel(x):
    for i in prange(len(x)):
        x[i] *= G


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    cache.warn_once.cache_clear()
    return tmp_path


def as_a_new_process(monkeypatch):
    """Return the law, compiled or loaded as if nothing had been."""
    monkeypatch.setattr(functions, "_COMPILED", {})
    return compiled(law)


def executed(name, **space):
    """Return a function that `exec` made."""
    exec(f"def {name}(x):\n    return 3.0 * x", space)
    return space[name]


def hits_and_misses(function):
    return sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values())


def test_a_function_is_compiled_once(folder, monkeypatch):
    for expected in ((0, 1), (1, 0)):
        run = as_a_new_process(monkeypatch)
        assert run(3.0) == 7.0 and hits_and_misses(run) == expected
    assert run(3) == 7.0 and hits_and_misses(run) == (1, 1)  # another signature, another file
    assert len([*(folder / "machine_code").iterdir()]) == 2


DAMAGE = {
    "empty": lambda data: b"",
    "halved": lambda data: data[: len(data) // 2],
    "garbage": lambda data: b"\x80\x04garbage" * 500,
    "a bit turned over": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "a head without a body": lambda data: data[: store.HEAD_SIZE],
    "harmful": lambda data: pickle.dumps(Harmful()),
}


class Harmful:
    def __reduce__(self):
        return os.abort, ()


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_replaced(folder, monkeypatch, damage):
    as_a_new_process(monkeypatch)(3.0)
    [path] = (folder / "machine_code").iterdir()
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    with warnings.catch_warnings(action="error"):
        run = as_a_new_process(monkeypatch)
        assert run(3.0) == 7.0 and hits_and_misses(run) == (0, 1)
        run = as_a_new_process(monkeypatch)
        assert run(3.0) == 7.0 and hits_and_misses(run) == (1, 0)
    assert [*(folder / "machine_code").iterdir()] == [path]


def test_a_file_under_another_name_is_not_its_own(folder, monkeypatch):
    as_a_new_process(monkeypatch)(3.0)
    [real] = (folder / "machine_code").iterdir()
    as_a_new_process(monkeypatch)(3)
    [other] = {*(folder / "machine_code").iterdir()} - {real}
    other.write_bytes(real.read_bytes())
    run = as_a_new_process(monkeypatch)
    assert run(3) == 7.0 and hits_and_misses(run) == (0, 1)


def test_whole_files_that_cannot_be_loaded_are_replaced(folder, monkeypatch):
    as_a_new_process(monkeypatch)(3.0)
    [path] = (folder / "machine_code").iterdir()
    body = pickle.dumps(([], ("of another version of numba",)))
    path.write_bytes(store._head(path, body) + body)
    with pytest.warns(UserWarning, match="cannot be loaded, and is compiled anew: TypeError"):
        assert as_a_new_process(monkeypatch)(3.0) == 7.0
    run = as_a_new_process(monkeypatch)
    assert run(3.0) == 7.0 and hits_and_misses(run) == (1, 0)


@pytest.mark.parametrize("options", [{}, {"fast": True}, {"fast": True, "parallel": True}])
def test_what_the_decorator_compiles_heals_too(folder, options):
    for expected in ((0, 1), (1, 0), (0, 1)):
        function, x = jit(**options)(kernel), np.array([1.0, 2.0])
        function(x)
        assert x.tolist() == [2.0, 4.0] and hits_and_misses(function) == expected
        if expected == (1, 0):
            [path] = (folder / "machine_code").iterdir()
            path.write_bytes(path.read_bytes()[:1000])


def test_a_kernel_whose_constant_changed_is_neither_stale_nor_kept(folder, monkeypatch):
    """Numba froze the constant when it compiled the inner function: what calls it now holds neither value."""
    inner = jit(helper)
    monkeypatch.setitem(globals(), "helper", inner)
    assert jit(law)(3.0) == 7.0
    monkeypatch.setitem(globals(), "G", 5.0)
    before = {*(folder / "machine_code").iterdir()}
    with pytest.warns(UserWarning, match="helper may have been compiled before something it refers to was changed"):
        assert jit(law)(3.0) == 7.0
    assert {*(folder / "machine_code").iterdir()} == before
    monkeypatch.setitem(globals(), "helper", jit(helper.py_func))
    assert jit(law)(3.0) == 16.0


def test_what_changes_between_the_fingerprint_and_the_compilation_is_not_kept(folder, monkeypatch):
    monkeypatch.setitem(globals(), "helper", numba.vectorize(helper))
    run = as_a_new_process(monkeypatch)
    monkeypatch.setitem(globals(), "G", 5.0)
    with pytest.warns(UserWarning, match="may have been compiled before something it refers to was changed"):
        assert run(3.0) == 16.0
    assert not [*folder.rglob("*.nbc")]


def misspelt(x):
    return x.unknown


def test_errors_quote_the_line_that_cannot_be_compiled(folder):
    with pytest.raises(
        numba.core.errors.TypingError,
        match=r'File ".*test_machine_code.py", line \d+:\ndef misspelt\(x\):\n    return x.unknown',
    ):
        compiled(misspelt)(3.0)


def full(*args, **options):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("module, name", [(os, "replace"), (cache.tempfile, "mkstemp")])
def test_a_full_disk_stops_nothing_and_leaves_nothing(folder, monkeypatch, module, name):
    monkeypatch.setattr(module, name, full)
    with pytest.warns(UserWarning, match="not kept for the next process: OSError: .* No space left on device") as told:
        assert as_a_new_process(monkeypatch)(3.0) == 7.0
        assert as_a_new_process(monkeypatch)(3.0) == 7.0
    assert len(told) == 1  # once is enough
    assert not [*(folder / "machine_code").iterdir()]


def test_no_folder_stops_nothing(folder, monkeypatch):
    monkeypatch.setattr(store, "cache_folder", lambda name: None)
    assert as_a_new_process(monkeypatch)(3.0) == 7.0


def renamed(x):
    module = math
    return module.tau * BIG[0] * x


def pointed(x):
    return cosine(x)


def large(x):
    return BIG[0] * x


BIG = np.ones(200_000)
math = types.ModuleType("mine")
math.tau = 6.0
cosine = ctypes.CDLL(None).cos
cosine.argtypes, cosine.restype = [ctypes.c_double], ctypes.c_double


@pytest.mark.parametrize(
    "function, value, reason",
    [
        (renamed, 18.0, "module mine is used in renamed.math other than by the names of its attributes"),
        (pointed, np.cos(3.0), "pointed.cosine is of type _FuncPtr, which cannot be hashed"),
        (large, 3.0, machine_code.DYNAMIC),
    ],
)
def test_what_cannot_be_kept_is_compiled_anew_with_a_sentence(folder, function, value, reason):
    with pytest.warns(UserWarning, match=f"compiled code is not kept for the next process: {reason}"):
        assert compiled(function)(3.0) == pytest.approx(value, rel=1e-15)
    assert not [*folder.rglob("*.nbc")]


SCRIPT = """
import os, resource, signal, sys
from tarsus.analytic.compilation import compiled

def the_law_of_the_script(x):
    return 2.0 * x + 1.0

law = the_law_of_the_script
if "unlucky" in sys.argv:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # what is longer is cut, as on a full disk
    print(compiled(law)(3.0), len(os.listdir(os.environ["TARSUS_CACHE_DIR"] + "/machine_code")), flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
    compiled(law)(3)
run = compiled(law)
print(run(3.0), sum(run.stats.cache_hits.values()))
"""


LOADS = """
import sys
from tarsus.analytic.compilation import jit
from tarsus.analytic.compilation.parallel import prange

@jit
def alone(n):
    return 2.0 * n

@jit(parallel=True)
def shared(n):
    total = 0
    for i in prange(n):  # by functions that numba defines when it starts its threads
        total += i
    return total

for function in (alone, shared):
    print(function(4), sum(function.stats.cache_hits.values()), "numba.np.arraymath" in sys.modules)
"""


@pytest.mark.extra
def test_only_machine_code_that_needs_it_loads_what_numba_compiles_with(new_process, tmp_path):
    env = {**os.environ, "TARSUS_CACHE_DIR": str(tmp_path)}
    for expected in ("8.0 0 True\n6 0 True\n", "8.0 1 False\n6 1 True\n"):
        done = new_process(LOADS, env=env)
        assert (done.returncode, done.stdout) == (0, expected), done.stderr


def start(folder, *words):
    env = {**os.environ, "TARSUS_CACHE_DIR": str(folder)}
    return subprocess.Popen([sys.executable, "-c", SCRIPT, *words], env=env, stdout=-1, stderr=-1, text=True)


def the_law_of_the_script(x):
    return 2.0 * x + 1.0


@pytest.mark.extra
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits and signals")
def test_processes_that_meet_a_full_disk_are_killed_or_meet_each_other(tmp_path, monkeypatch):
    out, err = (process := start(tmp_path, "unlucky")).communicate()
    assert process.returncode == -9 and out == "7.0 0\n"
    assert "compiled code is not kept for the next process: OSError: [Errno 27] File too large" in err
    [part] = (tmp_path / "machine_code").iterdir()
    assert part.suffix == ".part"
    then = time.time() - 2 * cache.ABANDONED
    os.utime(part, (then, then))
    together = [start(tmp_path), start(tmp_path)]
    assert all(process.communicate()[0].startswith("7.0 ") for process in together)
    assert [path.suffix for path in (tmp_path / "machine_code").iterdir()] == [".nbc"]
    monkeypatch.setenv("TARSUS_CACHE_DIR", str(tmp_path))
    run = compiled(the_law_of_the_script)
    assert run(3.0) == 7.0 and hits_and_misses(run) == (1, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_who_needs_what_another_is_making_waits_for_it(tmp_path, monkeypatch):
    path, made, found, waiting = tmp_path / "law-1.nbc", [], [], threading.Event()
    monkeypatch.setattr(store.time, "sleep", lambda seconds: waiting.set())

    def make(whose):
        if whose == "first":
            second.start()
            assert waiting.wait(60.0)
        store.write(path, whose.encode())
        made.append(whose)
        return whose.encode()

    def find(whose):
        found.append(store.read_or_make(path, lambda body: body, lambda: make(whose)))

    second = threading.Thread(target=find, args=["second"])
    find("first")
    second.join()
    assert made == ["first"] and found == [b"first"] * 2
    assert [left.suffix for left in tmp_path.iterdir()] == [".nbc"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_who_holds_it_up_is_not_waited_for_without_end(tmp_path, monkeypatch):
    path = tmp_path / "law-1.nbc"
    monkeypatch.setattr(store, "PATIENCE", 0.0)
    with store._alone(path) as waited:  # by another, who was halted
        assert not waited
        assert store.read_or_make(path, lambda body: body, lambda: b"mine") == b"mine"


def test_nothing_is_left_to_the_cache_of_numba():
    folders = [PACKAGE / name for name in ("analytic", "controllers", "envs", "mjcf", "scripts")]
    texts = {path: path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")}
    assert len(texts) > 100 and not [path for path, text in texts.items() if "cache=True" in text]


def test_functions_without_a_module_are_not_kept_which_one_sentence_says_once(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name, space in {"f": {}, "g": {"__name__": None}, "h": {"__name__": "nowhere"}}.items():
            for _ in range(2):
                assert jit(executed(name, **space))(2.0) == 6.0
        assert jit(executed("kept", __name__=__name__))(2.0) == 6.0
    (sentence,) = {str(warning.message) for warning in caught}
    assert len(caught) == 1 and "of a function without a module, as `exec` makes them" in sentence
    assert [path.name.partition("-")[0] for path in folder.rglob("*.nbc")] == ["kept"]
    assert compiled(executed("f"))(2.0) == 6.0 and len(list(folder.rglob("*.nbc"))) == 2
