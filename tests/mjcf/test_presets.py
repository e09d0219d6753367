"""What a preset promises: set-points taken when the servo acts, and how often the tangent planes move."""

import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from tarsus.analytic.motor import MX_64
from tarsus.mjcf import PRESETS, apply_preset, compile_model, hexapod
from tarsus.mjcf.parts import add_servo, make_point_mass, new_spec
from tarsus.scripts.laboratory.studies import preset_errors
from tarsus.scripts.laboratory.studies.contact_sweep import flickers


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


def test_a_preset_whose_contact_flickers_says_so():
    reference = PRESETS["reference"]
    defaults = replace(reference, solref=(0.02, 1.0), solimp=(0.9, 0.95, 1e-3))
    assert not any(flickers(preset) for preset in (*PRESETS.values(), defaults))
    assert flickers(replace(reference, solimp=(0.9, 0.999, 1e-4)))
    assert not flickers(replace(reference, solimp=(0.5, 0.999, 1e-4)))


@pytest.mark.parametrize("name", PRESETS)
def test_toes_that_stand_are_at_the_height_of_the_ground(name):
    """They sink by a quarter of a millimetre into a soft contact, by which the ground is raised."""
    model = compile_model(hexapod.build(preset=name))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, round(2.0 / model.opt.timestep))
    height = data.site_xpos[[model.site(f"foot_{leg}").id for leg in range(6)], 2]
    stands = abs(height) < 0.01  # one tripod is in the air
    assert PRESETS[name].sink > 1e-4 and stands.sum() == 3 and abs(height[stands]).max() < 1e-4


def test_no_foot_of_a_multipod_loses_the_ground_while_its_leaf_is_bent():
    """With an impedance of 0.9 at the onset of contact it did in 13 to 31 % of frames."""
    walk = preset_errors.walkers("rl", (8,))["multipod, 8 legs"]
    assert preset_errors.bent_without_contact(walk) < 0.01
    before = replace(PRESETS["rl"], solimp=(0.9, 0.99, 1e-3), solref=(0.0024, 1.0), speculative=False)
    assert preset_errors.bent_without_contact(replace(walk, preset=before)) > 0.05


OWN = """<mujoco><option cone="pyramidal" timestep="0.004" iterations="3" wind="1 0 0" gravity="0 0 -3"/>
<worldbody><geom name="floor" type="plane" size="1 1 1" solref=".05 2" margin=".01" gap=".002"/>
<body pos="0 0 .1"><freejoint/><geom name="cube" type="box" size=".1 .1 .1" priority="2" friction=".7"/>
<geom name="post" size=".05" pos="0 0 .2"/></body></worldbody>
<contact><pair geom1="floor" geom2="post" solref=".1 1" margin=".03"/></contact></mujoco>"""


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_applied_to_a_model_of_ones_own(name):
    spec, preset = mujoco.MjSpec.from_string(OWN), PRESETS[name]
    said = {one.option: (one.of_file, one.used) for one in apply_preset(spec, name)}
    assert said["timestep"] == (0.004, preset.timestep) and said["wind"] == ((1, 0, 0), (0, 0, 0))
    assert said["iterations"] == (3, 100) and "gravity" not in said
    assert said["cone"] == ("pyramidal", "elliptic") and said["solref of geoms"] == ((0.05, 2.0), preset.solref)
    assert said["margin of geoms"] == (0.01, 0.0) and said["gap of geoms"] == (0.002, 0.0)
    assert said["margin of pairs"] == (0.03, 0.0) and "friction" not in " ".join(said)
    model = spec.compile()
    data = mujoco.MjData(model)
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC and model.opt.gravity[2] == -3
    while data.time < 1.0:
        mujoco.mj_step(model, data)
    assert data.ncon == 4 and data.contact.solref == pytest.approx(np.tile(preset.solref, (4, 1)))
    assert data.contact.solimp[:, :3] == pytest.approx(np.tile(preset.solimp, (4, 1)))
    assert data.contact.friction[0, 0] == 0.7 and 0 < 0.1 - data.qpos[2] < 2 * preset.sink
    assert model.pair_solref[0] == pytest.approx(preset.solref)
    assert not any(array.any() for array in (model.geom_margin, model.geom_gap, model.pair_margin, model.pair_gap))


def test_the_blocks_to_copy_are_the_presets():
    page = (Path(__file__).parents[2] / "docs" / "presets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```xml\n<!-- (\w+) -->\n(.*?)```", page, flags=re.DOTALL)
    assert {name for name, _ in blocks} == {*PRESETS}
    for name, block in blocks:
        spec = mujoco.MjSpec()
        copied = mujoco.MjSpec.from_string(f"<mujoco>{block}<worldbody><geom size='1'/></worldbody></mujoco>")
        PRESETS[name].apply(spec.option)
        for entry in ("timestep", "integrator", "cone", "impratio", "tolerance", "ls_tolerance", "enableflags"):
            assert getattr(copied.option, entry) == getattr(spec.option, entry), entry
        assert copied.geoms[0].solref == pytest.approx(PRESETS[name].solref)
        assert copied.geoms[0].solimp[:3] == pytest.approx(PRESETS[name].solimp)


def test_an_unknown_preset_leaves_the_model_as_it_is():
    spec = mujoco.MjSpec.from_string(OWN)
    with pytest.raises(ValueError, match="unknown preset 'fast'; there are reference, rl"):
        apply_preset(spec, "fast")
    assert spec.option.timestep == 0.004
    with pytest.raises(ValueError, match="unknown preset 'RL'; there are reference, rl; did you mean rl[?]"):
        apply_preset(spec, "RL")
