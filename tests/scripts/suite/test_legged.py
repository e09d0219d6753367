"""The answers of the legged cases, read from their files, against ways that share no formula with the makers."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from sliding_frames import Frame

from tarsus.analytic.contact import Coulomb, SolverStatus, slide
from tarsus.scripts.suite.case import ids, load

CASES = [name for name in ids() if load(name)["phenomenon"] == "legged"]
FRAMES = [name for name in CASES if load(name)["joints"] and name != "swept_foot"]
OTHERS = ["tripod_slides", "swept_foot"]


def test_every_number_has_a_case():
    assert {load(name)["number"] for name in CASES} >= {31, 32, 33, 34, 35, 36, 40}


def test_every_case_is_checked():
    assert set(CASES) == {*FRAMES, *OTHERS}


@pytest.mark.parametrize("name", [*FRAMES, "tripod_slides"])
def test_answers_agree_with_an_independent_integration(name, disagreements):
    case = load(name)
    assert not disagreements(case, Frame(case).values())


@pytest.mark.parametrize("name", FRAMES)
def test_springs_carry_the_trunk_level(name):
    """Then loads stay what they are: friction acts at the height of all masses."""
    case, frame = load(name), Frame(load(name))
    weight = case["bodies"][0]["mass"] * 9.81
    assert frame.springs.sum() == pytest.approx(weight, rel=1e-12)
    assert np.abs(frame.springs @ frame.feet[:, :2]).max() < 1e-12 * weight
    assert not frame.feet[:, 2].any() and case["bodies"][0]["position"][2] == 0
    assert frame.springs.min() > 0


@pytest.mark.parametrize("name", FRAMES)
def test_our_solver_certifies_the_velocities_at_the_start(name):
    frame = Frame(load(name))
    found = slide(frame.feet[:, :2], -frame.belts, frame.loads, frame.friction, law=Coulomb(gap=1e-12))
    assert found.status is SolverStatus.SOLVED and found.twist_unique
    assert found.gap <= 1e-12 * found.dissipation
    assert found.twist == pytest.approx(frame.start[3:], abs=1e-7)


@pytest.mark.parametrize("name", FRAMES)
def test_forces_certify_the_least_dissipation(name):
    """Balanced forces within the cones bound the dissipation from below; the answer's own dissipation is that bound."""
    frame = Frame(load(name))
    slips = frame.slips(frame.start)
    speeds = np.linalg.norm(slips, axis=1)
    moving = np.where(speeds > 1e-12, speeds, 1.0)
    forces = -(frame.friction * frame.loads / moving)[:, None] * slips
    for n in frame.stuck:  # whatever balances the others
        forces[n] = -np.delete(forces, n, axis=0).sum(axis=0)
    feet = frame.feet[:, :2]
    moment = (feet[:, 0] * forces[:, 1] - feet[:, 1] * forces[:, 0]).sum()
    assert np.abs([*forces.sum(axis=0), moment]).max() < 1e-9
    assert (np.linalg.norm(forces, axis=1) <= frame.friction * frame.loads * (1 + 1e-12)).all()
    least, dissipated = (forces * frame.belts).sum(), (frame.friction * frame.loads * speeds).sum()
    assert dissipated - least < 1e-9 * dissipated


def test_one_foot_sticks_and_all_others_slide():
    assert {name: len(Frame(load(name)).stuck) for name in FRAMES} == {
        name: int(name == "one_foot_sticks") for name in FRAMES
    }


@pytest.mark.parametrize("foot", range(3))
def test_swept_feet_agree_with_integrals_over_the_speed(foot, disagreements):
    """Time, way and friction as integrals over the speed down the slope, or, where it does not change, by balance."""
    case = load("swept_foot")
    body = next(b for b in case["bodies"] if b["name"] == f"foot_{foot + 1}")
    mu, sweep, end = case["contacts"][foot]["friction"], 0.1, case["duration"]
    down = np.array(case["measurements"][0]["along"])
    weight = body["mass"] * np.array(case["gravity"])
    pull, load_ = weight @ down, abs(weight @ np.array([-down[2], 0.0, down[0]]))

    def surplus(v):
        return pull - mu * load_ * v / np.hypot(v, sweep)

    start = body["velocity"] @ down
    if start > 0:
        assert surplus(start) == pytest.approx(0, abs=1e-12)
        wanted = [start * end, start, mu * load_ * sweep / np.hypot(start, sweep), -pull]
    else:
        final = brentq(surplus, 1e-6, 10.0, xtol=1e-16)  # reached to rounding long before the end

        def over(f, speed):  # the integral over time of what depends on the speed, in the logarithm of what is missing
            q = -np.log1p(-speed / final)

            def integrand(s):
                return f(final * -np.expm1(-s)) * final * np.exp(-s) / surplus(final * -np.expm1(-s))

            return body["mass"] * quad(integrand, 0.0, q, epsabs=1e-13, epsrel=1e-12, limit=200)[0]

        early = brentq(lambda v: over(lambda _: 1.0, v) - 0.2, 1e-3 * final, (1 - 1e-7) * final, xtol=1e-16)
        missing = over(lambda v: final - v, (1 - 1e-7) * final)
        across = over(lambda v: mu * load_ * sweep / np.hypot(v, sweep), early) / 0.2
        wanted = [final * end - missing, final, across, body["mass"] * early / 0.2 - pull]
    mine = {
        **case,
        "measurements": [m for m in case["measurements"] if m["of"] in (body["name"], f"contact_{foot + 1}")],
    }
    assert len(mine["measurements"]) == 4
    assert not disagreements(mine, wanted)
