"""MuJoCo's law of one contact, and what one knows of a contact as `solref` and `solimp`, against MuJoCo itself."""

import mujoco
import numpy as np
import pytest

from tarsus.mjcf.contact_converter import closed_form, law_of, time_constant
from tarsus.mjcf.contact_law import ContactLaw
from tarsus.mjcf.presets import INTEGRATORS

RADIUS, GRAVITY = 0.05, 9.81
SPHERE = """<mujoco><option timestep="{law.timestep}" integrator="{law.integrator}" cone="elliptic">
<flag refsafe="{refsafe}"/></option>
<worldbody><geom type="plane" size="1 1 1" priority="1" solref="{solref}" solimp="{solimp}"/>
<body pos="0 0 {z}"><freejoint/><geom type="sphere" size="0.05" mass="{law.mass}"/></body></worldbody></mujoco>"""
REFERENCES = (-1e4, -20.0), (0.01, 0.5), (0.0005, 1.0), (-3000.0, 0.0)
IMPEDANCES = (0.95, 0.95, 0.001, 0.5, 2.0), (0.0, 0.9, 0.001, 0.3, 3.0), (0.2, 0.999, 0.01, 0.5, 1.0)


def sphere(law, height, speed):
    """Return a sphere so high above a plane with this contact, that falls at a speed."""
    numbers = [" ".join(f"{value:.17g}" for value in values) for values in (law.solref, law.solimp)]
    on = "enable" if law.refsafe else "disable"
    text = SPHERE.format(law=law, solref=numbers[0], solimp=numbers[1], z=RADIUS + height, refsafe=on)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[2] = -speed
    return model, data


@pytest.mark.parametrize("impedance", [0.9, 0.99])
def test_a_load_rests_at_a_small_part_of_its_share_of_the_stiffness(impedance):
    law = ContactLaw(1e-3, (-8000.0, -200.0), (impedance, impedance, 1e-3, 0.5, 2.0), mass=2.5)
    model, data = sphere(law, 0.0, 0.0)
    mujoco.mj_step(model, data, 3000)
    load, depth = law.mass * GRAVITY, RADIUS - data.qpos[2]
    assert depth == pytest.approx((1 - impedance) * load / law.stiffness, rel=1e-6)
    assert depth == pytest.approx(law.depth_at_rest(GRAVITY), rel=1e-6) and depth < 0.11 * load / law.stiffness


def restitution(law, height, speed):
    """Return that of a sphere in MuJoCo, from the heights that its speeds before and after reach."""
    model, data = sphere(law, height, speed)
    while not data.nefc or data.efc_force[0] == 0:
        mujoco.mj_step(model, data)
    while data.nefc and data.efc_force[0] > 0:
        mujoco.mj_step(model, data)
    after = data.qvel[2] ** 2 + 2 * GRAVITY * (data.qpos[2] - RADIUS)
    return np.sqrt(after / (speed**2 + 2 * GRAVITY * height))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("solref", REFERENCES)
@pytest.mark.parametrize("solimp", IMPEDANCES)
def test_a_sphere_falls_rests_and_bounces_as_in_mujoco_step_by_step(integrator, solref, solimp):
    law = ContactLaw(1e-3, solref, solimp, integrator, mass=2.0)
    model, data = sphere(law, 2e-4, 1.0)
    state = 2e-4, -1.0
    for _ in range(60):
        mujoco.mj_step(model, data)
        state = law.step(*state, -GRAVITY)
        np.testing.assert_allclose((data.qpos[2] - RADIUS, data.qvel[2]), state, rtol=0, atol=1e-12)


def test_without_refsafe_a_time_constant_is_what_it_is():
    law = ContactLaw(1e-3, (0.0012, 1.0), refsafe=False)
    assert float(law.time_constant()) == 0.0012
    model, data = sphere(law, -1e-4, 0.0)
    mujoco.mj_forward(model, data)
    assert data.efc_force[0] == pytest.approx(float(law.force(-1e-4, 0.0, -GRAVITY)), rel=1e-10)


@pytest.mark.parametrize("solimp", IMPEDANCES)
def test_the_depth_at_rest_is_that_of_a_sphere_that_has_come_to_rest(solimp):
    law = ContactLaw(1e-3, (0.01, 1.0), solimp, mass=3.0)
    model, data = sphere(law, 0.0, 0.0)
    mujoco.mj_step(model, data, 2000)
    assert RADIUS - data.qpos[2] == pytest.approx(law.depth_at_rest(GRAVITY), rel=1e-6)


def test_stiffness_and_damping_are_slopes_of_the_force():
    law = ContactLaw(1e-3, (0.01, 0.8), (0.5, 0.9, 0.001, 0.5, 2.0), mass=3.0, estimate=1.7)
    force = law.force(np.array([-0.01, -0.011, -0.01]), np.array([0.0, 0.0, -0.1]), -GRAVITY)
    assert (force[1] - force[0]) / 1e-3 == pytest.approx(law.stiffness)
    assert (force[2] - force[0]) / 0.1 == pytest.approx(law.damping)
    weight = law.mass * GRAVITY
    assert law.stiffness * law.depth_at_rest(GRAVITY) < weight  # the onset of the impedance is not all there is


@pytest.mark.parametrize(("integrator", "damping"), [("Euler", 100.0), ("discrete", 1900.0), ("implicit", 1900.0)])
def test_a_contact_is_stable_up_to_the_timestep_that_jury_allows(integrator, damping):
    steps = np.linspace(2e-4, 3e-3, 29)
    laws = [ContactLaw(h, (-2e6, -damping), (0.9, 0.9, 1e-3, 0.5, 2.0), integrator) for h in steps]
    grows = []
    for law in laws:
        places = -law.depth_at_rest(GRAVITY) * np.array([1.0, 1.0 + 1e-3, 1.0])
        (still, deeper, faster), (_, *speeds) = law.step(places, np.array([0.0, 0.0, 1e-6]), -GRAVITY)
        shift = places[1] - places[0]
        by_step = [[(deeper - still) / shift, (faster - still) / 1e-6], [speeds[0] / shift, speeds[1] / 1e-6]]
        grows.append(bool(np.abs(np.linalg.eigvals(by_step)).max() > 1))
    assert [not law.is_stable for law in laws] == grows and any(grows) == (integrator != "discrete")


@pytest.mark.parametrize("integrator", ["Euler", "discrete", "RK4"])
@pytest.mark.parametrize(
    "wanted", [pytest.param(0.35, marks=pytest.mark.extra), 0.6, pytest.param(0.95, marks=pytest.mark.extra)]
)
def test_a_dropped_sphere_bounces_as_asked_within_two_percent(integrator, wanted):
    for mass, timestep, speed in ((0.01, 1e-3, 1.0), (20.0, 5e-4, 3.0)):
        law = law_of(mass, timestep, integrator, restitution=wanted, speed=speed)
        found = [restitution(law, part * speed * timestep, speed) for part in (0.05, 0.3, 0.62, 0.97)]
        np.testing.assert_allclose(found, wanted, rtol=0.02)


def test_restitution_of_short_steps_without_gravity_is_the_closed_form():
    for ratio in (0.02, 0.1, 0.3, 0.7, 1.2):
        law = ContactLaw(1e-5, (-1e4, -200.0 * ratio), (0.9, 0.9, 1e-3, 0.5, 2.0))
        found = law.drop(1.0, 0.0).restitution
        assert ratio > 1 or found == pytest.approx(closed_form(ratio), rel=2e-3)
        assert ratio < 1 or found < closed_form(1.0)


def test_stiffness_and_depth_at_rest_are_what_was_asked():
    weight = 4.0 * GRAVITY
    law = law_of(4.0, 1e-3, stiffness=2e4, depth=0.25 * weight / 2e4, damping=50.0, estimate=1.3)
    assert (law.stiffness, law.damping) == (pytest.approx(2e4), pytest.approx(50.0))
    assert law.depth_at_rest(GRAVITY) == pytest.approx(0.25 * weight / 2e4)
    sunk = law_of(4.0, 1e-3, depth=1e-3, restitution=0.6)
    assert sunk.depth_at_rest(GRAVITY) == pytest.approx(1e-3) and sunk.drop(1.0).restitution == pytest.approx(0.6, 2e-3)


def test_a_direct_reference_has_the_same_contact_as_its_time_constant():
    law = law_of(2.0, 1e-3, stiffness=2e4, damping=200.0)
    same = ContactLaw(law.timestep, time_constant(law), law.solimp, mass=2.0)
    places = np.linspace(-1e-2, -1e-4, 5), np.linspace(-1.0, 1.0, 5)
    np.testing.assert_allclose(same.force(*places, -GRAVITY), law.force(*places, -GRAVITY), rtol=1e-12)
    assert time_constant(law_of(2.0, 1e-3, stiffness=2e4)) is None  # without damping
    assert time_constant(law_of(2.0, 1e-3, stiffness=2e4, damping=3500.0)) is None  # of less than two steps


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "is made from a stiffness"),
        ({"stiffness": -1.0}, "stiffness must be positive and finite"),
        ({"mass": 0.0, "stiffness": 1.0}, "mass must be positive"),
        ({"stiffness": 1e4, "damping": 1.0, "restitution": 0.5}, "determine each other"),
        ({"stiffness": 1e4, "damping": -1.0}, "damping must not be negative"),
        ({"restitution": 1.2}, "restitution must be from 0.1 to 0.99"),
        ({"stiffness": 1e4, "depth": 1.0}, "it must be from 1.96e-07 to 0.00196 m"),
        ({"stiffness": 1e9}, "it must be under 8.94e-05 s, or the integrator 'discrete'"),
        ({"stiffness": 1e6, "restitution": 0.5}, "take shorter steps, less stiffness"),
        ({"restitution": 0.9, "speed": 0.01}, "no contact bounces by 0.9"),
    ],
)
def test_what_no_contact_is_is_refused(asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        law_of(asked.pop("mass", 2.0), 1e-3, **asked)


def test_a_law_that_is_none_is_refused():
    for wrong in ({"solref": (0.01, -1.0)}, {"timestep": 0.0}, {"mass": np.nan}):
        with pytest.raises(ValueError):
            ContactLaw(**{"timestep": 1e-3, "solref": (0.02, 1.0)} | wrong)
    with pytest.raises(ValueError, match="speed must be positive"):
        ContactLaw(1e-3, (0.02, 1.0)).drop(-1.0)
    assert ContactLaw(1e-3, (-0.0, -1.0)).depth_at_rest() == np.inf  # a damper alone holds nothing
