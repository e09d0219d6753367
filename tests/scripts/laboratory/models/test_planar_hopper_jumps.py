"""Several jumps of the planar hopper: segments, guesses, and five jumps that the free model does too."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import control, quadratic
from tarsus.analytic.models.planar_hopper import STATE_NAMES, Course
from tarsus.scripts.laboratory.models import planar_hopper_jumps as pj

SMALL = Course(final_time=2.0, n=20, nodes=2, jumps=2, goal=2.06)


def test_segments_follow_one_another_from_apex_to_apex():
    jumps = pj.Jumps()
    assert jumps.cuts == (0, 7, 17, 27, 37, 50) and jumps.length == pytest.approx(0.98)
    parts = [jumps.segment(i) for i in range(5)]
    assert [part.settings["t0"] for part in parts] == pytest.approx([0.0, 0.7, 1.7, 2.7, 3.7])
    assert [part.settings["chart"] for part in parts] == [1, 56, 136, 216, 296]  # stance, then flight
    assert sum(part.settings["stop_count"] for part in parts) == 200
    assert parts[0].order == ("liftoff@12",) and parts[4].order == ("touchdown", "liftoff@20")
    assert [name for part in parts for name in part.decisions if name[0] == "u"] == [f"u_{i}" for i in range(50)]
    assert jumps.problem(5).terminal and not jumps.problem(3).terminal


def test_a_guess_is_a_jump_a_jump_further_on():
    jumps = pj.Jumps()
    w = jumps.forces(1) | jumps.forces(2)
    assert [w[f"w_{7 + j}"] for j in range(6)] == [0.5, 0.5, 18.0, 32.0, -9.0, 5.0]
    assert [w[f"w_{17 + j}"] for j in range(5)] == [0.5, 5.0, 45.0, -9.0, 5.0]  # one push, before the third interval
    assert [jumps.forces(0)[f"w_{j}"] for j in range(5)] == [8.0, 12.0, 38.0, -8.0, 0.5]
    found = {f"{q}_{j}": float(j) for q in "uw" for j in range(50)}
    assert jumps.moved(found, 1, 3)["w_30"] == 10.0 and len(jumps.moved(found, 1, 4)) == 20
    begun = jumps.begun(np.arange(8.0), 3, 2)
    assert begun["x@3"] == pytest.approx(2 * 0.98) and begun["y@3"] == 1.0 and len(begun) == len(STATE_NAMES)


def test_misuse_is_explained():
    with pytest.raises(ValueError, match=r"takes a liftoff for each of two jumps or more, got \(3,\) for 1"):
        pj.Jumps(Course(), (3,))
    with pytest.raises(ValueError, match=r"liftoffs must lie within segments of \[7, 13\] intervals, got \(3, 12\)"):
        pj.Jumps(SMALL, (3, 12))


@pytest.mark.thorough
@pytest.mark.skipif(not quadratic.is_installed(), reason="it needs the extra `control`")
def test_five_jumps_are_planned_and_the_free_model_does_them():
    jumps = pj.Jumps()
    found = jumps.solve()
    assert found.status is control.ControlStatus.CONVERGED, found.message
    assert found.cost < 77.5  # 75.2 with bounds at nodes alone, where the leg reaches 7 m/s
    assert found.violation < 1e-5, found.message
    made = control.verify(found)
    assert made.order == ("liftoff", *("touchdown", "liftoff") * 4) and made.agrees, made.message
    for left in far_left(jumps, found):
        assert left < 1e-4  # m, m/s, N


def far_left(jumps, found):
    """Yield what bounds are left by in the free model, in one piece, read every .1 ms without the optimiser."""
    params = {name: value for name, value in found.decisions.items() if "@" not in name}
    how = dict(chart=1, final_time=5.0, record_period=1e-4, rtol=1e-8, atol=1e-10)
    r = hy.compile(jumps.whole.model).run(params=params, **how)
    made, standing = r.to_xarray(), r.chart % 2 == 1
    yield float(max(0.1 - made["r"].min(), made["r"].max() - 0.5))
    for name, most in (("vr", 5.0), ("vth", 5.0), ("vy", 10.0)):
        yield float(np.abs(made[name]).max()) - most
    for name in ("cone_ahead", "cone_behind"):
        yield -float(made[name][standing].min())
