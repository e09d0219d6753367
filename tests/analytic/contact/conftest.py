"""The independent references of this folder's tests."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

ORACLES = Path(__file__).parents[2] / "oracles"


def load_oracle(name="contact_frames"):
    spec = importlib.util.spec_from_file_location(name, ORACLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def oracle():
    """`tests/oracles/contact_frames.py`, which imports nothing of ours."""
    return load_oracle()


@pytest.fixture(scope="session")
def certificates():
    """`tests/oracles/contact_certificates.py`, which proves answers from the answer and the frame alone."""
    return load_oracle("contact_certificates")


@pytest.fixture
def rng():
    return np.random.default_rng(20240103)


@pytest.fixture
def hexapods(rng):
    """Positions (200, 6, 3) and velocities (200, 6, 2) of hexapods standing on 3 to 6 feet."""
    angle = np.arange(6) * np.pi / 3
    pos = np.empty((200, 6, 3))
    pos[..., 0], pos[..., 1] = 0.25 * np.cos(angle), 0.2 * np.sin(angle)
    pos[..., :2] += rng.uniform(-0.03, 0.03, (200, 6, 2))
    pos[..., 2] = -0.1 + rng.uniform(-0.05, 0.05, (200, 6))
    return pos, rng.normal(size=(200, 6, 2))


def pytest_generate_tests(metafunc):
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", list(load_oracle().KINDS))
