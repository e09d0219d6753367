"""`tarsus` as a library: its names come lazily, and do what the commands do."""

import numpy as np
import pytest

import tarsus
from tarsus.analytic.clock import TripodGait
from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import machine


def test_every_name_is_there_and_only_those():
    for name in tarsus.__all__:
        assert getattr(tarsus, name) is getattr(tarsus, name) and name in dir(tarsus)
    assert tarsus.hybrid.compile and tarsus.contact.solve and tarsus.own_robot.rollout_of
    assert {"hexapod", "hopping_leg", "slip_leg", "multipod"} <= set(tarsus.machines.MACHINES)
    for owner in (tarsus, tarsus.own_robot):
        with pytest.raises(AttributeError, match="has no attribute 'wheels'"):
            _ = owner.wheels


@pytest.mark.extra
@pytest.mark.parametrize("engine", ["exact", "mujoco"])
def test_a_run_is_what_the_command_writes(engine, tmp_path):
    words = ["--gait", "walk", "--set", "body_mass=7.5", "--velocity", "0", "0.1", "0", "--no-video"]
    assert command.main(["hexapod", "--engine", engine, "--seconds", "0.3", *words, "--out", str(tmp_path)]) == 0
    more = dict(gait="walk", set={"body_mass": 7.5}, velocity=(0.0, 0.1, 0.0))
    run = tarsus.run("hexapod", engine, seconds=0.3, **more)
    stored = tarsus.load(tmp_path / "run.nc")
    assert run.completed and run.record.drop_attrs(deep=False).identical(stored.drop_attrs(deep=False))
    assert run.record.attrs["parameters"] == stored.attrs["parameters"]


@pytest.mark.extra
def test_a_leg_is_run_for_its_steps_and_compared():
    run = tarsus.run("slip_leg", steps=2)
    assert (run.n_steps, run.record.attrs["engine"]) == (2, "tarsus hybrid")
    both = tarsus.crossvalidate("hexapod", seconds=2.0)
    again = tarsus.compare(both.exact, both.mujoco, TripodGait().cycle_time)
    np.testing.assert_array_equal(both.comparison.load, again.load)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: tarsus.run("wheel"), "no machine 'wheel'; there are hexapod, hopping_leg"),
        (lambda: tarsus.run("hexapod", wheels=2), "hexapod has no option 'wheels'; there are rtol, engine"),
        (lambda: tarsus.run("hexapod", seconds=-1.0), "^hexapod: seconds must be positive and finite"),
        (lambda: tarsus.run("hexapod", "both"), "tarsus.crossvalidate compares both"),
        (lambda: tarsus.crossvalidate("multipod"), "multipod has the engine mujoco alone; both have hexapod"),
        (lambda: tarsus.crossvalidate("hexapod", seconds=1e-4), "at least 0.01"),
        (lambda: tarsus.search("wheels"), "no search 'wheels'; there are baseline, gait, hexapod, multipod"),
        (lambda: tarsus.search("gait", wheels=2), "gait has no setting 'wheels'"),
        (lambda: tarsus.search("hexapod", method="gradient", goal="resistance"), "tripod's speed"),
        (lambda: tarsus.certify("zero", options={"preset": "rl"}), "preset is set by the settings"),
        (lambda: tarsus.train(), "takes a run or"),
        (lambda: list(tarsus.evaluate("nobody")), "nobody"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(call, sentence, monkeypatch):
    monkeypatch.setattr(machine.MachineCommand, "exact", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(ValueError, match=sentence):
        call()
