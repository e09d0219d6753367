"""Any MJCF as arrays: the mechanics is MuJoCo's to rounding, and what is not covered is refused by its name."""

import itertools
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import mechanics
from tarsus.mjcf.articulated import convert

ASSETS = Path(__file__).parents[2] / "mjcf" / "assets"
PUBLIC = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
ROBOTS = [
    ASSETS / "robots" / "dog.xml", ASSETS / "examples" / "quadruped.xml",
    *(ASSETS / f"{name}.xml" for name in ("hexapod", "multipod", "slip_leg", "hopping_leg")),
    *(PUBLIC / f"{name}.xml" for name in ("ant", "half_cheetah", "hopper", "walker2d_v5", "humanoid", "reacher")),
]  # fmt: skip
# Every kind of joint, offset anchors, two trees, springs, dampers, a tendon, oblique gravity of which one part feels
# little, and every law of an actuator.
MACHINE = """<mujoco><option gravity="1 -2 -7"/><default><geom density="700"/></default><worldbody>
<body name="cart" pos=".1 .2 .3" euler="20 30 40"><joint name="rail" type="slide" axis="1 2 .5" stiffness="30"
   springref=".2" damping=".7 .2 .1" ref=".1"/><geom type="box" size=".1 .2 .05" pos=".03 0 .02"/>
  <body name="gimbal" pos=".2 0 .1" euler="0 50 0"><joint name="socket" type="ball" pos=".05 .02 -.03" damping=".1"/>
   <geom type="capsule" size=".03 .1" pos="0 .05 .1" euler="30 0 0"/>
   <body name="arm" pos="0 .1 .2" gravcomp=".7">
    <joint name="shoulder" axis="1 1 0" pos=".01 .03 0" ref=".3" stiffness="4 -1 .5"/>
    <joint name="rod" type="slide" axis="0 .3 1" armature=".02" actuatorfrcrange="-1 1.5"/>
    <geom type="ellipsoid" size=".05 .1 .02"/><body name="fixed" pos="0 0 .1" euler="10 0 0"><geom size=".04"/>
     <body name="tip" pos="0 0 .2"><joint name="wrist" axis="0 1 0" damping=".03"/>
      <geom name="ball" size=".05" pos=".1 .02 0"/></body></body></body></body></body>
<body name="trunk" pos="0 0 2"><freejoint name="root"/><geom name="sole" type="box" size=".2 .1 .05" euler="5 6 7"/>
  <body pos=".2 .1 0"><joint name="hip" axis="0 1 0" armature=".01"/>
   <geom name="shank" type="capsule" size=".02 .15" pos="0 .01 -.15"/></body></body>
</worldbody><actuator>
<motor joint="rail" gear="3" ctrlrange="-.5 .5"/><position joint="shoulder" kp="20" kv=".5" timeconst=".1"/>
<velocity joint="wrist" kv=".3" forcerange="-.4 .3"/><motor joint="rod" gear="-2"/><position joint="rod" kp="9"/>
<dcmotor joint="hip" resistance="2" motorconst=".3" gear="4"/>
<dcmotor joint="hip" resistance="2" motorconst=".3" inductance="0 .1"/>
<dcmotor joint="wrist" resistance="2" motorconst=".3" input="vel" controller="5 0 .7" inductance="0 .1"/>
<dcmotor joint="rail" resistance="2" motorconst=".3" input="pos" controller="5 4 .7" inductance="0 .1"/>
<dcmotor joint="rail" resistance="2" motorconst=".3" input="pos" controller="5 4 .7"/>
<pid joint="hip" kp="5" kv="2" input="pos vel ff" ctrlrange="-.5 .5"/><damper joint="hip" kv="2" ctrlrange="0 1"/>
<pid joint="wrist" kp="5" kv="2" ki="3" input="pos ff"/><motor tendon="pair" gear="2"/>
<position tendon="pair" kp="9"/>
<general joint="wrist" gaintype="affine" gainprm=".1 .2 .3" biastype="affine" biasprm=".4 .5 .6" dyntype="integrator"/>
</actuator><tendon><fixed name="pair" stiffness="3 .5" damping=".4 .1" springlength="-.1 .2">
<joint joint="hip" coef=".7"/><joint joint="rail" coef="-1.2"/></fixed></tendon></mujoco>"""


def states(model, n=200):
    """Yield `n` random states, by Euler's method with a step so small that `mj_forward` is that of an instant."""
    model.opt.timestep, model.opt.integrator = 1e-14, mujoco.mjtIntegrator.mjINT_EULER
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    rng, data = np.random.default_rng(5), mujoco.MjData(model)
    for _ in range(n):
        data.qpos[:] = model.qpos0 + 0.5 * rng.normal(size=model.nq)
        data.qvel[:], data.ctrl[:] = 3.0 * rng.normal(size=model.nv), rng.normal(size=model.nu)
        data.act[:] = rng.normal(size=model.na)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        yield data


def relative(value, expected):
    return np.abs(value - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-9)


def check(model):
    """Compare accelerations without contact, their parts and the energy; 1e-10 is the accuracy that was asked for."""
    robot = convert(model, [])
    full = np.zeros((model.nv, model.nv))
    for data in states(model):
        found = mechanics(robot, data.qpos, data.qvel, data.ctrl, data.act)
        mujoco.mj_fullM(model, data, full)
        assert relative(found.qacc, data.qacc_smooth) < 1e-10
        assert relative(found.mass_matrix, full) < 1e-13
        assert relative(found.bias, data.qfrc_bias - data.qfrc_gravcomp) < 1e-12
        assert relative(found.passive, data.qfrc_spring + data.qfrc_damper) < 1e-12
        assert relative(found.actuator, data.qfrc_actuator) < 1e-10  # the activations of `actearly` are a step on
        assert relative(found.act_rate, data.act_dot) < 1e-12
        lifted = (model.body_gravcomp * model.body_mass * (data.xipos @ model.opt.gravity)).sum()
        assert np.allclose([found.potential - lifted, found.kinetic], data.energy, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_accelerations_of_robots_are_those_of_mujoco(path):
    check(mujoco.MjModel.from_xml_path(str(path)))


def test_accelerations_of_every_element_are_those_of_mujoco():
    model = mujoco.MjModel.from_xml_string(MACHINE)
    check(model)
    assert model.na == 8 and set(model.jnt_type) == {0, 1, 2, 3}


def test_a_motor_at_its_largest_voltage_is_weaker_the_faster_it_turns():
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "hexapod.xml"))
    robot, (resistance, constant, _, _, _, _, _, voltage) = convert(model, []), model.actuator_gainprm[0, :8]
    qvel = np.zeros(model.nv)
    for speed in (5.0, 10.0, 20.0):
        qvel[robot.dof_names.index("hip_0")] = speed
        force = mechanics(robot, robot.qpos0, qvel, np.where(np.arange(18) == 0, 9.0, 0.0)).actuator
        assert force[robot.dof_names.index("hip_0")] == pytest.approx(
            constant * (voltage - constant * speed) / resistance
        )


def test_feet_are_where_mujoco_has_their_geoms():
    model = mujoco.MjModel.from_xml_string(MACHINE)
    robot = convert(model, ["ball", "shank", "sole"], mu=0.5)
    assert robot.foot_names == ("ball", "shank_0", "shank_1", *(f"sole_{k}" for k in range(8)))
    for data in states(model, 5):
        gap = mechanics(robot, data.qpos, data.qvel).gap
        turn, size = data.geom("sole").xmat.reshape(3, 3), model.geom("sole").size
        corners = data.geom("sole").xpos + size * list(itertools.product([1, -1], repeat=3)) @ turn.T
        along = 0.15 * data.geom("shank").xmat.reshape(3, 3)[2, 2]
        shank = data.geom("shank").xpos[2] - 0.02 + np.array([along, -along])
        expected = [data.geom("ball").xpos[2] - 0.05, *shank, *corners[:, 2]]
        assert np.allclose(gap, expected, atol=1e-13)


def test_jacobian_and_drift_of_feet_are_derivatives():
    """The drift is the rate of a foot's velocity at zero joint acceleration, along a tilted plane's directions."""
    tilted = MACHINE.replace("<worldbody>", '<worldbody><geom name="floor" type="plane" size="1 1 1" euler="5 9 0"/>')
    model = mujoco.MjModel.from_xml_string(tilted)
    robot, h = convert(model, ["ball", "shank", "sole"], mu=0.5), 1e-6
    for data in states(model, 3):
        found, sides = mechanics(robot, data.qpos, data.qvel), []
        assert np.allclose(found.jacobian @ data.qvel, found.foot_velocity, atol=1e-12)
        for way in (-h, h):
            qpos = data.qpos.copy()
            mujoco.mj_integratePos(model, qpos, data.qvel, way)
            sides.append(mechanics(robot, qpos, data.qvel))
        rate = (sides[1].foot_velocity - sides[0].foot_velocity) / (2.0 * h)
        assert np.allclose(found.foot_drift, rate, rtol=1e-6, atol=1e-5)  # rounding by h: some 1e-8 of the speeds
        assert np.allclose(found.foot_velocity[:, 0], (sides[1].gap - sides[0].gap) / (2.0 * h), rtol=1e-6, atol=1e-6)


def test_friction_of_a_foot_is_combined_with_the_grounds():
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction=".3" {}/>
    <body><freejoint/><geom name="toe" size=".1" friction=".2"/></body></worldbody></mujoco>"""
    friction = [convert(mujoco.MjModel.from_xml_string(text.format(more)), ["toe"]).tables.foot[0, 4]
                for more in ("", 'priority="1"', 'priority="-1"')]  # fmt: skip
    assert friction == [0.3, 0.3, 0.2]
    text = text.replace('name="toe"', 'name="toe" condim="1"').format('condim="1"')
    assert convert(mujoco.MjModel.from_xml_string(text), ["toe"]).tables.foot[0, 4] == 0.0


BODY = """<mujoco>{0}<worldbody><body name="b" {1}><joint name="j" {2}/><geom name="g" size=".1 .1" {3}/>{4}</body>
</worldbody>{5}</mujoco>"""
REFUSED = {  # what is put where in `BODY`, and what the sentence must say
    "option has a fluid": {0: '<option density="1000"/>'},
    "flag 'spring' is disabled": {0: '<option><flag spring="disable"/></option>'},
    "joint 'j' is a ball joint with a limit": {2: 'type="ball" range="0 1" limited="true"'},
    "joint 'j' is a free or ball joint with a spring": {2: 'type="ball" stiffness="1"'},
    "joint 'j' is a free or ball joint with frictionloss": {2: 'type="ball" frictionloss="1"'},
    "joint 'j' has actuators with a bounded sum": {
        1: 'gravcomp="1"', 2: 'actuatorgravcomp="true" actuatorfrcrange="-1 1" actuatorfrclimited="true"'},
    "foot 'g' has condim 6": {3: 'condim="6"'},
    "foot 'g' is a cylinder; .* fit one": {3: 'type="cylinder"'},
    "actuator 'a' drives a site": {4: '<site name="s"/>', 5: '<actuator><motor name="a" site="s"/></actuator>'},
    "actuator 'a' drives a free or ball joint": {
        2: 'type="ball"', 5: '<actuator><motor name="a" joint="j"/></actuator>'},
    "actuator 'a' has an activation with limits": {
        5: '<actuator><intvelocity name="a" joint="j" actrange="-1 1"/></actuator>'},
    "actuator 'a' has gain and bias of kind muscle": {
        5: '<actuator><muscle name="a" joint="j" lengthrange="0 1"/></actuator>'},
    "actuator 'a' is a PID controller with a limit": {
        5: '<actuator><pid name="a" joint="j" ki="1" imax="1"/></actuator>'},
    "actuator 'a' is a DC motor with more": {
        5: '<actuator><dcmotor name="a" joint="j" resistance="1" motorconst="1" cogging="1 2 0"/></actuator>'},
    "equality 'e' is of a spatial tendon": {
        4: '<site name="s"/><site name="r" pos="1 0 0"/>', 5: """<tendon><spatial name="t"><site site="s"/>
        <site site="r"/></spatial></tendon><equality><tendon name="e" tendon1="t"/></equality>"""},
    "tendon 't' is spatial and has a spring": {
        4: '<site name="s"/><site name="r" pos="1 0 0"/>', 5: """<tendon><spatial name="t" stiffness="1">
        <site site="s"/><site site="r"/></spatial></tendon>"""},
    "tendon 't' has armature": {
        5: '<tendon><fixed name="t" armature="1"><joint joint="j" coef="1"/></fixed></tendon>'},
    "actuator 'a' drives a spatial tendon": {
        4: '<site name="s"/><site name="r" pos="1 0 0"/>', 5: """<tendon><spatial name="t"><site site="s"/>
        <site site="r"/></spatial></tendon><actuator><motor name="a" tendon="t"/></actuator>"""},
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_not_covered_is_refused_by_name(sentence):
    parts = [REFUSED[sentence].get(k, "") for k in range(6)]
    model = mujoco.MjModel.from_xml_string(BODY.format(*parts))
    with pytest.raises(ValueError, match=sentence):
        convert(model, ["g"])


def test_arguments_are_refused_with_a_sentence():
    model = mujoco.MjModel.from_xml_string(BODY.format("", "", "", "", "", ""))
    with pytest.raises(ValueError, match="there is no geom 'foot' to be a foot; there are g"):
        convert(model, ["foot"])
    with pytest.raises(ValueError, match="feet must be a list"):
        convert(model, "g")
    with pytest.raises(ValueError, match="mu must be a finite number"):
        convert(model, ["g"], mu=np.inf)
    with pytest.raises(ValueError, match="restitution must be from 0 to 1"):
        convert(model, ["g"], restitution=2.0)
    with pytest.raises(ValueError, match="ground must be a plane of the world"):
        convert(model, ["g"], ground="g")
    robot = convert(model, ["g"])
    with pytest.raises(ValueError, match=r"qvel must have shape \(1,\), got \(2,\)"):
        mechanics(robot, [0.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="qpos must be finite"):
        mechanics(robot, [np.nan], [0.0])
    ball = convert(mujoco.MjModel.from_xml_string(BODY.format("", "", 'type="ball"', "", "", "")), [])
    with pytest.raises(ValueError, match=r"qpos\[0:4\] is a quaternion and must not be zero"):
        mechanics(ball, np.zeros(4), np.zeros(3))


def test_what_moves_without_mass_is_refused():
    text = """<mujoco><worldbody><body name="b"><joint name="a" axis="0 0 1"/><joint name="j" axis="0 0 1"/>
    <geom size=".1"/></body></worldbody></mujoco>"""
    with pytest.raises(ValueError, match="moves nothing that has mass"):
        convert(mujoco.MjModel.from_xml_string(text), [])
