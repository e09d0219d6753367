"""Mechanics of a robot without contact: closed forms, and what every motion must keep.

That of many robots against MuJoCo's is in tests/mjcf/test_articulated.py.
"""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import mechanics
from tarsus.mjcf.articulated import convert

BALL = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body pos="{} 0 .2"><freejoint/>
<geom name="ball" size=".2" mass="3"/></body></worldbody></mujoco>"""
PENDULUM = """<mujoco><compiler angle="radian"/><worldbody><body>
<joint name="j" axis="0 -1 0" damping=".3" stiffness="2" springref=".1"/>
<geom size=".01" pos="{length} 0 0" mass="{mass}"/></body></worldbody><actuator><motor joint="j" gear="2"/></actuator>
</mujoco>"""


def ball(x=0.0):
    return convert(mujoco.MjModel.from_xml_string(BALL.format(x)), ["ball"])


def test_a_ball_that_rolls_touches_without_acceleration():
    """Its contact point moves on with its centre: v = w r, no w x (w x r) is left, a turn about z changes nothing."""
    robot = ball()
    found = mechanics(robot, [0, 0, 0.2, 1, 0, 0, 0], [0.6, 0, 0, 0, 3.0, 5.0])
    assert (
        found.gap == pytest.approx(0.0) and np.allclose(found.foot_velocity, 0.0) and np.allclose(found.foot_drift, 0)
    )
    assert np.allclose(found.qacc, [0, 0, -9.81, 0, 0, 0])
    spinning = mechanics(robot, [0, 0, 0.2, 1, 0, 0, 0], [0.0, 0, 0, 0, 3.0, 0.0])
    assert np.allclose(spinning.foot_velocity, [[0.0, -0.6, 0.0]])


def test_nothing_is_lost_far_from_the_origin():
    """Spatial vectors about the world's origin would lose 12 of 16 digits of the moments."""
    qvel = np.array([0.3, -0.2, 0.1, 1.0, 2.0, 3.0])
    near, far = (mechanics(ball(x), [x, 0, 0.2, 0.6, 0, 0.8, 0], qvel) for x in (0.0, 1e6))
    assert np.allclose(near.mass_matrix, far.mass_matrix, atol=1e-13)
    assert near.kinetic == pytest.approx(far.kinetic, rel=1e-13)


def test_quaternions_of_any_length_mean_their_direction():
    qvel = np.array([0.3, -0.2, 0.1, 1.0, 2.0, 3.0])
    one, long = (mechanics(ball(), [0, 0, 0.2, *np.multiply(k, [0.6, 0, 0.8, 0])], qvel) for k in (1.0, 7.0))
    assert np.allclose(one.bias, long.bias, atol=1e-13) and np.allclose(one.jacobian, long.jacobian, atol=1e-13)


def test_a_pendulum_falls_as_its_equation_says():
    """(m l^2 + 2/5 m r^2) q'' = -m g l cos q - c q' - k (q - q0) + gear u, the axis along -y: q raises the rod."""
    mass, length, q, v, u = 1.5, 0.7, 0.4, -2.0, 0.25
    text = PENDULUM.format(mass=mass, length=length)
    found = mechanics(convert(mujoco.MjModel.from_xml_string(text), []), [q], [v], [u])
    inertia = mass * (length**2 + 0.4 * 0.01**2)
    force = -mass * 9.81 * length * np.cos(q) - 0.3 * v - 2.0 * (q - 0.1) + 2.0 * u
    assert found.qacc[0] == pytest.approx(force / inertia, rel=1e-12)
    assert found.kinetic == pytest.approx(0.5 * inertia * v**2, rel=1e-12)
    assert found.potential == pytest.approx(mass * 9.81 * length * np.sin(q) + 0.5 * 2.0 * (q - 0.1) ** 2, rel=1e-12)


def test_energy_changes_by_the_power_of_actuators_and_dampers():
    text = """<mujoco><option gravity="1 2 -9"/><worldbody><body pos="0 0 1"><freejoint/>
    <geom type="box" size=".2 .1 .05"/>
    <body pos=".2 .1 0"><joint name="hip" type="ball" damping=".2"/><geom type="capsule" size=".03 .2" pos="0 .1 -.2"/>
    <body pos="0 0 -.4"><joint name="knee" axis="0 1 0" pos="0 .03 0" armature=".02" stiffness="3"/>
    <joint name="foot" type="slide" axis="1 0 2" damping=".4" stiffness="9" springref=".1"/><geom size=".1"/>
    </body></body></body></worldbody><actuator><motor joint="knee"/><motor joint="foot"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    robot, rng, h = convert(model, []), np.random.default_rng(3), 1e-5
    for _ in range(10):
        qpos, qvel, ctrl = rng.normal(size=model.nq), rng.normal(size=model.nv), rng.normal(size=model.nu)
        found, energy = mechanics(robot, qpos, qvel, ctrl), []
        for way in (-h, h):
            there = qpos.copy()
            mujoco.mj_integratePos(model, there, qvel, way)
            side = mechanics(robot, there, qvel + way * found.qacc)
            energy.append(side.kinetic + side.potential)
        damping = -robot.tables.dof[:, 1] * qvel**2
        power = found.actuator @ qvel + damping.sum()
        assert (energy[1] - energy[0]) / (2 * h) == pytest.approx(power, rel=1e-6, abs=1e-6)
