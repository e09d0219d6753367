"""Init files in the dialect of SimSect's author, written anew: the robot by its numbers, its start, g = 0, a ditch."""

import re

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic import simsect
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod import hybrid as hexapod
from tarsus.analytic.models.hexapod.state import joints_of, rotation_matrix, toes_of
from tarsus.analytic.terrain import DitchedFlat
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.scripts.command.verbs import simsect as script

LEGS = "".join(
    f"rho{i}_k = {k}; rho{i}_d = {d}; rho{i}_r0 = .17; theta{i}_k = {t}; theta{i}_d = {t_d}; theta{i}_r0 = {splay};\n"
    f"attach{i}_x = {x}; attach{i}_y = {y}; attach{i}_z = 0;\n"
    for i, (k, d, t, t_d, splay, x, y) in enumerate(
        (k, d, t, t_d, 0.05 * side, side * x, y)
        for side in (1, -1)
        for k, d, t, t_d, x, y in (
            (1200, 12, 300, 0.12, 0.10, -0.2),
            (1600, 16, 400, 0.16, 0.15, 0.0),
            (1200, 12, 300, 0.12, 0.10, 0.2),
        )
    )
)
ROBOT = f"""
useGeomview = 1; framerate = 60; grid_xsize = 4; grid_ysize = 4; grid_xsteps = 40; grid_ysteps = 40;
recordPeriod = 0.01; measurePeriod = 0.5; stopPrecision = 1e-10; maxStopIterations = 128; maxChartCount = 100000;
tolerance = 1e-8; maxTimeStep = 1e-2; minTimeStep = 1e-15;
body_mass = 7; friction_coeff = 0.5; max_torque = 4; max_speed = 10000; # stall, no load
q_rt = .17; q_rl = .175; # rest, lift-off
J_11 = .09917; J_22 = .02917; J_33 = .11700; J_12 = 0; J_13 = 0; J_21 = 0; J_23 = 0; J_31 = 0; J_32 = 0;
r_x = 0; r_y = -0.5; r_z = 0.18;
v_x = 0; v_y = 0; v_z = 0;
{LEGS}"""
BENCH, GROUND = "leg_mass = .010; g = 0.0;\n", "leg_mass = .005; g = 9.81;\n"
DITCH = 'terrain = "ditchedflat"; terrain_arg1 = 0.0; terrain_arg2 = .5; terrain_arg3 = .2;\n'
FILES = {
    "plain": ROBOT + BENCH + 'terrain = "flat";',
    "filmed": ROBOT + BENCH + 'terrain = "flat"; movie_filename = "walk";',
    "ditch": ROBOT + BENCH + DITCH,
    "older": ROBOT + GROUND + 'terrain = "flat"; terrain_arg1 = .2; terrain_arg2 = .1; terrain_arg3 = .1;',
}


def setup(text, **machine):
    return simsect.setup(simsect.parse(text), **machine)


@pytest.mark.parametrize(
    "file", [file if file == "ditch" else pytest.param(file, marks=pytest.mark.extra) for file in FILES]
)
def test_the_authors_files_run_and_name_what_has_no_effect_once(file, tmp_path, capsys):
    path = tmp_path / "SimSect.rc"
    path.write_text(FILES[file] + f'finalTime = 0.02; dataBaseName = "{tmp_path / "run"}";')
    assert script.main(["-c", str(path), "--mode", "python"]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "without effect" in line]
    more = {"filmed": ", movie_filename", "older": ", terrain_arg1, terrain_arg2, terrain_arg3"}.get(file, "")
    assert said == ["tarsus simsect: without effect: q_rt, q_rl" + more]


def test_the_robot_stands_where_the_file_puts_it_with_its_legs_as_they_are():
    run = setup(FILES["older"] + "r_x = 0.3; v_y = 0.25; v_z = -0.5;")
    x0, params = run.model.x0, HexapodParams(theta_r0=[0.05] * 3 + [-0.05] * 3, rho_r0=[0.17] * 6, attach=hips())
    assert x0[:3] == pytest.approx([0.3, -0.5, 0.18]) and x0[7:10] == pytest.approx([0, 0.25, -0.5])
    joints, rates = joints_of(params, x0)
    np.testing.assert_allclose(joints[:, 1:], np.stack([params.theta_r0, params.rho_r0], axis=-1), atol=1e-12)
    np.testing.assert_allclose(np.abs(joints[:, 0]), np.pi * (np.arange(6) % 2), atol=1e-12)
    np.testing.assert_allclose(rates, 0.0, atol=1e-12)
    assert toes_of(x0)[0][:, 2].min() == pytest.approx(0.18 - 0.17 * np.cos(0.05))  # 10 mm above the ground


def hips():
    return [[side * x, y, 0.0] for side in (1, -1) for x, y in ((0.1, -0.2), (0.15, 0.0), (0.1, 0.2))]


def test_without_a_height_the_lowest_toe_touches_the_ground_at_that_place():
    run = setup('r_y = 0.3; terrain = "ditchedflat"; terrain_arg2 = 2;')
    assert run.ground == DitchedFlat(0.0, 2.0)
    toes = toes_of(run.model.x0)[0]
    assert np.min(toes[:, 2] - run.ground.height(toes[:, 0], toes[:, 1])) == pytest.approx(0.0, abs=1e-15)
    assert run.model.x0[2] < 0.0  # it stands in the ditch


@pytest.mark.extra
def test_weightless_it_only_recoils_from_its_toes_and_keeps_its_momenta():
    run = setup(FILES["plain"] + "r_z = 0.25;")
    result = simsect.integrate(run, hy.compile(run.model))
    assert result.status is hy.Status.FINAL_TIME and result.t_end == 1.0
    assert not np.any(result.chart & 0xFFF)  # no toe touches the ground
    x, (toes, speeds) = result.x, toes_of(result.x)
    momentum = 7.0 * x[:, 7:10] + 0.010 * speeds.sum(axis=1)
    spin = np.vecdot(rotation_matrix(x[:, 3:7]), (x[:, 10:13] * (0.09917, 0.02917, 0.117))[:, None])
    orbits = 7.0 * np.cross(x[:, :3], x[:, 7:10]) + 0.010 * np.cross(toes, speeds).sum(axis=1)
    assert np.abs(momentum).max() < 1e-9 and np.abs(spin + orbits).max() < 1e-9
    assert 1e-4 < np.abs(x[:, :3] - x[0, :3]).max() < 2e-3  # [m]


@pytest.mark.extra
def test_at_the_files_own_height_the_body_turns_against_the_legs_until_a_hind_toe_touches():
    run = setup(FILES["plain"])
    result = simsect.integrate(run, hy.compile(run.model))
    landing = result.events.t[np.flatnonzero(result.events.chart_after & 0xFFF)[0]]
    assert 0.5 < landing < 0.6 and result.t_end == 1.0


def test_a_gait_with_a_name_walks_where_the_file_has_none():
    run = setup(FILES["older"], gait=CLOCK_GAITS["run"])
    table = dict(zip(run.model.param_names, run.model.p0, strict=True))
    assert (table["cycle_time"], table["flight_time"], table["body_mass"]) == (0.5, 0.2, 7.0)
    with pytest.raises(
        ValueError, match=r"the file sets a gait itself \(cycle_time\), which a named gait would replace"
    ):
        setup(FILES["older"] + "cycle_time = 0.8;", gait=CLOCK_GAITS["run"])
    with pytest.raises(ValueError, match="only the system hexapod walks a gait, not slip"):
        setup('systemName = "slip";', gait=CLOCK_GAITS["run"])


def test_a_robot_and_a_gait_fill_in_what_the_file_leaves_out(tmp_path):
    path = tmp_path / "SimSect.rc"
    path.write_text(f'body_mass = 8; finalTime = 0.001; dataBaseName = "{tmp_path / "run"}";')
    assert script.main(["-c", str(path), "--mode", "python", "--robot", "rhex", "--gait", "rhex-2"]) == 0
    lines = (tmp_path / "run.param").read_text().splitlines()
    table = {name: value for name, _, value in (line.partition(" = ") for line in lines)}
    assert (table["body_mass"], table["cycle_time"]) == ("8.0;", "0.53;")
    assert (float(table["gear_ratio"][:-1]), float(table["KP"][:-1])) == (1 / 33.0625, 24.03)


def test_the_older_file_is_the_preset_of_the_authors_robot():
    run, robot = setup(FILES["older"] + 'robot = "rhex";'), HexapodParams.rhex()
    other = hexapod.build(robot)
    assert run.model.param_names == other.param_names
    np.testing.assert_allclose(run.model.p0, other.p0, rtol=1e-15)


def test_arrays_stand_in_braces():
    symbols = simsect.parse('walk_speeds = { 0 1 2.5 -3 };\nnames = { "a" "b c" };')
    assert symbols["walk_speeds"].value == (0.0, 1.0, 2.5, -3.0) and symbols["names"].value == ("a", "b c")


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("\nr_z = 0.1;", "SimSect.rc: r_z must be at least 0.196013, or a toe is underground, got 0.1"),
        ('r_x = "left";', "SimSect.rc:1: r_x must be a number, got 'left'"),
        ("r_q = 1;", "unknown symbol 'r_q'; known: .*r_x, r_y, r_z, v_x, v_y, v_z"),
        ('terrain = "moon";', "unknown terrain 'moon'; there are flat, .*ditchedflat"),
        ("terrain = 3;", "SimSect.rc:1: terrain_type must be a quoted string"),
        ("g = -1;", "g must not be negative, got -1"),
        ("movie_filename = 3;", "movie_filename must be a quoted string, got 3"),
        ("body_mass = { 7 8 };", r"SimSect.rc:1: body_mass must be a number, got \(7.0, 8.0\)"),
        ("a = { 1 2;", "SimSect.rc:1: expected '}' after the values of a"),
        ('a = { 1 "b" };', "SimSect.rc:1: a needs a number or a quoted string, or several of one kind in braces"),
        ("a = { };", "SimSect.rc:1: a needs a number or a quoted string, or several of one kind in braces"),
        ("a = { 1, 2 };", "SimSect.rc:1: cannot read ', 2 };'"),
        ("a = {\n1\n1e30 };", "SimSect.rc:3: a must be at most 1e.12 in size, got 1e30"),
        ('systemName = "slip"; r_x = 1;', "unknown symbol 'r_x'"),
    ],
)
def test_mistakes_are_sentences(text, sentence):
    with pytest.raises(ValueError) as caught:
        setup(text)
    assert re.search(sentence, str(caught.value))
