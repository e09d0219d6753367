"""Contact flags against when a motion touches: the exact walk has no false touchdown, one that flickers has."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.mjcf import compile_model, hexapod
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.command.verbs import contact_doctor
from tarsus.scripts.library.doctor import flicker, replaying
from tarsus.scripts.library.machines import hexapod_exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper

TOES = tuple(f"toe_{leg}" for leg in range(6))
TIME = np.arange(0.0, 1.0, 1e-3)
HOP = np.where((TIME >= 0.3005) & (TIME < 0.6), -1e-4, 0.02 * abs(np.sin(np.pi * (TIME - 0.3005) / 0.1)))
BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<geom name="shelf" size="0.1 0.1 0.1" type="box" pos="0.5 0 0.1"/>
<body pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1"/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def walk():
    """Return the exact hexapod's walk: its postures in MuJoCo, and when its feet stand."""
    experiment = HexapodExperiment(HexapodParams(), TripodGait(), Flat())
    result = hexapod_exact.run(experiment, 3.0)
    run = hexapod_exact.simulate(experiment, 3.0)
    x = result.x[np.concatenate([[True], np.diff(result.t) > 0])]
    qpos = np.array([from_exact(experiment.params, row)[0] for row in x])
    return np.asarray(run.record["time"].values), qpos, run


def test_the_exact_walk_has_no_false_touchdown(walk):
    time, qpos, run = walk
    model = compile_model(hexapod.build(preset=replace(PRESETS["reference"], sink=0.0)))  # the ground at zero
    found = replaying.flags_of(model, replaying.Postures(time, qpos, TOES, run.record["foot_contact"].values))
    for leg, one in enumerate(found.values()):
        assert len(one.stances) > 2 and len(one.false_touchdowns) == 0 and one.missed == 0
        assert one.lost == one.early == 0
        exact = run.stances[leg]
        landed = exact[np.isfinite(exact[:, 0]), 0]
        nearest = np.abs(one.stances[np.isfinite(one.stances[:, 0]), 0][:, None] - landed).min(axis=1)
        assert nearest.max() < 2e-3
    own = replaying.flags_of(
        model, replaying.Postures(time, qpos, TOES)
    )  # of these postures, whose toes stand at zero up to round-off
    assert all(len(one.false_touchdowns) == 0 and one.lost == 0 for one in own.values())


def test_a_walk_in_settings_that_flicker_has_false_touchdowns():
    preset = replace(PRESETS["reference"], solimp=(0.9, 0.999, 1e-4), timestep=5e-4)
    stepper = HexapodStepper(HexapodExperiment(HexapodParams(), TripodGait(), Flat(), preset))
    ids = [stepper.model.geom(toe).id for toe in TOES]
    rows = []
    while stepper.data.time < 2.5:
        before = stepper.data.time, stepper.data.qpos.copy()
        stepper.step()
        pressing = {geom for c in stepper.data.contact if c.efc_address >= 0 for geom in (c.geom1, c.geom2)}
        rows.append((*before, [geom in pressing for geom in ids]))
    time, qpos, flags = (np.array(column) for column in zip(*rows, strict=True))
    found = replaying.flags_of(stepper.model, replaying.Postures(time, qpos, TOES, flags))
    assert sum(len(one.false_touchdowns) for one in found.values()) >= 10
    assert max(one.lost for one in found.values()) > 0.01


def test_a_touchdown_is_between_two_rows_where_the_distance_is_zero():
    gap = 0.03 - 0.1 * TIME
    ((begin, end),) = flicker.exact_stances(TIME[::7], gap[::7])
    assert begin == pytest.approx(0.3 - 1e-5, abs=1e-9) and end == np.inf
    ((begin, end),) = flicker.exact_stances(TIME[::7], -gap[::7])
    assert end == pytest.approx(0.3 + 1e-5, abs=1e-9) and begin == -np.inf


@given(drops=st.sets(st.integers(310, 590), min_size=0, max_size=8))
def test_flags_that_drop_within_a_stance_make_as_many_false_touchdowns(drops):
    inside = (TIME >= 0.3005) & (TIME < 0.6)
    flags = inside.copy()
    flags[list(drops)] = False
    found = flicker.compare(TIME, HOP, flags)
    runs = sum(k - 1 not in drops for k in drops)
    assert len(found.false_touchdowns) == runs and found.missed == 0
    assert found.lost == pytest.approx(len(drops) / inside.sum(), rel=0.03)
    assert len(flicker.compare(TIME, HOP, flags, np.array([[0.3005, 0.6]])).false_touchdowns) == runs


def test_flags_before_a_touchdown_are_false_and_stances_without_flags_are_missed():
    early = (TIME > 0.25) & (TIME < 0.26) | (TIME >= 0.3005) & (TIME < 0.6)
    found = flicker.compare(TIME, HOP, early)
    assert list(found.false_touchdowns) == [pytest.approx(0.251)] and found.early > 0.01
    assert flicker.compare(TIME, HOP, TIME < 0).missed == 1


def test_a_ball_that_rises_by_a_micrometre_did_not_lift_off():
    gap = np.where((TIME > 0.5) & (TIME < 0.503), 2e-6, -1e-4)
    assert flicker.exact_stances(TIME, gap).tolist() == [[-np.inf, np.inf]]
    assert len(flicker.compare(TIME, gap, gap < 0).false_touchdowns) == 1


def motion(tmp_path, **arrays):
    height = np.where(TIME < 0.5, 0.1, 0.1 + 0.05 * np.sin(2 * np.pi * (TIME - 0.5)))
    qpos = np.zeros((len(TIME), 7))
    qpos[:, 2], qpos[:, 3] = height, 1.0
    stored = {"time": TIME, "qpos": qpos, "geoms": ["ball"]} | arrays
    np.savez(tmp_path / "motion.npz", **{name: array for name, array in stored.items() if array is not None})
    (tmp_path / "ball.xml").write_text(BALL)
    return [str(tmp_path / "ball.xml"), "--seconds", "0.1", "--replay", str(tmp_path / "motion.npz")]


def test_the_command_compares_the_flags_of_a_motion(tmp_path, capsys):
    flags = (TIME < 0.5) & ~((TIME > 0.2) & (TIME < 0.205))
    words = motion(tmp_path, contact=flags[:, None])
    assert contact_doctor.main([*words, "--out", str(tmp_path / "out")]) == 0
    assert "| ball | 1 | 1 | 0 | 0.8 | 0 |" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        contact_doctor.FILE,
        contact_doctor.MENDED,
        "result.json",
    }
    assert contact_doctor.main([*words, "--out", str(tmp_path / "out")]) == 2  # a result is there
    np.save(tmp_path / "none.npy", np.zeros((4, 0)))
    assert contact_doctor.main([*words, "--controls", str(tmp_path / "none.npy"), "--strict"]) == 1  # a pyramid


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"time": None}, "lacks 'time'"),
        ({"time": TIME[::-1]}, "must increase"),
        ({"qpos": np.zeros((len(TIME), 3))}, "qpos of the motion must be finite numbers of shape"),
        ({"contact": np.full((len(TIME), 1), np.nan)}, "contact of the motion must be finite"),
        ({"geoms": ["wheel"]}, "no geom 'wheel'"),
    ],
)
def test_a_motion_that_does_not_fit_is_refused(arrays, sentence, tmp_path, capsys):
    assert contact_doctor.main(motion(tmp_path, **arrays)) == 2
    assert sentence in capsys.readouterr().err


def test_files_that_hold_something_else_are_refused(tmp_path, capsys):
    words = motion(tmp_path)
    (tmp_path / "motion.npz").write_text("words")
    assert contact_doctor.main(words) == 2 and "cannot be read" in capsys.readouterr().err
    np.save(tmp_path / "one.npy", np.zeros(3))
    assert contact_doctor.main([*words[:3], "--replay", str(tmp_path / "one.npy")]) == 2
    assert "holds one array" in capsys.readouterr().err
    motion(tmp_path)
    assert contact_doctor.main([*words[:3], "--controls", words[-1]]) == 2
    assert "must hold one array" in capsys.readouterr().err


def test_the_distance_to_all_of_the_ground_counts():
    model = mujoco.MjModel.from_xml_string(BALL)
    qpos = np.zeros((20, 7))
    qpos[:, 0], qpos[:, 2], qpos[:, 3] = 0.5, np.linspace(0.35, 0.29, 20), 1.0
    (found,) = replaying.flags_of(model, replaying.Postures(np.arange(20) * 0.01, qpos, ("ball",))).values()
    assert found.stances[0, 0] == pytest.approx(0.05 / 0.06 * 0.19, abs=1e-3)
