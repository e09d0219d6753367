"""Answers of the cases of statics and sliding that are not planar, against Newton-Euler equations in space."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import linprog, minimize
from spatial_contacts import Spatial
from suite_answers import CHECKS, answer

from tarsus.scripts.suite.case import load


def component(vector, measurement):
    if "along" in measurement:
        return vector @ np.array(measurement["along"], float) / np.linalg.norm(measurement["along"])
    if "across" in measurement:
        axis = np.array(measurement["across"], float)
        vector = vector - (vector @ axis) * axis / (axis @ axis)
    return np.linalg.norm(vector)


def signal(motion, measurement):
    quantity = measurement["quantity"]
    if quantity == "force":
        return lambda t: component(motion.force(t), measurement)
    if quantity == "angle":
        assert measurement["along"] == [0, 0, 1]
        ends = np.linspace(0.0, motion.last, 60)
        turns = np.unwrap([2 * np.arctan2(motion.at(max(t, 1e-6))[6], motion.at(max(t, 1e-6))[3]) for t in ends])

        def turned(t):
            state = motion.at(t)
            near = 2 * np.arctan2(state[6], state[3])
            return near + 2 * np.pi * np.round((np.interp(t, ends, turns) - near) / (2 * np.pi))

        return turned
    part = {"position": slice(0, 3), "velocity": slice(7, 10), "angular_velocity": slice(10, 13)}[quantity]
    start = motion.at_start()

    def value(t):
        return component((motion.at(t) if t > 0 else start)[part], measurement)

    return value


@pytest.mark.parametrize("name", CHECKS["spatial"])
def test_answers_agree_with_spatial_equations_of_motion(name):
    case = load(name)
    motions = {}
    for measurement in case["measurements"]:
        contact = next((c for c in case["contacts"] if c["name"] == measurement["of"]), None)
        body = contact["between"][0] if contact else measurement["of"]
        if body == "held":
            assert measurement["answer"] == 0  # `test_the_held_sledge_is_in_balance`
            continue
        if body not in motions:
            motions[body] = Spatial(case, body)
        motion = motions[body]
        breaks = [0.0, *(piece[0] for piece in motion.pieces)]
        found = answer(signal(motion, measurement), measurement, breaks)
        allowed = max(1e-9, measurement["bound"]) * max(1.0, measurement["scale"])
        assert found == pytest.approx(measurement["answer"], rel=0, abs=allowed), measurement["name"]


def test_the_held_sledge_is_in_balance_with_friction_inside_the_cones():
    case = load("off_centre_push")
    body = next(body for body in case["bodies"] if body["name"] == "held")
    (push,) = (push for push in case["forces"] if push["body"] == "held")
    points = np.array([shape["position"] for shape in body["shapes"]])
    loads = np.linalg.solve([[1] * 3, *points.T[:2]], [body["mass"] * 9.81, 0, 0])
    balance = np.array([[1, 0] * 3, [0, 1] * 3, np.ravel([[-p[1], p[0]] for p in points])])
    right = -np.array([*push["force"][:2], np.cross(push["point"], push["force"])[2]])
    some, *_ = np.linalg.lstsq(balance, right, rcond=None)
    free = np.linalg.svd(balance)[2][3:]

    def room(x):  # of every foot below a share x[0] of its cone
        return (x[0] * 0.3 * loads) ** 2 - ((some + x[1:] @ free).reshape(3, 2) ** 2).sum(axis=1)

    start = [2.0, 0.0, 0.0, 0.0]
    best = minimize(lambda x: x[0], start, constraints={"type": "ineq", "fun": room}, method="SLSQP").x[0]
    assert case["contacts"][0]["friction"] == 0.3
    assert 0.9 < best < 0.98


@pytest.mark.parametrize("body", ["lengthwise", "crosswise"])
def test_loads_of_plates_under_a_rigid_body_are_determined(body):
    case = load("four_feet_rigid")
    found = next(b for b in case["bodies"] if b["name"] == body)
    points = np.array([shape["position"] for shape in found["shapes"]])
    weight = found["mass"] * 9.81
    balance = np.vstack([np.ones(4), points[:, 0], points[:, 1]])
    plates = {b["name"]: b for b in case["bodies"] if "mass" not in b}
    answers = {m["of"]: m["answer"] for m in case["measurements"] if m["quantity"] == "force"}
    checked = 0
    for contact in case["contacts"]:
        if contact["between"][0] != body:
            continue
        plate = plates[contact["between"][1]]
        half = plate["shapes"][0]["size"]
        away = points + found["position"] - np.array(plate["position"])
        above = (np.abs(away[:, :2]) < half[:2]).all(axis=1).astype(float)
        assert above.sum() == 2 and np.allclose(away[:, 2], half[2], atol=1e-12)
        ends = [linprog(sign * above, A_eq=balance, b_eq=[weight, 0, 0]).fun * sign for sign in (1, -1)]
        assert ends == pytest.approx([answers[contact["name"]]] * 2, abs=1e-9)
        checked += 1
    assert checked == 2


def test_loads_of_springy_feet_agree_with_the_body_on_its_springs():
    case = load("four_feet_springy")
    bodies = {body["name"]: body for body in case["bodies"]}
    body, (push,) = bodies["body"], case["forces"]
    legs = [(bodies[joint["child"]], joint) for joint in case["joints"]]
    x, y = np.array([foot["position"][:2] for foot, _ in legs]).T
    k, c, rest = (np.array([joint[key] for _, joint in legs]) for key in ("stiffness", "damping", "rest"))

    def springs(state):  # upward forces on the body; feet stand, so that a leg shortens as the body sinks above it
        shortened = -(state[0] + state[1] * y - state[2] * x)
        faster = -(state[3] + state[4] * y - state[5] * x)
        return k * (shortened - rest) + c * faster

    def flow(t, state, pushed):
        up = springs(state)
        inertia = body["inertia"]
        force = up.sum() - body["mass"] * 9.81 + pushed * push["force"][2]
        return [*state[3:], force / body["mass"], up @ y / inertia[0], -(up @ x) / inertia[1]]

    start, last = push["during"]
    limits = {"rtol": 1e-12, "atol": 1e-14, "method": "DOP853", "dense_output": True}
    first = solve_ivp(flow, (0, start), np.zeros(6), args=(0.0,), **limits)
    second = solve_ivp(flow, (start, last), first.y[:, -1], args=(1.0,), events=lambda t, y, _: y[3], **limits)

    def motion(t):
        return (first if t < start else second).sol(t)

    for measurement in case["measurements"]:
        if measurement["quantity"] == "force":
            n = [contact["name"] for contact in case["contacts"]].index(measurement["of"])
            found = answer(
                lambda t, n=n: springs(motion(t))[n] + legs[n][0]["mass"] * 9.81, measurement, [0.0, start, last]
            )
        elif "least" in measurement:
            found = body["position"][2] + min(state[0] for state in second.y_events[0])
        else:
            found = body["position"][2] + motion(measurement["at"])[0]
        allowed = max(1e-9, measurement["bound"]) * max(1.0, measurement["scale"])
        assert found == pytest.approx(measurement["answer"], rel=0, abs=allowed), measurement["name"]
