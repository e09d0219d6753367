"""Planar impacts: closed forms, a path integrated step by step, the conditions that define each law."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from tarsus.analytic.contact import impact
from tarsus.analytic.contact.impact import LAWS

ROUTH = ("newton", "poisson", "stronge")
BOUNCING = tuple(name for name in LAWS if name != "plastic")
STEPS = 1000  # of the integrated path


def mobility(tangential: float, normal: float, coupling: float) -> np.ndarray:
    """Return W, `coupling` being W_tn over its largest value, in (-1, 1)."""
    off = coupling * np.sqrt(tangential * normal)
    return np.array([[[tangential, off], [off, normal]]])


mobilities = st.builds(mobility, st.floats(0.2, 5.0), st.floats(0.2, 5.0), st.floats(-0.99, 0.99))
velocities = st.builds(lambda t, n: np.array([[t, -n]]), st.floats(-3.0, 3.0), st.floats(0.01, 3.0))
frictions = st.floats(0.0, 3.0)
restitutions = st.floats(0.0, 1.0)


def after(W, v, impulse):
    return v + np.einsum("nij,nj->ni", W, impulse)


def energy_gained(W, v, impulse):
    """Return the change of kinetic energy: P.v + P W P / 2."""
    return np.einsum("ni,ni->n", impulse, (v + after(W, v, impulse)) / 2)


@pytest.mark.parametrize("name", BOUNCING)
def test_without_friction_the_contact_parts_by_restitution(name):
    W, v = mobility(2.0, 0.8, 0.6), np.array([[0.7, -1.5]])
    found = LAWS[name](W, v, 0.0, 0.4)
    assert found == pytest.approx(np.array([[0.0, 1.4 * 1.5 / 0.8]]), rel=1e-12)


@pytest.mark.parametrize("name", BOUNCING)
@pytest.mark.parametrize(("slip", "friction"), [(5.0, -0.3 * 1.5 * 2.0), (-5.0, 0.3 * 1.5 * 2.0), (0.9, -0.9 / 3.5)])
def test_a_ball_slides_through_the_impact_or_rolls_after_it(name, slip, friction):
    """A solid ball of 1 kg: W_tt = 7/2, W_nn = 1, no coupling. It rolls if its slip is below 7/2 mu (1 + e) v_n."""
    W, v = np.array([[[3.5, 0.0], [0.0, 1.0]]]), np.array([[slip, -2.0]])
    assert LAWS[name](W, v, 0.3, 0.5) == pytest.approx(np.array([[friction, 1.5 * 2.0]]), rel=1e-12)


def integrated(name, W, v, mu, e):
    """Return the impulse by small steps of Routh's path, written apart from the code under test."""
    step = np.abs(v).sum() / np.linalg.eigvalsh(W)[0] / STEPS
    speed, impulse, work = v.copy(), np.zeros(2), 0.0
    turned = work_at_turn = p_at_turn = None
    for _ in range(400 * STEPS):
        push = np.array([-mu * np.sign(speed[0]), 1.0])
        hold = -W[0, 1] / W[0, 0]
        if abs(speed[0]) <= 2 * step * (W[0, 0] * mu + abs(W[0, 1])):  # about to stop, or stopped
            push[0] = np.clip(hold, -mu, mu)
            if abs(hold) <= mu:
                speed[0] = 0.0
        new = speed + step * W @ push
        work += step * (speed[1] + new[1]) / 2
        impulse += step * push
        speed = new
        if turned is None and speed[1] >= 0.0:
            turned, work_at_turn, p_at_turn = True, work, impulse[1]
        if turned:
            ends = {
                "newton": speed[1] >= -e * v[1],
                "poisson": impulse[1] >= (1 + e) * p_at_turn,
                "stronge": work - work_at_turn >= -(e**2) * work_at_turn,
            }
            if ends[name]:
                return impulse
    raise AssertionError("the path did not end")


CASES = {
    "slides on": (mobility(2.0, 1.0, 0.2), [3.0, -1.0], 0.2),
    "sticks in compression": (mobility(2.0, 1.0, 0.1), [0.2, -1.0], 0.5),
    "sticks in expansion": (mobility(2.0, 1.0, 0.1), [0.75, -1.0], 0.3),
    "slips back": (mobility(2.0, 1.0, -0.8), [0.3, -1.0], 0.2),
    "slips back the other way": (mobility(2.0, 1.0, 0.8), [-0.3, -1.0], 0.2),
    "slips back in expansion": (mobility(2.0, 1.0, -0.7), [1.6, -1.0], 0.2),
    "is pressed in first": (mobility(1.0, 1.0, 0.9), [1.0, -0.2], 2.0),
    "begins without slip": (mobility(1.0, 1.0, 0.6), [0.0, -1.0], 0.3),
}


@pytest.mark.parametrize("name", ROUTH)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_end_of_the_path_is_that_of_one_integrated_in_small_steps(name, case):
    W, v, mu = case
    found = LAWS[name](W, np.array([v]), mu, 0.6)[0]
    expected = integrated(name, W[0], np.array(v), mu, 0.6)
    assert found == pytest.approx(expected, abs=20 * np.abs(expected).max() / STEPS * (1 + mu))


def test_the_cases_bend_where_they_say():
    turns = {}
    for name, (W, v, mu) in CASES.items():
        path = impact.path(W, np.array([v]), mu)
        turns[name] = path.corner[0], path.reaching(np.zeros(1))[0], path.rates[0, 0, 1], path.rates[1, 0, 0]
    assert turns["slides on"][0] > 1.6 * turns["slides on"][1]
    assert turns["sticks in compression"][0] < turns["sticks in compression"][1]
    assert 1 < turns["sticks in expansion"][0] / turns["sticks in expansion"][1] < 1.6
    assert turns["slips back"][3] < 0 < turns["slips back the other way"][3]
    assert 1 < turns["slips back in expansion"][0] / turns["slips back in expansion"][1] < 1.5
    assert turns["is pressed in first"][2] < 0


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
@pytest.mark.parametrize("name", LAWS)
def test_every_impulse_lies_in_the_cone_and_parts_the_contact(name, W, v, mu, e):
    found = LAWS[name](W, v, mu, 0.0 if name == "plastic" else e)
    scale = np.abs(found).max() + 1e-3
    assert found[0, 1] > 0 and abs(found[0, 0]) <= mu * found[0, 1] + 1e-9 * scale
    assert after(W, v, found)[0, 1] >= -1e-8 * np.abs(v).max() * (1 + mu)


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
@pytest.mark.parametrize("name", LAWS)
def test_a_mirrored_impact_has_the_mirrored_impulse(name, W, v, mu, e):
    e, flip = 0.0 if name == "plastic" else e, np.array([-1.0, 1.0])
    mirrored = LAWS[name](W * np.outer(flip, flip), v * flip, mu, e)
    assert mirrored == pytest.approx(LAWS[name](W, v, mu, e) * flip, rel=1e-12, abs=1e-12)


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
def test_what_defines_the_ends_of_the_path_holds(W, v, mu, e):
    path = impact.path(W, v, mu)
    turn = path.reaching(np.zeros(1))
    p = {name: LAWS[name](W, v, mu, e)[:, 1] for name in ROUTH}
    assert path.velocity_at(p["newton"])[0, 1] == pytest.approx(-e * v[0, 1], abs=1e-8 * (1 + mu))
    assert p["poisson"] == pytest.approx((1 + e) * turn, rel=1e-9)
    given_back = path.work(p["stronge"]) - path.work(turn)
    assert given_back == pytest.approx(-(e**2) * path.work(turn), rel=1e-6, abs=1e-9)


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
def test_stronge_never_gains_energy(W, v, mu, e):
    assert energy_gained(W, v, impact.stronge(W, v, mu, e))[0] <= 1e-9 * (1 + mu) * (v**2).sum()


def test_newton_gains_energy_where_slip_reverses():
    """The paradox of Kane: a law that only looks at velocities may make energy, the others do not."""
    W, v = mobility(2.0, 0.9, -0.93), np.array([[1.2, -1.0]])
    gained = {name: energy_gained(W, v, LAWS[name](W, v, 0.9, 0.9))[0] for name in ROUTH}
    assert gained["newton"] > 0.01 and gained["stronge"] < 0


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
def test_the_algebraic_law_meets_its_complementarity(W, v, mu, e):
    impulse = impact.anitescu_potra_newton(W, v, mu, e)
    slip, normal = after(W, v, impulse)[0]
    assert normal == pytest.approx(-e * v[0, 1], abs=1e-9 * (1 + mu))
    scale = 1e-9 * (1 + mu) * (np.abs(v).max() + np.abs(impulse).max())
    if abs(slip) > scale * 100:  # it slips: all friction, against its slip
        assert impulse[0, 0] == pytest.approx(-mu * np.sign(slip) * impulse[0, 1], rel=1e-6, abs=scale)


def test_a_plastic_impact_that_sticks_is_that_of_a_constraint():
    from tarsus.analytic.models import constrained

    M, J = np.diag([2.0, 2.0, 0.05]), np.array([[1.0, 0.0, 0.3], [0.0, 1.0, -0.1]])
    speeds, impulse = np.array([0.2, -1.0, 0.5]), np.zeros(2)
    W, v = J @ np.linalg.inv(M) @ J.T, J @ speeds
    constrained.impact(M.copy(), J, speeds.copy(), impulse)
    assert impact.plastic(W[None], v[None], 5.0)[0] == pytest.approx(impulse, rel=1e-12)


def wang_mason(W, v, mu, e):
    """Return the normal impulse by Wang and Mason's kinds of impact, from their formulas, for Poisson's restitution."""
    B1, B2, B3 = W[0, 0], W[1, 1], -W[0, 1]
    S, C = v
    s = np.sign(S) or 1.0
    if abs(B3) > mu * B1 and s * B3 > 0:  # friction does not hold what has stopped, which slips back
        returning = B2 - mu * s * B3
    else:
        returning = B2 - B3**2 / B1
    sliding = B2 + mu * s * B3
    stop = s * S / (mu * B1 + s * B3) if mu * B1 + s * B3 > 0 else np.inf  # normal impulse at which slip has stopped
    if sliding > 0 and -C / sliding <= stop:
        return -(1 + e) * C / sliding
    return (1 + e) * (stop - (C + sliding * stop) / returning)


@given(W=mobilities, v=velocities, mu=frictions, e=restitutions)
def test_poisson_is_the_law_of_wang_and_mason(W, v, mu, e):
    expected = wang_mason(W[0], v[0], mu, e)
    assert impact.poisson(W, v, mu, e)[0, 1] == pytest.approx(expected, rel=1e-6)


def test_what_parts_already_gets_no_impulse():
    v = np.array([[1.0, 0.5], [1.0, 0.0]])
    W = np.repeat(mobility(1.0, 1.0, 0.3), 2, axis=0)
    for name in BOUNCING:
        assert not LAWS[name](W, v, 0.4, 0.5).any()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mu": -0.1}, "mu must be finite and not negative"),
        ({"mu": np.inf}, "mu must be finite and not negative"),
        ({"restitution": 1.1}, "restitution must lie from 0 to 1, got 1.1"),
        ({"velocity": np.zeros((2, 3))}, r"shapes \(n, 2, 2\) and \(n, 2\), got"),
    ],
)
@pytest.mark.parametrize("name", BOUNCING)
def test_misuse_is_refused(name, change, words):
    arguments = {"mobility": np.eye(2)[None], "velocity": np.zeros((1, 2)), "mu": 0.3, "restitution": 0.5}
    with pytest.raises(ValueError, match=words):
        LAWS[name](**(arguments | change))


def test_a_plastic_impact_refuses_restitution():
    with pytest.raises(ValueError, match="no restitution, got 0.5"):
        impact.plastic(np.eye(2)[None], np.zeros((1, 2)), 0.3, 0.5)
