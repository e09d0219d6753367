"""The state that both engines start from is the same state."""

import mujoco
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.state import assemble, toes_of
from tarsus.analytic.terrain import Flat
from tarsus.scripts.experiment import Experiment
from tarsus.scripts.orbit import from_mujoco, modes, to_mujoco

PARAMS = HexapodParams()


def test_toes_move_in_mujoco_as_in_the_exact_engine():
    rng = np.random.default_rng(0)
    joints = rng.normal([0.0, 0.2, 0.2], [1.0, 0.1, 0.01], (6, 3))
    quaternion = np.array([0.9, 0.1, -0.2, 0.3])
    parts = rng.normal(size=3), quaternion / np.linalg.norm(quaternion), joints
    x = assemble(PARAMS, *parts, rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3)))
    model = Experiment(PARAMS, TripodGait(), Flat()).model()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = to_mujoco(PARAMS, x)
    mujoco.mj_forward(model, data)
    for leg, (place, speed) in enumerate(zip(*toes_of(x), strict=True)):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, jacobian, None, model.site(f"foot_{leg}").id)
        np.testing.assert_allclose(data.site(f"foot_{leg}").xpos, place, atol=2e-4)  # the toe's radius
        np.testing.assert_allclose(jacobian @ data.qvel, speed, atol=5e-3)
    np.testing.assert_allclose(from_mujoco(PARAMS, data.qpos, data.qvel), x, atol=1e-12)


def test_modes_take_a_matrix_apart():
    matrix = np.array([[0.5, 1.0, 0.0], [0.0, -0.8, 0.3], [0.0, 0.0, 0.1]])
    values, right, left = modes(matrix)
    np.testing.assert_allclose(values, [-0.8, 0.5, 0.1])
    np.testing.assert_allclose(right @ np.diag(values) @ left, matrix, atol=1e-15)
