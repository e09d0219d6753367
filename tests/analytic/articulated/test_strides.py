"""Return maps of robots under controls that repeat: a closed form, coordinates, and a trot's own decay."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.linalg import expm

import tarsus
from tarsus import own_robot
from tarsus.analytic.articulated.held import Held, moved_by
from tarsus.analytic.articulated.mechanics import mechanics
from tarsus.analytic.articulated.simulation import Options, start
from tarsus.analytic.articulated.strides import StrideMap
from tarsus.analytic.hybrid import sections
from tarsus.mjcf.articulated import convert
from tarsus.mjcf.own_robot import OwnRobot

G, MASS, STIFFNESS, DAMPING = 9.81, 3.0, 300.0, 4.0
LEG = """<body pos="{x} {y} -.3"><joint name="leg_{x}_{y}" type="slide" axis="0 0 1" stiffness="{k}" damping="{d}"/>
<geom name="foot_{x}_{y}" size=".02" mass="1e-6"/></body>"""
CORNERS = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
TABLE = f"""<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/><body pos="0 0 .4"><freejoint/>
<geom type="box" size=".2 .1 .02" mass="{MASS}"/>{{legs}}</body></worldbody>
<actuator>{{motors}}</actuator></mujoco>"""


def table(tilt=0.0, motors=False):
    """Return a table on four springs, at rest, turned about the vertical; motors push along the springs."""
    legs = "".join(LEG.format(x=x, y=y, k=STIFFNESS, d=DAMPING) for x, y in CORNERS)
    moved = "".join(f'<motor joint="leg_{x}_{y}"/>' for x, y in CORNERS) if motors else ""
    model = mujoco.MjModel.from_xml_string(TABLE.format(legs=legs, motors=moved))
    robot = convert(model, [f"foot_{x}_{y}" for x, y in CORNERS], mu=0.8)
    sunk = MASS * G / (4.0 * STIFFNESS)
    qpos = np.array([0.3, -0.2, 0.32 - sunk, np.cos(0.5 * tilt), 0.0, 0.0, np.sin(0.5 * tilt), *[sunk] * 4])
    return start(robot, qpos, options=Options(rtol=1e-10))


def idle(time, qpos, qvel):
    return np.zeros(0)


@pytest.mark.parametrize("tilt", [0.0, 1.2])
def test_a_table_on_springs_comes_to_rest_as_its_closed_form_says(tilt):
    """Its feet stick; it heaves, m z'' = -4 (k z + d z'), and rocks about two axes."""
    period = 0.1
    stride = StrideMap(table(tilt), idle, period, period)
    assert stride.size == 6
    found = sections.fixed_point(stride, np.zeros(6), tol=1e-9)
    assert found.status is sections.Convergence.CONVERGED and np.abs(found.z).max() < 1e-6
    values = np.roots([MASS, 4.0 * DAMPING, 4.0 * STIFFNESS])
    for expected in np.exp(values * period):
        assert np.abs(found.multipliers - expected).min() < 1e-5


def test_coordinates_are_those_that_were_lifted_wherever_the_robot_stands_and_faces():
    run = table(0.4)
    stride, z = StrideMap(run, idle, 0.1, 0.1), 1e-3 * np.arange(-2.0, 4.0)
    there = stride.lifted(z)
    assert np.abs(stride.coordinates(there.qpos, there.qvel) - z).max() < 1e-10
    turned, c, s = there.qpos, np.cos(0.35), np.sin(0.35)
    w, x, y, d = turned[3:7]
    turned[3:7] = c * w - s * d, c * x - s * y, c * y + s * x, c * d + s * w  # about the vertical, by 0.7 rad
    turned[:2] += 5.0, -3.0
    speeds, (vx, vy) = there.qvel, there.qvel[:2]
    speeds[:2] = np.cos(0.7) * vx - np.sin(0.7) * vy, np.sin(0.7) * vx + np.cos(0.7) * vy
    assert np.abs(stride.coordinates(turned, speeds) - z).max() < 1e-10


def test_what_has_no_stride_is_refused():
    with pytest.raises(ValueError, match="must be a multiple of hold, got 0.03"):
        StrideMap(table(), idle, 0.1, 0.03)
    slide = (
        """<mujoco><worldbody><body><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody></mujoco>"""
    )
    fixed = start(convert(mujoco.MjModel.from_xml_string(slide), []), [0.5])
    with pytest.raises(ValueError, match="first joint must be free"):
        StrideMap(fixed, idle, 0.1, 0.1)


def test_the_derivative_of_a_table_on_springs_is_that_of_its_closed_form():
    period = 0.1
    values = np.linalg.eigvals(StrideMap(table(0.5), idle, period, period).derivative())
    for expected in np.exp(np.roots([MASS, 4.0 * DAMPING, 4.0 * STIFFNESS]) * period):
        assert np.abs(values - expected).min() < 1e-5


def test_the_derivative_has_controls_that_depend_on_the_state():
    """Sampled and held: of a mass on springs the matrix exponential says it."""
    period, gain = 0.1, 40.0
    run = table(0.5, motors=True)
    rest = run.qpos[7:]
    stride = StrideMap(run, lambda time, qpos, qvel: gain * (rest - qpos[7:]), period, 0.5 * period)
    heave = np.zeros((3, 3))
    heave[0, 1], heave[1] = 1.0, np.array([-4.0 * STIFFNESS, -4.0 * DAMPING, 4.0 * gain]) / MASS
    step = expm(heave * 0.5 * period)  # height, speed, and what the motors hold
    step = step[:2, :2] + step[:2, 2:] @ np.array([[-1.0, 0.0]])
    values = np.linalg.eigvals(stride.derivative())
    for expected in np.linalg.eigvals(step @ step):
        assert np.abs(values - expected).min() < 1e-5


BALL = """<mujoco><worldbody><geom name="ground" type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/>
<geom name="ball" size=".1" mass="2"/></body></worldbody></mujoco>"""


def bounced(z, v, restitution, end):
    """Return height and speed of a ball's lowest point at a time, of where it was and how fast [m, m/s]; one bounce."""
    time = (v + np.sqrt(v * v + 2.0 * G * z)) / G
    up, rest = -restitution * (v - G * time), end - time
    return np.array([up * rest - 0.5 * G * rest**2, up - G * rest])


@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_the_derivative_through_a_bounce_is_that_of_its_closed_form(restitution):
    """Which a complex step differentiates to rounding."""
    robot = convert(mujoco.MjModel.from_xml_string(BALL), ["ball"], mu=0.0, restitution=restitution)
    run = start(robot, [0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.0, 0.0, 0.0], options=Options(rtol=1e-10))
    stride = StrideMap(run, idle, 0.5, 0.1)
    up, rises = stride.positions[2], stride.speeds[2]  # coordinates of a motion by one, and of a speed of one, upwards
    found = stride.derivative()
    for start_at, by in ((1e-30j, 0.0), (0.0, 1e-30j)):
        height, speed = bounced(0.3 + start_at, 0.5 + by, restitution, 0.5).imag / 1e-30
        moved = found @ np.concatenate([up, 0.0 * rises] if start_at else [0.0 * up, rises])
        np.testing.assert_allclose(moved, np.concatenate([height * up, speed * rises]), atol=1e-6)


def test_the_derivative_is_refused_where_corners_land_at_once():
    robot = convert(mujoco.MjModel.from_xml_string(BALL.replace('size=".1"', 'type="box" size=".1 .1 .1"')), ["ball"])
    run = start(robot, [0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="two events come at once, at 0.2"):
        StrideMap(run, idle, 0.5, 0.1).derivative()


@pytest.mark.extra
def test_a_trot_of_a_quadruped_decays_as_its_multipliers_say():
    robot = OwnRobot(Path(tarsus.__file__).parent / "mjcf/assets/robots/dog.xml")
    gait = own_robot.clock(robot, slowness=1.6)
    stride = own_robot.stride_map(robot, gait.controls, gait.period, settle=8, options=Options(rtol=1e-11))
    z, path = np.zeros(stride.size), []
    for _ in range(16):
        path.append(z)
        z = stride(z)
    path = np.diff(path, axis=0)
    found = sections.derivative(stride, z, 5e-6)
    values = sections.multipliers(found)
    assert 0.4 < abs(values[0]) < 0.6 and values[0].imag != 0.0  # a pair: it rocks as it settles
    assert np.abs(sections.multipliers(stride.derivative(z))[:2] - values[:2]).max() < 1e-5
    pair = np.poly(values[:2]).real  # each difference is this combination of the two before
    ahead, told = path[4:12], -pair[1] * path[3:11] - pair[2] * path[2:10]
    assert np.linalg.norm(ahead - told) < 0.02 * np.linalg.norm(ahead)


def test_a_state_is_brought_back_to_where_feet_stand_and_rest():
    """Four sticking feet fix more than there is: speeds rest to second order of the displacement."""
    run = table(0.4)
    rng, held = np.random.default_rng(0), Held(run)
    moved = moved_by(run, 1e-3 * rng.standard_normal(run.robot.nv))
    speeds = 1e-3 * rng.standard_normal(run.robot.nv)
    qpos, qvel = held.brought(moved, speeds)
    found = mechanics(run.robot, qpos, qvel)
    assert np.abs(found.gap).max() < 1e-12 < 1e-4 < np.abs(mechanics(run.robot, moved, qvel).gap).max()
    assert np.abs(found.jacobian @ qvel).max() < 1e-5 < 1e-4 < np.abs(found.jacobian @ speeds).max()
