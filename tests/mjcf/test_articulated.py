"""A MuJoCo model in the exact engine: accelerations without contact as MuJoCo has them, feet, and what is refused."""

from dataclasses import replace
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import evaluate
from tarsus.mjcf.articulated import convert
from tarsus.mjcf.articulated_feet import FootSphere, fitted

ASSETS = Path(mujoco.__file__).parents[0], Path(gymnasium.__file__).parent / "envs/mujoco/assets"
OWN = Path(__file__).parents[2] / "mjcf/assets"
JOINTS = """<mujoco><option gravity="1 2 -9"/><worldbody><body name="first" pos="0 0 1">
<joint type="slide" axis="1 1 0"/>
<joint type="hinge" axis="0 1 1" pos=".1 0 .2" ref=".3" stiffness="3" springref=".2"/><geom size=".1"/>
<body pos=".3 0 .1" quat="1 .2 .3 .1"><joint type="ball" pos="0 .1 .1" armature=".01" damping=".1"/>
<geom name="leg" type="capsule" size=".05 .2"/>
<body pos=".2 .1 0"><joint axis="1 0 1" pos=".1 .1 0" armature=".02"/><joint axis="0 1 0" damping=".3"/>
<geom type="box" size=".1 .2 .1"/></body></body></body></worldbody></mujoco>"""
TWO_TREES = """<mujoco><option gravity="1 2 -9"/><worldbody>
<geom type="plane" size="1 1 1"/><body pos="1 2 .3" euler="20 0 40"><geom size=".2"/>
<body pos=".1 0 0"><joint axis="0 1 0" pos="0 0 .1" type="slide" stiffness="20" damping="2"/><geom size=".1"/></body>
</body><body pos="0 0 4"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 0 0"/><body pos="0 .3 0">
<joint name="hip" axis="1 0 0"/><geom size=".1"/></body></body></worldbody></mujoco>"""
DRIVES = """<mujoco><worldbody><body name="trunk"><freejoint/><geom size=".2"/>
<body pos=".3 0 0"><joint name="a" axis="0 1 0" actuatorfrcrange="-2 3"/><geom size=".1"/>
<body pos=".3 0 0"><joint name="b" axis="0 0 1"/><geom size=".1"/><body pos=".3 0 0"><joint name="c" type="slide"/>
<geom size=".1"/></body></body></body></body></worldbody>
<tendon><fixed name="ab" stiffness="5" damping=".4" springlength="-.2 .3"><joint joint="a" coef="1.5"/>
<joint joint="b" coef="-.7"/></fixed></tendon>
<actuator><motor joint="a" gear="2" ctrlrange="-.5 .5"/><position joint="b" kp="7" kv=".6" forcerange="-4 2"/>
<velocity joint="c" kv="3"/>
<general joint="b" gainprm="1 .2 .3" gaintype="affine" biastype="affine" biasprm=".1 .2 .3"/>
<motor tendon="ab" gear="3"/><general joint="c" dyntype="integrator" gainprm="4" biastype="affine" biasprm="0 -4 -.2"/>
<position joint="a" kp="2" timeconst=".03"/><general joint="b" dyntype="filter" dynprm=".05" gainprm="2"/>
</actuator></mujoco>"""


def motors(numbers=(0, 1), **options):
    """Return a robot with DC motors, one of a voltage, one with all inputs and states, and servos with an integral."""
    spec = mujoco.MjSpec.from_string(DRIVES)
    for number in numbers:
        joint = "ab"[number]
        motor = spec.add_actuator(name=f"motor_{joint}", target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_dcmotor(
            motorconst=(0.5, 0.5), resistance=2.0, ctrlspec=(8, 15)[number], inductance=(0.01 * number, 0),
            **{"controller": (3, 2, 0.2, 0, 0, 1.5) if number else (0,) * 6} | options
        )  # fmt: skip
    for number, inputs in enumerate((1, 7)):
        servo = spec.add_actuator(name=f"servo_{number}", target="c", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_pid(kp=6.0, kv=0.4, ki=3.0 * number, ctrlspec=inputs)
        servo.biasprm[0] = 0.7
    model = spec.compile()
    model.actuator_actearly[:] = False  # MuJoCo would take the current after a timestep
    return model


def loaded(name):
    if name == "motors":
        return motors()
    if name.startswith("<"):
        return mujoco.MjModel.from_xml_string(name)
    found = [folder / name for folder in (OWN, ASSETS[1]) if (folder / name).exists()]
    return mujoco.MjModel.from_xml_path(str(found[0]))


@pytest.mark.parametrize("name", [
    JOINTS, TWO_TREES, DRIVES, "motors", "hexapod.xml", "bigant.xml", "multipod.xml", "disc.xml", "slip_leg.xml",
    "hopping_leg.xml", "examples/dog.xml", "examples/quadruped.xml", "robots/dog.xml", "ant.xml", "half_cheetah.xml",
    "hopper.xml", "walker2d.xml", "humanoid.xml", "pusher.xml", "reacher.xml",
], ids=lambda name: name[-24:-10] if name.startswith("<") else name)  # fmt: skip
def test_forces_and_accelerations_are_those_of_mujoco(name):
    model = loaded(name)
    robot = convert(model, ())
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER  # "discrete" has accelerations of a timestep
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data, rng, full = mujoco.MjData(model), np.random.default_rng(0), np.zeros((model.nv, model.nv))
    for _ in range(200):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.8)
        data.qvel[:], data.act[:] = 3 * rng.normal(size=model.nv), rng.normal(size=model.na)
        data.ctrl[:] = rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, full)
        found = evaluate(robot, data.qpos, data.qvel, data.act, data.ctrl)
        for ours, theirs in (
            (found.mass, full), (found.bias, data.qfrc_bias), (found.springs, data.qfrc_spring),
            (found.dampers, data.qfrc_damper), (found.actuators, data.qfrc_actuator), (found.act_dot, data.act_dot),
            (found.kinetic + found.potential, data.energy.sum()),
        ):  # fmt: skip
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max(initial=0.0)))
        # Accelerations lose what the mass matrix is ill conditioned.
        np.testing.assert_allclose(found.qacc, data.qacc, rtol=0, atol=1e-10 * np.abs(data.qacc).max())


def test_quaternions_need_not_be_of_length_one():
    model = loaded("ant.xml")
    robot, qpos, qvel = convert(model, ()), np.array(model.qpos0), np.arange(14.0)
    qpos[3:7] = 0.5, 0.1, -0.7, 0.2
    one = evaluate(robot, qpos, qvel).qacc
    qpos[3:7] *= 3.0
    np.testing.assert_allclose(evaluate(robot, qpos, qvel).qacc, one, rtol=1e-12)


@pytest.mark.parametrize("shape, radius, centres", [
    ('type="sphere" size=".1"', 0.1, [(0.2, 0, 0)]),
    ('type="capsule" size=".1 .3"', 0.1, [(0.2, 0.3, 0), (0.2, -0.3, 0)]),
    ('type="box" size=".1 .2 .3"', 0.0, [(0.2 + 0.1 * i, 0.3 * j, 0.2 * k)
                                        for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]),
])  # fmt: skip
def test_feet_are_spheres_ends_of_capsules_and_corners_of_boxes(shape, radius, centres):
    text = f'<mujoco><worldbody><body pos="0 0 2"><freejoint/><geom name="foot" {shape} pos=".2 0 0" euler="90 0 0"/>'
    model = mujoco.MjModel.from_xml_string(text + "</body></worldbody></mujoco>")
    robot = convert(model, "foot")
    assert {tuple(np.round(row[:3], 12)) for row in robot.tables.foot} == {tuple(np.round(c, 12)) for c in centres}
    assert robot.n_feet == len(centres) == len(set(robot.foot_names))
    gap = evaluate(robot, model.qpos0).gap
    np.testing.assert_allclose(sorted(gap), sorted(2.0 + c[2] - radius for c in centres))


def test_the_ground_is_the_plane_of_the_file_or_one_that_is_given():
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 .5" euler="0 30 0"/><body pos="0 0 2">
<freejoint/><geom name="foot" size=".1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    found = evaluate(convert(model, ["foot"]), model.qpos0)
    assert found.gap[0] == pytest.approx(1.5 * np.cos(np.pi / 6) - 0.1)
    tables = convert(model, ["foot"], ground=((0, 0, 1), (0, 0, 7))).tables
    assert evaluate(convert(model, ["foot"], ground=((0, 0, 1), (0, 0, 7))), model.qpos0).gap[0] == pytest.approx(0.9)
    np.testing.assert_array_equal(tables.world[1:4], np.eye(3)[[2, 0, 1]])


def mesh(scale):
    """Return a robot whose foot is a mesh of a ball of 0.3 m, scaled, at a place and turn of its own."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2000, 3))
    points *= 0.3 / np.linalg.norm(points, axis=1)[:, None] * scale
    vertices = " ".join(map(str, points.ravel()))
    text = f"""<mujoco><asset><mesh name="ball" vertex="{vertices}"/></asset><worldbody><body name="trunk" pos="0 0 2">
<freejoint/><geom size=".1"/><body name="shin" euler="30 20 0"><joint axis="0 1 0"/>
<geom name="foot" type="mesh" mesh="ball" pos=".1 .2 -.3" friction=".6"/></body></body></worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def test_a_mesh_is_a_foot_by_the_sphere_that_fits_it():
    model = mesh(1.0)
    sphere = fitted(model, model.qpos0, "foot")
    assert (sphere.body, sphere.mu) == ("shin", 0.6) and sphere.radius == pytest.approx(0.3, rel=1e-5)
    np.testing.assert_allclose(sphere.pos, (0.1, 0.2, -0.3), atol=2e-5)
    heel = replace(sphere, name="heel", pos=(0, 0, 0))
    assert convert(model, [sphere, heel]).foot_names == ("shin", "heel")
    with pytest.raises(ValueError, match=r"foot 'foot' is a mesh; .* fitted\(model, qpos, geom\)"):
        convert(model, ["foot"])
    with pytest.raises(ValueError, match="lowest part of the mesh 'foot' is no sphere"):
        fitted(model := mesh((1.0, 0.2, 0.5)), model.qpos0, "foot")
    with pytest.raises(ValueError, match="there is no mesh of a geom 'trunk'"):
        fitted(model, model.qpos0, "trunk")


@pytest.mark.parametrize("foot, ground, mu", [
    ('friction=".3"', 'friction=".7"', 0.7), ('friction=".3" priority="1"', 'friction=".7"', 0.3),
    ('friction=".9"', 'friction=".7" priority="2"', 0.7), ('condim="1"', 'condim="1"', 0.0),
    ('condim="1"', 'condim="3" friction=".4"', 1.0),
])  # fmt: skip
def test_friction_is_that_of_mujoco(foot, ground, mu):
    text = f"""<mujoco><worldbody><geom type="plane" size="1 1 1" {ground}/><body pos="0 0 .09"><freejoint/>
<geom name="foot" size=".1" {foot}/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    contact = data.contact[0]
    assert convert(model, ["foot"]).tables.foot[0, 4] == mu == (contact.friction[0] if contact.dim == 3 else 0.0)


def test_limits_are_the_ends_of_ranges():
    tables = convert(loaded("hopper.xml"), ()).tables
    model = loaded("hopper.xml")
    limited = np.flatnonzero(model.jnt_limited)
    ends = tables.limit[:, 1].reshape(-1, 2)
    np.testing.assert_array_equal(ends, model.jnt_range[limited])
    np.testing.assert_array_equal(tables.limit[:, 0].reshape(-1, 2), [(1.0, -1.0)] * len(limited))


BODY = '<body name="leg">{}<geom name="foot" size=".1" {}/></body>'
HINGE = '<joint name="hip"/>'


def text(extra="", joint=HINGE, geom="", option=""):
    return f"<mujoco><option {option}/><worldbody>{BODY.format(joint, geom)}</worldbody>{extra}</mujoco>"


MUSCLE = text('<actuator><muscle name="calf" joint="hip"/></actuator>')
MUSCLE = MUSCLE.replace("<option", '<compiler><lengthrange mode="none"/></compiler><option')


@pytest.mark.parametrize("model, words", [
    (text(option='density="1"'), "a fluid"),
    (text(joint='<joint name="hip" type="ball" limited="true" range="0 1"/>'), "limits of ball joints: 'hip'"),
    (text(joint='<joint name="hip" type="ball" stiffness="1"/>'), "springs of free and ball joints: 'hip'"),
    (text(joint='<joint name="hip" stiffness="1 2"/>'), "springs that are not linear: stiffness of the joint 'hip'"),
    (text(joint='<joint name="hip" damping="1 2"/>'), "dampers that are not linear: damping of the joint 'hip'"),
    (text('<tendon><fixed name="rope" range="0 1"><joint joint="hip" coef="1"/></fixed></tendon>'),
     "limits of tendons: 'rope'"),
    (text('<tendon><fixed name="rope" frictionloss="1"><joint joint="hip" coef="1"/></fixed></tendon>'),
     "dry friction of tendons: 'rope'"),
    (MUSCLE, "'calf': its gain is muscle; covered are affine"),
    (text('<actuator><general name="calf" body="leg"/></actuator>'), "'calf': its transmission is body"),
    (text('<actuator><intvelocity name="calf" joint="hip" actrange="0 1"/></actuator>'), "its activation is limited"),
    (text(option='><flag gravity="disable"/></option><option'), "switch off: gravity"),
], ids=lambda value: value if len(value) < 40 else "")  # fmt: skip
def test_what_is_not_covered_is_refused_by_name(model, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        convert(mujoco.MjModel.from_xml_string(model), ["foot"])


def test_spatial_tendons_and_mocap_bodies_are_refused_by_name():
    sites = text().replace('<geom name="foot"', '<site name="s"/><geom name="foot"')
    rope = '<tendon><spatial name="rope"><site site="s"/><site site="t"/></spatial></tendon></mujoco>'
    model = sites.replace("<worldbody>", '<worldbody><site name="t" pos="1 0 0"/>').replace("</mujoco>", rope)
    with pytest.raises(ValueError, match="spatial tendons: 'rope'"):
        convert(mujoco.MjModel.from_xml_string(model), ["foot"])
    hand = text().replace("</worldbody>", '<body name="hand" mocap="true"/></worldbody>')
    with pytest.raises(ValueError, match="mocap bodies: 'hand'"):
        convert(mujoco.MjModel.from_xml_string(hand), ["foot"])


@pytest.mark.parametrize("options, words", [
    ({"lugre": (1, 0.1, 1, 2, 0.1)}, "LuGre friction"), ({"cogging": (0.1, 6, 0)}, "cogging"),
    ({"controller": (3, 2, 0.2, 1, 0, 1.5)}, "slew rate"), ({"controller": (3, 2, 0.2, 0, 1, 1.5)}, "its integral"),
])  # fmt: skip
def test_what_of_a_motor_is_not_covered_is_refused(options, words):
    with pytest.raises(ValueError, match=f"the actuator 'motor_.': it has .*{words}"):
        convert(motors((1,), **options), ())


def test_feet_that_cannot_be_are_refused():
    model = mujoco.MjModel.from_xml_string(text(geom='type="cylinder" size=".1 .1"').replace('size=".1" ', ""))
    for feet, words in (
        (["foot"], "is a cylinder; .* name a FootSphere"),
        (["shoe"], "there is no geom 'shoe' for a foot; there are foot"),
        ([FootSphere("arm", (0, 0, 0), 0.1)], "there is no body 'arm' for a foot; there are world, leg"),
        ([FootSphere("leg", (0, 0, 0), 0.1, np.inf)], "mu of the foot 'leg' must be from 0 to 100, got inf"),
        ([FootSphere("leg", (0, 0, 0), -0.1)], "a radius that is not negative"),
        ([FootSphere("leg", (0, 0, 0), 0.1)] * 2, "different names"),
    ):
        with pytest.raises(ValueError, match=words):
            convert(model, feet)
    with pytest.raises(ValueError, match=r"condim 4.* give mu"):
        convert(mujoco.MjModel.from_xml_string(text(geom='condim="4"')), ["foot"])
    with pytest.raises(ValueError, match="restitution of the foot 'foot' must be from 0 to 1, got 2"):
        convert(mujoco.MjModel.from_xml_string(text()), ["foot"], restitution=2)
