"""The answers of the hard cases, read from their files, against ways that share no formula with the makers."""

import numpy as np
import pytest

from tarsus.analytic import hybrid
from tarsus.scripts.laboratory.models import dry_friction
from tarsus.scripts.suite.case import ids, load
from tarsus.scripts.suite.making import painleve

CASES = [name for name in ids() if load(name)["phenomenon"] == "hard"]


def test_every_number_has_a_case():
    assert {load(name)["number"] for name in CASES} == set(range(26, 31))


@pytest.mark.parametrize("name", CASES)
def test_answers_agree_with_an_event_driven_integration(name, planar):
    assert not planar(load(name))


def test_stick_slip_agrees_with_our_exact_engine():
    case = load("stick_slip")
    belt = next(body["motion"] for body in case["bodies"] if "motion" in body)
    shoe = next(body for body in case["bodies"] if body["name"] == "shoe_1")
    friction = case["contacts"][0]["friction"] * shoe["mass"] * -case["gravity"][2]
    mass = sum(body["mass"] for body in case["bodies"] if "mass" in body)
    state, found = [0.0, 0.0], {}
    for n, speed in enumerate(belt["velocities"]):
        params = dry_friction.DryFriction(
            mass=mass, stiffness=case["joints"][0]["stiffness"], friction=friction, belt_speed=speed
        )
        model = hybrid.compile(dry_friction.build(params), mode="python")
        found[(n + 0.5) * 0.5] = model.run(state, final_time=0.25, rtol=1e-12).x[-1, 0]
        state = model.run(state, final_time=0.5, rtol=1e-12).x[-1]
    for measurement in case["measurements"]:
        assert found[measurement["at"]] == pytest.approx(measurement["answer"], abs=1e-10)


def test_the_rods_lie_on_both_sides_of_the_paradox():
    below, jam = load("painleve_below"), load("painleve_jam")
    limit = painleve.critical(painleve.ANGLE)
    assert below["contacts"][0]["friction"] < limit < jam["contacts"][0]["friction"]
    # At the limit the load of the sliding rod is unbounded, above it negative: nothing balances.
    assert painleve.load(painleve.ANGLE, 0.0, limit * (1 - 1e-6)) > 1e5
    assert painleve.load(painleve.ANGLE, 0.0, jam["contacts"][0]["friction"]) < 0


def test_the_rod_is_jammed_by_an_impulse_inside_the_cone():
    """Newton's law on the impulse that the answers imply: momentum and angular momentum, from the file alone."""
    case = load("painleve_jam")
    rod = case["bodies"][0]
    x, _, z = rod["shapes"][0]["position"]
    inverse = np.eye(2) / rod["mass"] + np.array([[z * z, -x * z], [-x * z, x * x]]) / rod["inertia"][1]
    impulse = np.linalg.solve(inverse, [-rod["velocity"][0], 0.0])
    assert 0 < -impulse[0] < case["contacts"][0]["friction"] * impulse[1]
    spin = (z * impulse[0] - x * impulse[1]) / rod["inertia"][1]
    soon = next(m for m in case["measurements"] if m["name"] == "spin soon after")
    halfway = np.arctan2(-x, -z) + 0.005 * spin
    torque = rod["mass"] * 9.81 * np.hypot(x, z) * np.sin(halfway)
    slope = torque / (rod["inertia"][1] + rod["mass"] * (x**2 + z**2))
    assert soon["answer"] == pytest.approx(spin + 0.01 * slope, abs=1e-4)
