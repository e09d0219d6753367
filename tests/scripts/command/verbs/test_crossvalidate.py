"""Both engines on the same walk: the same start, contact times, accuracy reached, and the page."""

import re

import numpy as np
import pytest
import xarray as xr

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.scripts.command.verbs import crossvalidate as verb
from tarsus.scripts.laboratory.studies import decomposition
from tarsus.scripts.library.comparison import crossvalidate
from tarsus.scripts.library.comparison.compare import BODY
from tarsus.scripts.library.machines.hexapod import HEXAPOD, PlatelessExperiment, Start
from tarsus.scripts.library.records import record, stances
from tarsus.scripts.library.records.layouts import BUDGET
from tarsus.scripts.library.records.stances import debounce, from_flags

WALK = PlatelessExperiment(HexapodParams(), TripodGait(), Flat(), "reference")


@pytest.fixture(scope="module")
def walk():
    return crossvalidate.run(HEXAPOD, WALK, 5.0)


def test_the_default_walk_agrees_as_closely_as_promised(walk):
    exact, mujoco, comparison = walk
    assert exact.completed and mujoco.completed
    assert abs(comparison.speed_ratio - 1) < 3e-3
    assert comparison.body["height"] < 1e-4 and comparison.body["pitch"] < 1e-3
    for match in comparison.stances:
        assert (match.missed, match.extra) == (0, 0) and len(match.touchdown_error) == 2
        # MuJoCo sees a contact up to a step late, and lets go of it up to three steps late.
        assert np.abs(match.touchdown_error).max() < 1e-3 and np.abs(match.liftoff_error).max() < 1e-3
    assert np.all(comparison.normal_smooth < 0.05 * comparison.load)


def test_contact_does_not_flicker(walk):
    """Unfiltered, every stance of the steady walk is one stance in MuJoCo, within a millisecond."""
    exact, mujoco, comparison = walk
    over = comparison.window
    for first, second in zip(exact.stances, mujoco.stances, strict=True):
        found = stances.match(first, second, over.start, over.stop)
        assert (found.missed, found.extra) == (0, 0)
        assert np.abs(found.touchdown_error).max() < 5e-4 and np.abs(found.liftoff_error).max() < 1e-3


def test_the_raw_error_is_that_of_landings(walk):
    """The impulse that stops a toe takes a soft contact a millisecond or two; the rest is small."""
    exact, mujoco, _ = walk
    shares = decomposition.shares(exact, mujoco, 1.0)
    assert shares["touchdown"] > 0.5 and shares["flicker"] == 0.0 and shares["touchdown"] + shares["late"] > 0.7


def test_the_energy_budgets_close_as_well_as_each_engine_can(walk):
    budget = walk[2].budget
    assert abs(budget["exact"]["rest"]) < 1e-6 * budget["exact"]["motor_work"]
    assert abs(budget["mujoco"]["rest"]) < 0.03 * budget["mujoco"]["motor_work"]  # 2 % at this timestep
    for name in ("damper_loss", "contact_loss"):
        assert budget["mujoco"][name] == pytest.approx(budget["exact"][name], rel=0.06)


def test_stances_of_the_event_log_are_those_of_the_flags(walk):
    exact = walk[0]
    time, flags = exact.record["time"].values, exact.record["foot_contact"].values
    for leg in range(6):
        logged, seen = debounce(exact.stances[leg]), debounce(from_flags(time, flags[:, leg]))
        late = (seen - logged)[np.isfinite(seen)]  # a row shows an event up to a period later
        assert logged.shape == seen.shape and np.all((late > -1e-9) & (late < 1e-3 + 1e-9))


def test_both_engines_start_in_the_same_state():
    rng = np.random.default_rng(3)
    qpos = np.concatenate([[0.3, -0.2, 0.5], [0.9, 0.2, -0.1, 0.3], rng.uniform(-0.4, 0.4, 18)])
    qpos[3:7] /= np.linalg.norm(qpos[3:7])
    qpos[9::3] = rng.uniform(0.17, 0.22, 6)
    begin = Start(qpos, rng.normal(size=24))
    experiment = PlatelessExperiment(HexapodParams(), TripodGait(), Flat(), "reference", begin)
    mujoco = HEXAPOD.mujoco(experiment, 2e-3).record.isel(time=0)
    exact = HEXAPOD.exact(experiment, 2e-3, 1e-3).record.isel(time=0)
    for name in exact.data_vars:
        if name not in (*BUDGET, "foot_force"):
            # The clock is read a 100,000th of a step later in MuJoCo.
            np.testing.assert_allclose(mujoco[name], exact[name], rtol=1e-6, atol=1e-6, err_msg=name)
    assert float(mujoco["energy"]) == pytest.approx(float(exact["energy"]), rel=1e-7)  # MuJoCo's toes have some inertia


@pytest.mark.parametrize(
    ("qpos", "qvel", "word"), [(np.zeros(24), np.zeros(24), "qpos"), (np.zeros(25), np.full(24, np.nan), "qvel")]
)
def test_a_start_of_another_size_or_without_numbers_is_refused(qpos, qvel, word):
    with pytest.raises(ValueError, match=word):
        Start(qpos, qvel)


def test_the_page_holds_every_table_and_needs_no_other_file(tmp_path, capsys):
    command = ["hexapod", "--preset", "rl", "--t_c", "0.5", "--seconds", "1.0", "--out", str(tmp_path)]
    assert verb.main([*command, "--velocity", "0.1", "0.2", "0", "--lift", "0.005"]) == 0
    assert "MuJoCo over exact" in capsys.readouterr().out
    page, text = ((tmp_path / name).read_text() for name in ("report.html", "report.md"))
    for quantity in BODY:
        assert quantity in page and quantity in text
    assert re.findall(r"!\[[^]]*\]\(([^)]*)\)", text) == ["body.png", "feet.png"]
    assert (tmp_path / "body.png").exists() and (tmp_path / "feet.png").exists()
    assert all(source.startswith("data:image/png") for source in re.findall(r'src="([^"]*)"', page))
    assert len(re.findall("<img", page)) == 2 and "href" not in page
    exact, mujoco = (record.load(tmp_path / f"{name}.nc") for name in ("exact", "mujoco"))
    assert exact.attrs["preset"] == "exact" and mujoco.attrs["preset"] == "rl"
    with xr.open_dataset(tmp_path / "both.nc", engine="scipy") as both:
        np.testing.assert_array_equal(both["foot_force"].sel(engine="mujoco"), mujoco["foot_force"])
    assert float(exact["body_velocity"][0, 1]) == pytest.approx(0.2)
    assert exact["foot_position"][0, :, 2].values.min() == pytest.approx(0.005)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--lift", "-0.02"], "underground"),
        (["--turn", "3", "0", "0", "--lift", "0.5"], "toppled"),
        (["--t_s", "2"], "slow_time"),
        (["--phi_s", "7"], "sweep_angle"),
        (["--preset", "fast"], "unknown preset 'fast'"),
        (["--seconds", "nan"], "--seconds"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(options, sentence, tmp_path, capsys):
    command = ["hexapod", "--preset", "rl", "--seconds", "0.05", "--out", str(tmp_path)]
    assert verb.main([*command, *options]) == 2
    assert sentence in capsys.readouterr().err and not list(tmp_path.iterdir())
