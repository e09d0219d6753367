"""Fixtures shared by all tests: golden data, and which OpenGL can render here."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parent / "golden"
INSTALL_OPENGL = "apt-get install -y --no-install-recommends libegl1 libgl1"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden/*.npz from what is computed now"
    )


@pytest.fixture
def golden(request):
    """Compare a dictionary of arrays with the stored one of that name; see --update-golden."""

    def compare(name: str, data: dict, rtol: float = 1e-6, atol: float = 0.0) -> None:
        path = GOLDEN / f"{name}.npz"
        if request.config.getoption("--update-golden"):
            GOLDEN.mkdir(exist_ok=True)
            np.savez_compressed(path, **data)
        stored = np.load(path)
        assert set(stored.files) == set(data)
        for key in stored.files:
            np.testing.assert_allclose(data[key], stored[key], rtol=rtol, atol=atol, err_msg=key)

    return compare


def renders_with(backend: str) -> bool:
    """Return whether a scene can be rendered in a new process; a failed import of OpenGL cannot be undone in ours."""
    code = "import mujoco; mujoco.Renderer(mujoco.MjModel.from_xml_string('<mujoco/>'), 8, 8).render()"
    env = {**os.environ, "MUJOCO_GL": backend}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True).returncode == 0


def pytest_configure(config):
    if "MUJOCO_GL" not in os.environ:
        backend = next((name for name in ("egl", "osmesa") if renders_with(name)), None)
        if backend:
            os.environ["MUJOCO_GL"] = backend


def pytest_collection_modifyitems(config, items):
    if "MUJOCO_GL" in os.environ or os.environ.get("TARSUS_REQUIRE_RENDER") == "1":
        return
    skip = pytest.mark.skip(reason=f"no OpenGL library renders here: {INSTALL_OPENGL}")
    for item in items:
        if item.get_closest_marker("render"):
            item.add_marker(skip)
