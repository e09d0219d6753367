"""What adapters share: coefficients of single shapes, springs, motions over time and turns."""

import numpy as np
import pytest

from tarsus.scripts.suite import adapting

RULES = {
    "PRODUCT": lambda m, n: m * n,
    "MEAN": lambda m, n: (m + n) / 2,
    "HARMONIC_MEAN": lambda m, n: 2 / (1 / m + 1 / n),
}
SLIDE = {"type": "slide", "axis": [0, 0, 2], "stiffness": 200.0, "damping": 4.0, "rest": 0.1}
TURNED = np.array([0.5, 0.1, -0.7, 0.5])


def contacts(**friction):
    """Return contacts of a ground with boxes, by the box."""
    return [{"pairs": [[box, "ground.plane"]], "friction": value} for box, value in friction.items()]


@pytest.mark.parametrize("name", RULES)
def test_two_shapes_make_what_the_case_says_of_their_pair(name):
    rows = contacts(a=0.3, b=0.8, c=0.55)
    found = adapting.coefficients("Any", rows, "friction", getattr(adapting, name))
    for row in rows:
        (one, other), wanted = row["pairs"][0], row["friction"]
        assert RULES[name](found[one], found[other]) == pytest.approx(wanted, abs=1e-9)
    assert min(found.values()) >= 0


@pytest.mark.parametrize("name", RULES)
def test_pairs_without_friction_cost_no_other_its_own(name):
    rows = [*contacts(a=0.5), {"pairs": [["b", "c"]], "friction": 0.0}]
    found = adapting.coefficients("Any", rows, "friction", getattr(adapting, name))
    assert RULES[name](found["a"], found["ground.plane"]) == pytest.approx(0.5)
    assert found.get("b", 0.0) == found.get("c", 0.0) == 0


def test_bounds_are_kept_where_the_equations_alone_would_break_them():
    rule = adapting.PRODUCT._replace(within=(-np.inf, 0.0))
    found = adapting.coefficients("Any", contacts(a=0.2, b=1.0), "friction", rule)
    assert max(found.values()) <= 1 and found["b"] == found["ground.plane"] == pytest.approx(1)
    assert found["a"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"pairs": [["a", "b"]], "friction": [0.7, 0.1]}], "Any: two coefficients of friction"),
        (
            contacts(a=0.5) + contacts(a=0.6),
            "Any: friction by pair; a shape has one coefficient, and two are multiplied",
        ),
    ],
)
def test_what_no_coefficients_make_is_refused(rows, why):
    with pytest.raises(NotImplementedError, match=why):
        adapting.coefficients("Any", rows, "friction", adapting.PRODUCT)


def test_pairs_are_known_in_both_orders_and_the_sign_says_which_is_the_contact_s():
    handles = {"a": [1, 2], "b": [3]}
    found = adapting.touching([{"pairs": []}, {"pairs": [["a", "b"]]}], handles.__getitem__)
    assert found == {(1, 3): (1, 1.0), (2, 3): (1, 1.0), (3, 1): (1, -1.0), (3, 2): (1, -1.0)}


def test_a_spring_or_servo_pulls_to_its_target_and_a_stiff_one_needs_short_steps():
    assert adapting.torque(SLIDE, 0.3, 0.5, 0.0) == pytest.approx(200 * -0.2 - 4 * 0.5)
    servo = SLIDE | {"drive": {"stiffness": 10.0, "damping": 1.0, "times": [0.0, 2.0], "targets": [0.0, 1.0]}}
    assert adapting.torque(servo, 0.3, 0.1, 1.0) == pytest.approx(10 * 0.2 + 1 * 0.4)
    assert adapting.torque(servo, 0.3, 0.1, 3.0) == pytest.approx(10 * 0.7 - 1 * 0.1)
    adapting.check_stable("Any", SLIDE, {"mass": 0.01}, 0.004)
    with pytest.raises(NotImplementedError, match="Any: a spring or damper this stiff"):
        adapting.check_stable("Any", SLIDE, {"mass": 0.01}, 0.005)


def test_values_hold_from_their_time_on_and_pushes_until_their_last():
    assert [adapting.held([0.0, 0.2], [1.0, 2.0], t) for t in (0.0, 0.1999, 0.2 - 1e-12, 1.0)] == [1, 1, 2, 2]
    case = {"forces": [{"body": "always"}, {"body": "once", "during": [0.1, 0.2]}]}
    pushed = [[push["body"] for push in adapting.pushes(case, t)] for t in (0.0, 0.1, 0.2)]
    assert pushed == [["always"], ["always", "once"], ["always"]]


def test_a_point_is_a_sphere_above_it_whatever_way_its_body_is_turned():
    quaternion = adapting.unit(TURNED)
    made = adapting.solid({"quaternion": quaternion}, {"type": "point", "size": [], "position": [0.1, 0.2, 0.3]})
    raised = adapting.rotate(quaternion, made["position"]) - adapting.rotate(quaternion, [0.1, 0.2, 0.3])
    assert made["type"] == "sphere" and raised == pytest.approx([0, 0, adapting.POINT_RADIUS], abs=1e-15)


def test_a_pose_in_a_frame_gives_the_pose_back():
    frame = np.array([1.0, 2.0, 3.0]), adapting.unit(TURNED)
    place, turn = adapting.relative(frame, [0.3, -0.1, 0.2], adapting.unit([0.9, 0.1, 0.2, -0.3]))
    assert frame[0] + adapting.rotate(frame[1], place) == pytest.approx([0.3, -0.1, 0.2])
    vector = np.array([0.4, 0.5, -0.6])
    both = adapting.rotate(frame[1], adapting.rotate(turn, vector))
    assert both == pytest.approx(adapting.rotate(adapting.unit([0.9, 0.1, 0.2, -0.3]), vector))


@pytest.mark.parametrize("axis", [[0, 0, 3], [1, 0, 0], [0.3, -0.2, 0.9]])
def test_a_plane_s_axes_make_a_right_handed_frame(axis):
    first, second = adapting.plane(axis)
    assert np.cross(first, second) == pytest.approx(adapting.unit(axis))
    assert [np.linalg.norm(first), np.linalg.norm(second), first @ second] == pytest.approx([1, 1, 0])
