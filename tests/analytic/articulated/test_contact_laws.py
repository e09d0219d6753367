"""The exact run against two independent ways to Coulomb's law, and against MuJoCo where its convex law is the same.

Moreau's time stepping and a soft contact of tests/oracles/contact_stepping.py converge to it where feet slip as they
land. MuJoCo does where none does, and without friction; else it goes where the soft contact goes with one function
exchanged, and for a point mass where the closed form of the convex law says.
"""

import contact_stepping as oracle
import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated.contact import ContactStatus, cone
from tarsus.analytic.articulated.contact import solve as certified
from tarsus.scripts.laboratory.studies.judges import Exact, Mujoco, rigid, soft, walk
from tarsus.scripts.laboratory.studies.walkers import quadruped

pytestmark = pytest.mark.extra  # the oracle is compiled for each law

ORDER = pytest.approx(1.0, abs=0.15)
POINT = """<mujoco><option gravity="0 0 0" timestep="{dt}" cone="elliptic" impratio="100" tolerance="1e-12"
iterations="200"/><worldbody>{ground}<body pos="0 0 .1"><joint type="slide" axis="1 0 0"/>
<joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom name="point" size=".1" mass="1"
condim="3" friction="{mu} 0 0" solref="{tc} {ratio}" solimp=".9999 .9999 .0001"/></body></worldbody></mujoco>"""
GROUND = '<geom type="plane" size="5 5 1" condim="3" friction="0 0 0" priority="-1"/>'


def point(tc=1e-3, dt=1e-3, mu=0.5, ratio=5.0, ground=""):
    """Return a ball that cannot turn, a point mass of 1 kg."""
    return mujoco.MjModel.from_xml_string(POINT.format(tc=tc, dt=dt, mu=mu, ratio=ratio, ground=ground))


def thrown(stepper, speed, seconds=0.02):
    """Return the velocity (3,) after a landing with this speed along x, at 1 m/s downward."""
    stepper.start([0.0, 0.0, 1e-9], [speed, 0.0, -1.0])
    return stepper.advance((), seconds)[3:]


def projected(mu, speed):
    """Return the velocity on {v_z >= mu |v_x|} nearest to (speed, 0, -1): the closed form of the convex law."""
    x = max(speed - mu, 0.0) / (1.0 + mu * mu)
    return [x, 0.0, mu * x]


def error(rows, exact):
    """Return the root mean square difference of the positions."""
    return float(np.sqrt(np.mean((rows[:, :15] - exact[:, :15]) ** 2)))


def order(sizes, errors):
    """Return the slope of the errors over the sizes, both logarithmic."""
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


@pytest.mark.parametrize("mu", [0.1, 0.7, 1.2])
def test_the_oracle_solves_the_problems_of_the_certified_solver(mu):
    rng = np.random.default_rng(3)
    for feet in (1, 1, 2, 2, 3, 4):
        rows = rng.normal(size=(3 * feet, 14))
        A, b, p = rows @ rows.T / 14.0, rng.normal(size=3 * feet), np.zeros(3 * feet)
        assert oracle.solve(A, b, mu, oracle.coulomb, p) <= 1e-9
        found = certified(A, b, [cone(mu)] * feet)
        assert found.status is ContactStatus.SOLVED
        assert np.allclose(A @ p + b, found.velocity, atol=1e-7)
        assert oracle.solve(A, b, mu, oracle.convex, p) <= 1e-9
        w = (A @ p + b).reshape(-1, 3)  # in the dual cone, and no work is done
        assert np.all(w[:, 0] >= mu * np.hypot(w[:, 1], w[:, 2]) - 1e-7) and abs(w.ravel() @ p) < 1e-7


@pytest.mark.parametrize("mu, speed", [(0.5, 1.0), (0.5, -1.0), (0.1, 1.0), (0.8, 0.4)])
def test_a_point_that_lands_with_slip_shows_which_law_it_obeys(mu, speed):
    """A plastic landing at (1, -1) and mu = .5: Coulomb leaves (.5, 0), the convex law (.4, .2): it jumps."""
    slides = np.sign(speed) * max(abs(speed) - mu, 0.0)
    convex = projected(mu, abs(speed)) * np.array([np.sign(speed), 1.0, 1.0])
    for law, left in ((oracle.coulomb, [slides, 0.0, 0.0]), (oracle.convex, convex)):
        rigid = oracle.Rigid(point(), ["point"], mu, 1e-3, law)
        assert np.allclose(thrown(rigid, speed), left, atol=1e-9)
        # A soft contact bounces: by 1 / (4 zeta^2), a hundredth at the damping ratio 5.
        soft = oracle.Soft(point(), ["point"], mu, 1e-5, law, oracle.Spring(1e-3, 5.0))
        assert np.allclose(thrown(soft, speed, 0.2), left, atol=0.012)


@pytest.mark.parametrize("mu, speed", [(0.5, 1.0), (0.1, 1.0), (0.8, 0.4), (0.0, 1.0)])
def test_mujocos_stiff_limit_at_a_landing_is_the_convex_law(mu, speed):
    """However stiff: the damping ratio 5 leaves a bounce of a hundredth."""
    for tc in (1e-3, 1e-4):
        model = point(tc, tc / 40, mu, ground=GROUND)
        data = mujoco.MjData(model)
        data.qpos[2], data.qvel[:] = 1e-9, [speed, 0.0, -1.0]
        mujoco.mj_step(model, data, 40 * 100)
        assert np.allclose(data.qvel, projected(mu, speed), atol=0.012)


TROT = quadruped()


@pytest.fixture(scope="module")
def exact():
    return walk(TROT, Exact(TROT), 0.5)


def test_moreaus_time_stepping_converges_to_the_exact_trot(exact):
    steps = np.array([1e-3, 5e-4, 2.5e-4, 1.25e-4])
    errors = [error(walk(TROT, rigid(TROT, dt), 0.5), exact) for dt in steps]
    assert order(steps, errors) == ORDER and errors[-1] < 1e-4


def test_soft_contact_converges_to_the_exact_trot_with_coulombs_law_and_elsewhere_with_the_convex_one(exact):
    times = np.array([2e-3, 1e-3, 5e-4])
    coulomb, convex = (
        [error(walk(TROT, soft(TROT, law, tc), 0.5), exact) for tc in times] for law in ("coulomb", "convex")
    )
    assert order(times, coulomb) == ORDER and coulomb[-1] < 2e-4
    assert min(convex) > 1e-3
    found = [error(walk(TROT, Mujoco(TROT, tc, 20), 0.5), exact) for tc in times]
    assert np.allclose(found, convex, rtol=0.15)  # MuJoCo's impedance is below one


@pytest.mark.parametrize("what", ["drop", "trot without friction"])
def test_mujoco_converges_to_the_exact_run_where_nothing_slips_as_it_lands(what):
    walker = TROT if what == "drop" else quadruped(0.0)
    state, clock, times = walker.at_start(), None, np.array([2e-3, 1e-3, 5e-4, 2.5e-4])
    if what == "drop":
        state[2] += 0.1
        clock = lambda time: np.zeros(8)  # noqa: E731
    right = walk(walker, Exact(walker), 0.5, state, clock)
    errors = [error(walk(walker, Mujoco(walker, tc, 20, 3.0), 0.5, state, clock), right) for tc in times]
    assert order(times, errors) > 0.85 and errors[-1] < 5e-5
