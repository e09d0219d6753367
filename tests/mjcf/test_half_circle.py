"""Half-circle legs: their geometry, what they stand on, and that RHex climbs stairs on them."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat, Rough, Slope, Stairs
from tarsus.controllers import clock_gaits
from tarsus.mjcf import compile_model, half_circle, hexapod
from tarsus.mjcf.hexapod_state import start_state
from tarsus.scripts.command import cli
from tarsus.scripts.laboratory.studies.rhex_climbs import STEPS, StairClimb, climb
from tarsus.scripts.library.machines.hexapod_experiment import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

PARAMS = HexapodParams.rhex("drive")


def lowest(model, data):
    """Return the lowest point of all arcs [m]."""
    arcs = [k for k in range(model.ngeom) if model.geom(k).name.startswith("arc_")]
    assert len(arcs) == 6 * half_circle.PIECES
    reach = np.abs(data.geom_xmat[arcs, 8]) * model.geom_size[arcs, 1] + model.geom_size[arcs, 0]
    return float(np.min(data.geom_xpos[arcs, 2] - reach))


@pytest.mark.parametrize("seed", range(3))
def test_it_starts_with_the_lowest_arc_on_the_ground_whatever_its_legs(seed):
    rng = np.random.default_rng(seed)
    params = replace(PARAMS, theta_r0=rng.uniform(-0.3, 0.3, 6), rho_r0=rng.uniform(0.15, 0.19, 6))
    model = compile_model(hexapod.build(params, Flat(), legs="half-circle"))
    data = mujoco.MjData(model)
    data.qpos[:] = start_state(params, Flat(), rng.uniform(-np.pi, np.pi, 6), "half-circle")
    mujoco.mj_forward(model, data)
    assert lowest(model, data) == pytest.approx(0.0, abs=1e-12)


def test_an_arc_is_half_a_circle_behind_the_leg():
    ends = half_circle.points(0.17)
    middle = np.array([0.0, 0.0, 0.085])
    np.testing.assert_allclose(np.linalg.norm(ends - middle, axis=1), 0.085, rtol=1e-12)
    np.testing.assert_allclose(ends[0], 0.0, atol=1e-12)
    assert np.all(ends[1:, 1] < 0.0) and np.all(np.diff(ends[:, 2]) > 0.0)


def test_arcs_add_no_mass_and_stand_on_what_there_is():
    toes, arcs = (compile_model(hexapod.build(PARAMS, Flat(), "rl", legs)) for legs in half_circle.LEGS)
    np.testing.assert_array_equal(toes.body_mass, arcs.body_mass)
    np.testing.assert_array_equal(toes.body_inertia, arcs.body_inertia)
    data = mujoco.MjData(arcs)
    mujoco.mj_resetDataKeyframe(arcs, data, arcs.key("start").id)
    data.qpos[7::3] = data.ctrl[::3] = 0.0
    for _ in range(2000):
        mujoco.mj_step(arcs, data)
    felt = np.array([data.sensor(f"foot_{leg}").data for leg in range(6)])
    assert felt[:, 3].sum() == pytest.approx(PARAMS.total_mass * PARAMS.g, rel=1e-3)
    assert np.all(felt[:, 0] > 0)


def test_stairs_are_as_high_as_the_terrain_says():
    stairs = Stairs(0.17, 0.28)
    model = compile_model(hexapod.build(PARAMS, stairs, "rl", "half-circle"))
    steps = [k for k in range(model.ngeom) if model.geom(k).name.startswith("step_")]
    for k in steps:
        y, top = model.geom_pos[k, 1], model.geom_pos[k, 2] + model.geom_size[k, 2]
        assert top == pytest.approx(float(stairs.height(0.0, y)), abs=2e-3)
    assert len(steps) == np.arange(stairs.start, 19.0, stairs.tread).size


@pytest.mark.extra
def test_it_walks_on_them():
    gait = clock_gaits.find("rhex-2")
    stepper = HexapodStepper(HexapodExperiment(PARAMS, gait, Slope(0.0, 0.1), "rl", legs="half-circle"))
    while stepper.data.time < 3.0:
        stepper.step()
    assert not stepper.fallen() and stepper.data.qpos[1] > 0.8


# Each takes 10 s.
CLIMBS = [
    ("rhex-climb", 0.17),
    *(pytest.param(*c, marks=pytest.mark.thorough) for c in (("rhex-climb", 0.15), ("rhex-climb-18", 0.18))),
]


@pytest.mark.extra
@pytest.mark.parametrize(("gait", "rise"), CLIMBS)
def test_rhex_climbs_ten_steps_of_a_building(gait, rise):
    """Contacts multiply what rounding begins, and at 18 cm one start of eight ends on the back."""
    made = [climb(StairClimb(clock_gaits.find(gait), rise), seed) for seed in range(3)]
    assert sum(one.steps == STEPS and one.tilt < np.pi / 2 for one in made) >= 2


def test_what_is_not_for_these_legs_is_refused(capsys):
    with pytest.raises(ValueError, match="unknown legs 'wheels'; there are toes, half-circle"):
        hexapod.build(PARAMS, legs="wheels")
    for ground in (Rough(), Stairs(-0.1)):
        with pytest.raises(ValueError, match="half-circle legs walk on flat, slope, and stairs that rise, not on"):
            hexapod.build(PARAMS, ground, legs="half-circle")
    for words in (["--engine", "exact"], ["--lift", "0.1"]):
        assert cli.main(["run", "hexapod", "--legs", "half-circle", *words]) == 2
        assert "--legs half-circle needs --engine mujoco, and starts at rest on the ground" in capsys.readouterr().err
