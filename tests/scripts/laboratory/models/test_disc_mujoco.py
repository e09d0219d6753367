"""The MuJoCo disc against its own kinematics and the sag of its springs."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import Flat
from tarsus.mjcf import compile_model
from tarsus.scripts.laboratory.models import disc_mujoco as disc
from tarsus.scripts.laboratory.models.disc import MAX_LEGS, MIN_LEGS, DiscParams, foot_positions

SIZES = range(MIN_LEGS, MAX_LEGS + 1)


@pytest.mark.parametrize("n_legs", SIZES)
def test_masses_and_feet_are_the_parameters(n_legs):
    params = DiscParams(n_legs=n_legs)
    model = compile_model(disc.build(params))
    data = mujoco.MjData(model)
    assert model.body_mass.sum() == pytest.approx(params.total_mass) and model.nv == 6 + 3 * n_legs
    joints = np.random.default_rng(n_legs).uniform(-params.ranges, params.ranges, (n_legs, 3))
    data.qpos[:] = disc.start_state(params, Flat(), joints)
    mujoco.mj_kinematics(model, data)
    feet = data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(n_legs)]]
    np.testing.assert_allclose(feet - data.qpos[:3], foot_positions(params, joints), atol=1e-14)
    assert feet[:, 2].min() == pytest.approx(0, abs=1e-12)


def test_inertia_is_that_of_a_thick_disc_and_of_the_servos():
    params = DiscParams(n_legs=5, leg_share=0.2, radius=0.3)
    model = compile_model(disc.build(params))
    across = 1.0 * (3 * 0.3**2 + (2 * disc.THICKNESS) ** 2) / 12
    np.testing.assert_allclose(model.body("torso").inertia, [across, across, 1.0 * 0.3**2 / 2])
    np.testing.assert_allclose(
        model.dof_armature[6:].reshape(5, 3), np.tile([0, params.armature, params.armature], (5, 1))
    )


@pytest.mark.parametrize("n_legs", [3, 4, 7, 21])
def test_it_stands_at_the_sag_of_its_springs(n_legs):
    params = DiscParams(n_legs=n_legs)
    model = compile_model(disc.build(params, preset="rl"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(600):
        mujoco.mj_step(model, data)
    force = data.sensordata[: 4 * n_legs].reshape(n_legs, 4)
    np.testing.assert_allclose(force[:, 3], params.total_mass * params.g / n_legs, rtol=1e-3)
    on_slides = params.g * params.leg_share  # the weight of slides and legs rests on the feet, not on the springs
    sag = params.leg_length - data.qpos[2]
    assert sag == pytest.approx(on_slides / params.lift_k, rel=0.05) and not data.warning.number.any()
