"""Fixtures shared by all tests: golden data, and which OpenGL can render here."""

import importlib.util
import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from tarsus.scripts.views.rendering import INSTALL_OPENGL, choose_opengl

# A busy machine is no error in the code under test.
hypothesis.settings.register_profile("tarsus", deadline=None)
hypothesis.settings.load_profile("tarsus")

GOLDEN = Path(__file__).parent / "golden"


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


def pytest_configure(config):
    if importlib.util.find_spec("triton"):
        # CUDA's torch loads it, with an LLVM of its own; behind Mesa's, which draws where there is no GPU, that crashes
        import triton  # noqa: F401
    config.can_render = choose_opengl()


def pytest_collection_modifyitems(config, items):
    if config.can_render or os.environ.get("TARSUS_REQUIRE_RENDER") == "1":
        return
    skip = pytest.mark.skip(reason=f"no OpenGL library renders here: {INSTALL_OPENGL}")
    for item in items:
        if item.get_closest_marker("render"):
            item.add_marker(skip)
