"""The kernels' machine code on disk: any change of what they are made of is seen, a second process compiles nothing."""

import os
import shutil

import numpy as np
import pytest

pytest.importorskip("numba")

from tarsus.analytic.compilation import jit  # noqa: E402
from tarsus.analytic.compilation.cache import cache_folder  # noqa: E402
from tarsus.analytic.compilation.fingerprint import fingerprint  # noqa: E402
from tarsus.analytic.compilation.references import Reached, plain_function, references  # noqa: E402
from tarsus.analytic.contact import Feet, kernels, solve  # noqa: E402

# The support search and viscous friction, through an entry point three files away from them; and a function of its own.
SOLVE = """
import numba, numpy as np
from tarsus.analytic.compilation import jit
from tarsus.analytic.contact import Feet, solve
from tarsus.analytic.contact.kernels import frames_serial

@jit
def double(x):
    return 2.0 * x

pos = np.array([[1.0, 1, 0], [1, -1, 0], [-1, 0, 0]])
found = solve(pos, np.ones((3, 2)), Feet(10.0, 1.0, 1.0), parallel=False)
assert found.solved and double(1.0) == 2.0 and numba.config.CACHE_DIR == {setting!r}
for function in (frames_serial, double):
    print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""


def reached(function, found):
    """Add all functions that a kernel calls, itself among them, with what they refer to."""
    plain = plain_function(function)
    if plain is not None and plain not in found:
        found[plain] = references(plain, reached=True)
        for value in found[plain].values():
            reached(value, found)
    return found


def another(value):
    """Return something else in the place of a number or a function; None for a module."""
    if isinstance(value, (int, float)):
        return value + 1
    return None if plain_function(value) is None else jit(lambda *arguments: 0.0)


def test_every_constant_and_every_function_of_the_kernels_is_in_the_fingerprint(monkeypatch):
    functions = reached(kernels.frames, {})
    assert len({function.__module__ for function in functions}) == 8
    n_changes = 0
    for function, values in functions.items():
        before = fingerprint(function)
        modules = [value for value in values.values() if isinstance(value, Reached)]
        for space, used in ((function.__globals__, values), *((vars(of.module), of.attributes) for of in modules)):
            for name, value in used.items():
                if another(value) is not None:
                    n_changes += 1
                    with monkeypatch.context() as patch:
                        patch.setitem(space, name, another(value))
                        assert fingerprint(function) != before, (function, name)
    assert n_changes > 200


def run(new_process, folder, variable):
    """Solve in a new process with its cache in `folder`; return hits and misses, and the files there."""
    env = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "TARSUS_CACHE_DIR")}
    env[variable] = str(folder)
    text = SOLVE.format(setting=str(folder) if variable == "NUMBA_CACHE_DIR" else "")
    done = new_process(text, env=env)
    assert done.returncode == 0, done.stderr
    files = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()], files


VISCOUS = """
import numpy as np
from tarsus.analytic.contact import Feet, kernels, solve
from tarsus.analytic.contact.kernels.coulomb import solve_coulomb

assert solve(np.array([[1.0, 1, 0], [1, -1, 0], [-1, 0, 0]]), np.ones((3, 2)), Feet(10.0, 1.0, 1.0)).solved
assert len(kernels.frames_serial.overloads) == 1
for other in (kernels.frames_parallel, kernels.single, kernels.frames, solve_coulomb, solve_coulomb.translated):
    assert not other.overloads, other
"""


@pytest.mark.extra
def test_viscous_friction_of_few_frames_compiles_neither_coulombs_law_nor_the_parallel_loop(new_process, tmp_path):
    done = new_process(VISCOUS, env=os.environ | {"TARSUS_CACHE_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr


@pytest.mark.extra
def test_a_second_process_compiles_nothing(new_process, tmp_path):
    """This process is the first for the kernels, which take long to compile; a new one for a function of its own."""
    solve(np.array([[1.0, 1, 0], [1, -1, 0], [-1, 0, 0]]), np.ones((3, 2)), Feet(10.0, 1.0, 1.0), parallel=False)
    (tmp_path / "machine_code").mkdir()
    for path in cache_folder("machine_code").glob("frames_serial-*.nbc"):
        shutil.copy2(path, tmp_path / "machine_code")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    found, first = run(new_process, tmp_path, "NUMBA_CACHE_DIR")
    assert found == [(1, 0), (0, 1)] and before
    assert before.items() < first.items() and {path.parent for path in first} == {tmp_path / "machine_code"}
    # The same files serve under the other variable.
    found, second = run(new_process, tmp_path, "TARSUS_CACHE_DIR")
    assert found == [(1, 0), (1, 0)] and second == first
