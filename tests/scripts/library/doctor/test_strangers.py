"""The doctor on models of many kinds: what it advises makes nothing worse, as a plain simulation of MuJoCo says."""

import mujoco
import numpy as np
import pytest

import tarsus
from tarsus.mjcf import bigant, hexapod, multipod, own_robot
from tarsus.mjcf.own_robot import EXAMPLE

pytestmark = pytest.mark.extra
SECONDS = 1.0
FLOOR = '<geom name="floor" type="plane" size="9 9 1" {}/>'
DOG = EXAMPLE.read_text()


def dog(option="", of_feet="", actuators=None):
    text = DOG.replace("<compiler", f"<option {option}/>\n  <compiler", 1)
    text = text.replace('<geom type="sphere" size="0.018"', f'<geom {of_feet} type="sphere" size="0.018"', 1)
    if actuators is None:
        return text
    head, tail = text.index("<actuator>"), text.index("</actuator>")
    joints = [f"{leg}_{joint}" for leg in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "knee")]
    made = "".join(f'<motor joint="{joint}"/>' for joint in joints)
    text = text[:head] + "<actuator>" + made + text[tail:]
    begin = text.index("<keyframe")
    return text[:begin] + text[text.index("</keyframe>") + len("</keyframe>") :]


def scene(body, option="", floor="", more=""):
    return f"<mujoco><option {option}/><worldbody>{FLOOR.format(floor)}{body}</worldbody>{more}</mujoco>"


def block(name, z, more="", size="0.1 0.1 0.1"):
    return f'<body name="{name}" pos="0 0 {z}"><freejoint/><geom name="{name}" type="box" size="{size}" {more}/></body>'


ANT_LEG = """<body pos="{0} {1} 0"><joint type="hinge" axis="0 0 1" range="-30 30" armature="1" damping="1"/>
<geom type="capsule" fromto="0 0 0 {0} {1} 0" size="0.08"/><body pos="{0} {1} 0"><joint axis="{4} {0} 0"
range="-1 1" armature="1" damping="1"/><geom type="capsule" fromto="0 0 0 {2} {3} -0.4" size="0.08"/></body></body>"""
ANT = (
    '<body name="torso" pos="0 0 0.6"><freejoint/><geom size="0.25"/>'
    + "".join(ANT_LEG.format(0.2 * x, 0.2 * y, 0.1 * x, 0.1 * y, -0.2 * y) for x in (-1, 1) for y in (-1, 1))
    + "</body>"
)
HOPPER = """<body name="torso" pos="0 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
<joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.05"/><body><joint axis="0 1 0" damping="1"/>
<geom type="capsule" fromto="0 0 0 0.02 0 -0.9" size="0.05"/><body pos="0.02 0 -0.94"><joint axis="0 1 0" damping="1"/>
<geom name="foot" type="capsule" fromto="-0.1 0 0 0.2 0 0" size="0.06" friction="2"/></body></body></body>"""
BIPED = """<body name="torso" pos="0 0 1.06"><freejoint/><geom type="box" size="0.1 0.2 0.25" mass="30"/>{}</body>"""
BIPED = BIPED.format(
    "".join(
        f"""<body pos="0 {y} -0.25"><joint axis="0 1 0" range="-60 60" damping="5"/><geom type="capsule"
fromto="0 0 0 0.02 0 -0.4" size="0.06"/><body pos="0.02 0 -0.4"><joint axis="0 1 0" range="-90 2" damping="5"/>
<geom type="capsule" fromto="0 0 0 -0.02 0 -0.36" size="0.05"/><geom type="box" pos="0.03 0 -0.39"
size="0.1 0.04 0.02"/></body></body>"""
        for y in (-0.1, 0.1)
    )
)
ROLL = '<body pos="0 0 0.099"><freejoint/><geom name="ball" size="0.1" {}/></body>'
TILT = 'gravity="0 2 -9.81"'

MODELS = {
    "hexapod": lambda: hexapod.build(preset="rl").to_xml(),
    "multipod": lambda: multipod.build(preset="rl").to_xml(),
    "bigant": lambda: bigant.build(preset="rl").to_xml(),
    "dog": dog,
    "dog, few searches": lambda: dog('iterations="100" ls_iterations="5"'),
    "dog, as for MJX": lambda: dog('timestep="0.004" iterations="1" ls_iterations="5"'),
    "dog, as for MJX with cones": lambda: dog('iterations="4" ls_iterations="8" cone="elliptic"'),
    "dog, soft": lambda: dog(of_feet='solref="0.08 1"'),
    "dog, motors alone": lambda: dog(actuators="motors"),
    "dog, high impratio": lambda: dog('cone="elliptic" impratio="500"'),
    "ant": lambda: scene(ANT, 'integrator="RK4" timestep="0.01"'),
    "ant, margin": lambda: scene(ANT, 'timestep="0.01"', 'margin="0.02"'),
    "hopper": lambda: scene(HOPPER, 'integrator="RK4"'),
    "biped": lambda: scene(BIPED, 'iterations="50" solver="PGS" timestep="0.003"'),
    "biped, limp": lambda: scene(BIPED.replace('damping="5"', ""), 'gravity="0 0 -90"'),
    "boxes": lambda: scene(block("a", 0.1) + block("b", 0.3) + block("c", 0.5, size="0.08 0.1 0.1")),
    "ball": lambda: scene(ROLL.format('condim="6"')),
    "creeping box": lambda: scene(block("a", 0.1), TILT),
    "soft box": lambda: scene(block("a", 0.1, 'solref="0.1 1"'), f'{TILT} cone="elliptic"'),
    "rough box": lambda: scene(block("a", 0.1, 'friction="1e4"')),
}


def hold(text: str) -> mujoco.MjModel:
    """Return a model whose limbs stay in its first posture: what the doctor examines where a robot falls by itself."""
    spec = mujoco.MjSpec.from_string(text)
    for k, joint in enumerate(spec.joints):
        limb = joint.type in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
        if limb and joint.parent.parent.name != "world":
            joint.name = joint.name or f"joint {k}"
            equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name)
            equality.solref[:2], equality.data[:5] = (2.0 * spec.option.timestep, 1.0), 0.0
    return spec.compile()


def stand(model: mujoco.MjModel, seconds: float) -> dict[str, float]:
    """Return what MuJoCo says of the second half of the time: force over weight, depth [mm], drift [mm/s]."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = own_robot.rest_controls(model)
    n, weight = round(seconds / model.opt.timestep), np.linalg.norm(model.opt.gravity) * model.body_subtreemass[0]
    force, depth, place, up = [], [], [], -model.opt.gravity / np.linalg.norm(model.opt.gravity)
    for k in range(n):
        mujoco.mj_step(model, data)
        if k < n // 2:
            continue
        total, wrench = 0.0, np.zeros(6)
        for i, contact in enumerate(data.contact):
            mujoco.mj_contactForce(model, data, i, wrench)
            first, second = (model.body_weldid[model.geom_bodyid[geom]] == 0 for geom in contact.geom)
            on = float(first) - float(second)
            total += on * up @ (contact.frame.reshape(3, 3).T @ wrench[:3])
        force.append(total / weight)
        depth.append(max((-1e3 * contact.dist for contact in data.contact), default=0.0))
        place.append(data.subtree_com[0].copy())
    moved = (place[-1] - place[0]) * 1e3 / ((len(place) - 1) * model.opt.timestep)
    drift = float(np.linalg.norm(moved - (moved @ up) * up))
    return {"force": float(np.mean(force)), "depth": max(float(np.mean(depth)), 0.0), "drift": drift}


@pytest.mark.parametrize("name", MODELS)
def test_no_advice_makes_anything_worse(name):
    text = MODELS[name]()
    report = tarsus.contact_doctor(text, seconds=SECONDS)
    assert str(report) and all(one.unit for one in report.findings)
    held = report.findings and "joints held" in report.findings[0].reason
    assert bool(report.mended) == any(one.mends for one in report.findings)
    if not report.mended:
        return
    load = hold if held else mujoco.MjModel.from_xml_string
    before, after = (stand(load(one), report.seconds) for one in (text, report.mended))
    assert abs(after["force"] - 1) <= max(0.02, 1.1 * abs(before["force"] - 1)), (before, after, report.mends)
    if abs(before["force"] - 1) <= 0.02:  # what bounces is less deep in the mean than what stands
        assert after["depth"] <= 1.1 * before["depth"] + 0.05, (before, after, report.mends)
    assert after["drift"] <= 1.1 * before["drift"] + 0.2, (before, after, report.mends)


@pytest.mark.parametrize("name", ["dog, few searches", "dog, as for MJX", "creeping box", "soft box", "ant, margin"])
def test_what_can_be_mended_is(name):
    assert tarsus.contact_doctor(MODELS[name](), seconds=SECONDS).mended


def test_what_falls_at_once_is_examined_with_its_joints_held():
    report = tarsus.contact_doctor(MODELS["biped, limp"](), seconds=SECONDS)
    assert "joints held" in report.findings[0].reason and report.mended and report.seconds == SECONDS


@pytest.mark.parametrize("name", ["dog, motors alone", "rough box"])
def test_what_falls_is_said_to(name):
    found = tarsus.contact_doctor(MODELS[name](), seconds=2.0).findings[0]
    assert found.ailment == "fell" and 0 < found.number < 2 and "s after the start" in found.unit
