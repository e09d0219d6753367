"""Shared by all tests: what is the core of them, golden data, and which OpenGL can render here.

`make test` runs the core, `-m "not extra"`: what the formulas, solvers, models and environments must not lose unseen.
Every test is of the core unless its file stands in `EXTRA`, or it is marked `extra` or `thorough`.
"""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

# Threads of BLAS wait for each other by spinning, and with a worker on each core took thirty times the processor time
# that the smallest systems need. NumPy reads it when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Messages are compared as text, here and in new processes: without the colours that numba gives them where colorama is
# installed and newer Pythons where a terminal is claimed, and broken at one width.
os.environ |= {"NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1", "PYTHON_COLORS": "0", "COLUMNS": "80"}

import hypothesis
import numpy as np
import pytest

from tarsus.scripts.command import output
from tarsus.scripts.library.views.rendering import INSTALL_OPENGL, choose_opengl

# A busy machine is no error in the code under test. Examples are the same in every run, so that whoever changes nothing
# sees nothing new; a fuzz that is left to itself (tests/fuzz/budget.py) draws others each time.
hypothesis.settings.register_profile(
    "tarsus", deadline=None, derandomize=not os.environ.get("TARSUS_FUZZ_SECONDS"), database=None, max_examples=50
)
hypothesis.settings.load_profile("tarsus")

# CUDA's torch loads triton, with an LLVM of its own; behind Mesa's, which draws where there is no GPU, that crashes.
if importlib.util.find_spec("triton"):
    import triton  # noqa: F401
CAN_RENDER = choose_opengl()  # here, for the conftest of a folder that is named on the command line may import MuJoCo

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

# Folders and files that `make test` leaves to `make test-all`: commands, pages, pictures, studies, and whatever lasts.
EXTRA = [HERE / name for name in (
    "analytic/hybrid/test_linked.py", "analytic/hybrid/test_linked_pass.py", "controllers/test_connection_mpc.py",
    "controllers/test_observers.py", "envs/test_baselines.py",
    "envs/test_exact.py", "envs/test_torchrl.py", "envs/test_warp.py", "envs/test_warp_device.py",
    "envs/test_warp_kernels.py", "envs/test_warp_refusals.py", "envs/test_warp_translation.py", "fuzz", "scripts",
    "test_documented_code.py", "test_documented_commands.py", "test_equations.py", "test_extending.py",
    "test_house.py", "test_mutants.py", "test_notebooks.py", "test_numbers.py", "test_recipes.py",
)]  # fmt: skip
# What in these folders is of the core all the same: the command line, and where results are saved.
CORE = [
    HERE / "scripts" / name
    for name in (
        "command/test_cli.py",
        "command/test_signature.py",
        "command/test_output.py",
        "library/learning/test_entering.py",
        "library/learning/test_scores.py",
        "library/records",
        "library/reality",
    )
]


# What hangs in a process of its own is ended by the processor time it took, which a busy machine does not change.
LIMIT = "" if sys.platform == "win32" else "import resource; resource.setrlimit(resource.RLIMIT_CPU, (300, 300))\n"


@pytest.fixture(scope="session", autouse=True)
def results_elsewhere(tmp_path_factory):
    """Have commands put their results into a folder of the test run's, unless a test names one."""
    output.FOLDER = tmp_path_factory.mktemp("out")


@functools.cache
def is_extra(path: Path) -> bool:
    """Return whether the tests of a file are left to `make test-all`."""
    above = (path, *path.parents)
    return any(one in above for one in EXTRA) and not any(one in above for one in CORE)


def pytest_ignore_collect(collection_path, config):
    """Leave out unread what would be deselected: importing its libraries takes longer than many a test."""
    if config.getoption("markexpr") == "not extra" and collection_path.is_file() and is_extra(collection_path):
        return True
    return None


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden/*.npz from what is computed now"
    )


@pytest.fixture
def golden(request):
    """Compare a dictionary of arrays with the stored one of that name; see --update-golden.

    `special` holds the tolerances of arrays that need others, each a dictionary of `rtol` and `atol` or one of them.
    """

    def compare(name: str, data: dict, rtol: float = 1e-6, atol: float = 0.0, special: dict | None = None) -> None:
        path = GOLDEN / f"{name}.npz"
        if request.config.getoption("--update-golden"):
            GOLDEN.mkdir(exist_ok=True)
            np.savez_compressed(path, **data)
        assert path.exists(), f"there is no {path.name} yet: pytest '{request.node.nodeid}' --update-golden"
        stored = np.load(path)
        assert set(stored.files) == set(data) and set(special or {}) <= set(data)
        for key in stored.files:
            tolerance = {"rtol": rtol, "atol": atol} | (special or {}).get(key, {})
            np.testing.assert_allclose(data[key], stored[key], **tolerance, err_msg=key)

    return compare


@pytest.fixture(scope="session")
def new_process():
    """Run Python code in a new process, with words in its `sys.argv`; return what `subprocess.run` does."""

    def run(code: str, *words: str, **options) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-c", LIMIT + code, *words], capture_output=True, text=True, **options)

    return run


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(config, items):
    for item in items:
        if is_extra(item.path) or item.get_closest_marker("thorough"):
            item.add_marker("extra")
    if CAN_RENDER or os.environ.get("TARSUS_REQUIRE_RENDER") == "1":
        return
    skip = pytest.mark.skip(reason=f"no OpenGL library renders here: {INSTALL_OPENGL}")
    for item in items:
        if item.get_closest_marker("render"):
            item.add_marker(skip)
