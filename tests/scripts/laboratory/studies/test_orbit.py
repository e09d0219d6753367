"""The hexapod's gait in both engines: they start from the same state, and the stride map's derivative is one."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models.hexapod import HexapodParams, orbit
from tarsus.analytic.models.hexapod.state import SCALE, assemble, toes_of
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.hexapod_state import from_exact, to_exact
from tarsus.scripts.laboratory.studies.orbit import modes
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment

PARAMS = HexapodParams()
FIGURE = Path(__file__).parents[3] / "golden" / "figure_hexapod_orbit.npz"


def test_toes_move_in_mujoco_as_in_the_exact_engine():
    rng = np.random.default_rng(0)
    joints = rng.normal([0.0, 0.2, 0.2], [1.0, 0.1, 0.01], (6, 3))
    quaternion = np.array([0.9, 0.1, -0.2, 0.3])
    parts = rng.normal(size=3), quaternion / np.linalg.norm(quaternion), joints
    x = assemble(PARAMS, *parts, rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3)))
    model = HexapodExperiment(PARAMS, TripodGait(), Flat()).model()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = from_exact(PARAMS, x)
    mujoco.mj_forward(model, data)
    for leg, (place, speed) in enumerate(zip(*toes_of(x), strict=True)):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
        np.testing.assert_allclose(data.site(f"foot_{leg}").xpos, place, atol=2e-4)  # the toe's radius
        np.testing.assert_allclose(jacobian @ data.qvel, speed, atol=5e-3)
    np.testing.assert_allclose(to_exact(PARAMS, data.qpos, data.qvel), x, atol=1e-12)


def test_modes_take_a_matrix_apart():
    matrix = np.array([[0.5, 1.0, 0.0], [0.0, -0.8, 0.3], [0.0, 0.0, 0.1]])
    values, right, left = modes(matrix)
    np.testing.assert_allclose(values, [-0.8, 0.5, 0.1])
    np.testing.assert_allclose(right @ np.diag(values) @ left, matrix, atol=1e-15)


def test_variational_equations_and_the_walk_itself_show_the_multipliers_of_differences():
    """The differences are those of the figure, whose numbers test_figures.py computes."""
    point, parts = (np.load(FIGURE)[name] for name in ("fixed_point", "multipliers"))
    multipliers = parts @ (1.0, 1.0j)
    sim = exact.simulator(Flat())
    early, later, stride = (orbit.settle(sim, PARAMS, TripodGait(), n) for n in (9, 10, 20))
    np.testing.assert_allclose(stride.half(point), point, atol=2e-7)
    precise = {"rtol": 1e-9, "atol": 1e-11 * SCALE}
    flowed = sections.multipliers(stride.by_derivatives(orbit.derivatives_of(), point, half=True, **precise))
    np.testing.assert_allclose(flowed[:9], multipliers[:9], atol=1e-6)
    observed = np.linalg.norm(later.z0 - point) / np.linalg.norm(early.z0 - point)
    assert observed == pytest.approx(multipliers[0].real ** 2, rel=0.02)
    assert multipliers[0] == pytest.approx(-0.6103, abs=2e-4)  # a pitch that changes sign every half stride
