"""What a preset promises: set-points taken when the servo acts, and how often the tangent planes move."""

from dataclasses import replace

import mujoco
import pytest

from tarsus.analytic.motor import MX_64
from tarsus.mjcf import PRESETS
from tarsus.mjcf.parts import add_servo, make_point_mass, new_spec


@pytest.mark.parametrize("name", PRESETS)
def test_a_servo_follows_a_ramp_without_lag_if_its_set_points_lead_as_the_preset_says(name):
    preset, rate = PRESETS[name], 2.0
    spec = new_spec("one_joint", preset, 0.0)
    body = spec.worldbody.add_body(name="arm")
    make_point_mass(body, 0.01)
    body.add_joint(name="joint", type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0, 0, 1)).armature = 0.01
    add_servo(spec, "joint", MX_64, 20.0, 1.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    while data.time < 2.0:
        data.ctrl[:2] = rate * (data.time + preset.command_lead), rate
        mujoco.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(rate * data.time, abs=0.02 * rate * preset.timestep)


def test_planes_move_with_their_period_or_every_step():
    preset = PRESETS["reference"]
    assert preset.follow_every == 1
    assert replace(preset, timestep=2e-3, follow_period=0.01).follow_every == 5
