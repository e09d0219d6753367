"""The hexapod's stride map: its coordinates, its symmetry, its fixed point and what the walk shows of it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import sections
from tarsus.analytic.hybrid.directions import Directions
from tarsus.analytic.hybrid.existence import Existence
from tarsus.analytic.models.hexapod import HexapodParams, energy, hybrid, orbit, state
from tarsus.analytic.terrain import Flat
from tarsus.scripts.laboratory.models import gait_family

PARAMS = HexapodParams()
STORED = Path(__file__).parents[3] / "docs" / "data" / "stability" / "hexapod-walk-exact.json"


@pytest.fixture(scope="module")
def sim():
    return hy.compile(hybrid.build(PARAMS, Flat()))


@pytest.fixture(scope="module")
def stride(sim):
    return orbit.settle(sim, PARAMS, TripodGait(), 16)


def some_state(seed=0):
    rng = np.random.default_rng(seed)
    quaternion = rng.normal(size=4) * [1.0, 0.2, 0.2, 1.0]
    joints = rng.normal([0.0, 0.2, 0.2], [1.0, 0.1, 0.01], (6, 3))
    parts = rng.normal(size=3), quaternion / np.linalg.norm(quaternion), joints
    return state.assemble(PARAMS, *parts, rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3)))


@given(x=st.floats(-9, 9), y=st.floats(-9, 9), turn=st.floats(-3, 3), seed=st.integers(0, 99))
def test_the_heading_frame_forgets_place_and_heading(x, y, turn, seed):
    start = some_state(seed)
    there = orbit.moved(start, (x, y), turn)
    np.testing.assert_allclose(orbit.in_heading_frame(there), orbit.in_heading_frame(start), atol=1e-12)


def test_moving_and_reflecting_change_no_joint_and_no_energy():
    start = some_state()
    for seen in (orbit.moved(start, (1.0, 2.0), 0.7), orbit.in_heading_frame(start)):
        for before, after in zip(state.joints_of(PARAMS, start), state.joints_of(PARAMS, seen), strict=True):
            np.testing.assert_allclose(after, before, atol=1e-12)
    mirror = orbit.mirrored(start)
    np.testing.assert_array_equal(orbit.mirrored(mirror), start)
    assert energy.energy(PARAMS, mirror) == pytest.approx(energy.energy(PARAMS, start), rel=1e-12)
    for before, after in zip(state.joints_of(PARAMS, start), state.joints_of(PARAMS, mirror), strict=True):
        np.testing.assert_allclose(after, np.roll(before, 3, axis=0) * [1.0, -1.0, 1.0], atol=1e-12)


def test_heading_is_the_turn_about_the_vertical_that_undoes_no_tilt():
    start = orbit.in_heading_frame(some_state())
    assert start[state.QUATERNION + 3] == pytest.approx(0.0, abs=1e-15)
    assert orbit.heading(orbit.moved(start, (0.0, 0.0), 0.4)) == pytest.approx(0.4, abs=1e-12)


@pytest.mark.extra  # the hexapod is compiled
def test_a_gait_is_a_fixed_point_of_half_a_stride_and_so_of_a_whole_one(stride):
    z = stride.z0
    np.testing.assert_allclose(stride.project(stride.lift(z)), z, atol=1e-14)
    assert np.abs(stride.half(z) - z).max() < 1e-6
    off = z.copy()
    off[6] += 1e-3  # pitch rate [rad/s]
    np.testing.assert_allclose(stride.full(off), stride.half(stride.half(off)), atol=1e-8)
    assert 5e-5 < np.abs(stride.half(off) - z).max() < 1e-3  # it shrinks and is not lost: 1.1e-4 here


@pytest.mark.extra  # the hexapod is compiled
def test_a_gait_that_falls_has_no_orbit(sim):
    with pytest.raises(ValueError, match="does not walk"):
        orbit.settle(sim, PARAMS, TripodGait(0.3, 0.18, 0.8), 16)


def by_derivatives(stride, derivatives, z, half, **settings):
    """Return the derivative of a map of a stride at z, shape (k, k), by the variational equations."""
    x, k = stride.lift(z), len(stride.free)
    start = stride.start(half) | {"rtol": 1e-6, "atol": 1e-8 * state.SCALE} | settings
    start |= {"stop_at": stride.section(half), "stop_count": start.pop("count")}
    by = Directions.of_start(
        derivatives.model, np.pad(gait_family.lifted_by(x, stride.free), ((0, stride.d0.size), (0, 0)))
    )
    passes = [derivatives.run(v, x, stride.d0, stride.p, **start) for v in by.passes(derivatives.n_directions)]
    assert {made.existence for made in passes} == {Existence.EXISTS}
    moved_by = np.hstack([made.end.matrix[: x.size] for made in passes])[:, :k]

    def end(s):  # how z moves with the state
        y = passes[0].end.x + s * moved_by[:, j]
        return stride.project(orbit.mirrored(y) if half else y)

    columns = []
    for j in range(k):
        step = 1e-4 / max(1.0, np.abs(moved_by[:, j]).max())
        columns.append((end(step) - end(-step)) / (2 * step))
    return np.stack(columns, axis=1)


@pytest.mark.extra  # the hexapod is compiled, with its derivatives
def test_variational_equations_and_the_walk_itself_show_the_multipliers_of_the_command(sim):
    """Of a stride; the variational equations are those of half a stride with its reflection."""
    stored = np.array(json.loads(STORED.read_text(encoding="utf-8"))["multipliers"]) @ (1.0, 1.0j)
    early, later, stride = (orbit.settle(sim, PARAMS, TripodGait(), n) for n in (9, 10, 20))
    precise = {"rtol": 1e-9, "atol": 1e-11 * state.SCALE}
    flowed = sections.multipliers(by_derivatives(stride, orbit.derivatives_of(), stride.z0, half=True, **precise))
    np.testing.assert_allclose(np.sort_complex(flowed[:6] ** 2), np.sort_complex(stored[:6]), atol=2e-6)
    observed = np.linalg.norm(later.z0 - stride.z0) / np.linalg.norm(early.z0 - stride.z0)
    assert observed == pytest.approx(stored[0].real, rel=0.02)
    assert flowed[0] == pytest.approx(-0.6103, abs=2e-4)  # a pitch that changes sign every half stride
