"""The disk cache of the kernels: an edited callee starts a new one, and a second process compiles nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tarsus.analytic.contact import jit

FOLDER = Path(jit.__file__).parent
FILES = ["jit.py", *(f"kernels/{path.name}" for path in sorted((FOLDER / "kernels").glob("*.py")))]

# Compiles the support search and viscous friction through an entry point three files away from them.
SOLVE = """
import numba, numpy as np
from tarsus.analytic.contact import Feet, solve
from tarsus.analytic.contact.kernels import frames_serial
pos = np.array([[1.0, 1, 0], [1, -1, 0], [-1, 0, 0]])
found = solve(pos, np.ones((3, 2)), Feet(10.0, 1.0, 1.0), parallel=False)
assert found.solved and numba.config.CACHE_DIR == {setting!r}
print(sum(frames_serial.stats.cache_hits.values()), sum(frames_serial.stats.cache_misses.values()))
"""


@pytest.fixture
def copy(tmp_path):
    (tmp_path / "kernels").mkdir()
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


def test_the_fingerprint_is_that_of_the_text(copy):
    assert jit.fingerprint(copy) == jit.fingerprint(FOLDER)


@pytest.mark.parametrize("name", FILES)
def test_an_edit_of_any_file_starts_a_new_cache(copy, name):
    path = copy / name
    path.write_text(path.read_text().replace("0", "1", 1) + "\n")
    assert jit.fingerprint(copy) != jit.fingerprint(FOLDER)


def test_a_new_or_removed_file_starts_a_new_cache(copy):
    before = jit.fingerprint(copy)
    (copy / "kernels" / "more.py").write_text("")
    assert jit.fingerprint(copy) != before


def run(folder, variable):
    """Solve in a new process with its cache in `folder`; return hits, misses and the files there with their times."""
    env = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "TARSUS_CACHE_DIR")}
    env[variable] = str(folder)
    text = SOLVE.format(setting=str(folder) if variable == "NUMBA_CACHE_DIR" else "")
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    files = {path: path.stat().st_mtime_ns for path in folder.rglob("*.nb[ci]")}
    return *map(int, done.stdout.split()), files


def test_a_second_process_compiles_nothing(tmp_path):
    pytest.importorskip("numba")
    hits, misses, first = run(tmp_path, "NUMBA_CACHE_DIR")
    assert (hits, misses) == (0, 1)
    of_version = tmp_path / "contact" / jit.fingerprint(FOLDER)
    assert first and all(path.is_relative_to(of_version) for path in first)
    # The same files serve under the other variable: the setting of numba's own folder only comes first.
    hits, misses, second = run(tmp_path, "TARSUS_CACHE_DIR")
    assert (hits, misses) == (1, 0) and second == first


def test_only_the_newest_caches_are_kept(tmp_path):
    for k in range(jit.KEEP + 3):
        (tmp_path / "contact" / f"old{k}").mkdir(parents=True)
        os.utime(tmp_path / "contact" / f"old{k}", (1e9 + k, 1e9 + k))
    jit._cache.__wrapped__(str(tmp_path))
    left = {path.name for path in (tmp_path / "contact").iterdir()}
    assert left == {jit.fingerprint(FOLDER), *(f"old{k}" for k in range(4, jit.KEEP + 3))}
