"""The runner: engines that fail in every way there is, and the command line."""

import json
import sys
import textwrap

import pytest

from tarsus.scripts import cli, contact_suite
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import running, score

TWO = ["slope_sticks", "block_stops"]
GOOD = """
    import numpy as np
    NAME, SETTINGS = "Still", {"only": {"step": 0.1}}
    def version():
        return "1"
    def boxes():
        raise NotImplementedError("still: boxes")
    class Simulation:
        def __init__(self, case, setting):
            self.case, self.time, self.step_ = case, 0.0, setting["step"]
        def step(self):
            self.time += self.step_
        def read(self):
            bodies, contacts = self.case["bodies"], self.case["contacts"]
            n = len(bodies)
            places = np.array([body["position"] for body in bodies], float)
            turns = np.array([body["quaternion"] for body in bodies], float)
            return self.time, places, turns, np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((len(contacts), 3))
"""
BEGIN = "self.case, self.time, self.step_ = case, 0.0, setting"
FAULTS = {
    "cannot": (BEGIN, "assert case['id'] != 'block_stops' or boxes(); " + BEGIN),
    "diverged": ("places = np.array(", "places = (np.nan if self.time > 0.5 else 1) * np.array("),
    "far": ("places = np.array(", "places = (1e9 if self.time > 0.5 else 1) * np.array("),
    "crashed": ("self.time += self.step_", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
    "raised": ("self.time += self.step_", "raise RuntimeError('no idea')"),
    "slow": ("self.time += self.step_", "self.time += 1e-9; sum(range(10**6))"),
    "hangs": ("self.time += self.step_", "import time; time.sleep(60)"),
    "noisy": ("self.time += self.step_", "self.time += self.step_; print('hello'); import os; os.system('echo hi')"),
    "not_installed": ("import numpy as np", "import numpy as np; import no_such_engine"),
}


@pytest.fixture
def engine(tmp_path):
    """Return what writes the file of an engine that stands still, with a fault."""

    def write(fault=None):
        path = tmp_path / f"{fault or 'still'}.py"
        text = textwrap.dedent(GOOD)
        path.write_text(text.replace(*FAULTS[fault]) if fault else text)
        assert not fault or path.read_text() != text
        return path

    return write


def results(path, **more):
    """Return what came of the two cases, by case."""
    return running.run(path, TWO, **more)["results"]["only"]


def test_an_engine_of_one_s_own_is_run_and_scored(engine):
    made = running.run(engine(), TWO)
    assert (made["name"], made["version"], made["engine"]) == ("Still", "1", "still")
    rows = {row["name"]: row for row in made["results"]["only"]["block_stops"]["measurements"]}
    assert rows["distance"]["value"] == 0 and not rows["distance"]["passed"]
    assert rows["distance"]["error"] == pytest.approx(1)
    assert made["results"]["only"]["block_stops"]["steps"] == 20


@pytest.mark.parametrize(
    ("fault", "status", "why"),
    [
        ("diverged", "diverged", "at 0.6 s"),
        ("far", "diverged", "not finite"),
        ("crashed", "crashed", "ended by signal 11"),
        ("raised", "crashed", "RuntimeError: no idea"),
        ("slow", "slow", "of the case"),
        ("hangs", "crashed", "nothing came for 1 s"),
    ],
)
def test_an_engine_that_fails_says_so_in_its_cells_and_the_other_cases_go_on(engine, fault, status, why, monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 10.0)
    found = results(engine(fault), longest=0.1)
    assert list(found) == TWO
    for result in found.values():
        assert result["status"] == status and why in result["why"]


def test_what_an_engine_cannot_represent_is_not_scored(engine):
    found = results(engine("cannot"))
    assert found["block_stops"] == {"version": 1, "status": "cannot", "why": "still: boxes"}
    assert found["slope_sticks"]["status"] == "ran"
    assert score.cell(found["block_stops"]) == "cannot" and score.passed(found.values()).endswith(" of 1")


def test_what_an_engine_prints_is_no_result(engine):
    assert results(engine("noisy"))["block_stops"]["steps"] == 20


def test_an_engine_that_is_not_installed_is_said_and_the_others_go_on(engine, capsys):
    made = running.run(engine("not_installed"), TWO)
    assert made["why"] == "ModuleNotFoundError: No module named 'no_such_engine'" and made["results"] == {}
    words = ["contact-suite", "--case", "block_stops", "--engine", str(engine("not_installed")), str(engine())]
    assert cli.main(words) == 0
    printed = capsys.readouterr()
    assert "not_installed did not run: ModuleNotFoundError" in printed.err and "Still 1" in printed.out
    assert cli.main(words[:-1]) == 1


def test_the_table_and_the_file(tmp_path, capsys):
    words = ["contact-suite", "--case", "block_stops", "--setting", "stiff", "--out", str(tmp_path)]
    assert cli.main(words) == 0
    assert "| block_stops | " in (table := capsys.readouterr().out) and "| passed | 1 of 1 |" in table
    made = json.loads((tmp_path / "mujoco.json").read_text())
    assert made["results"]["stiff"]["block_stops"]["passed"] and made["machine"] and made["date"]
    assert cli.main(words) == 2 and "exists already" in capsys.readouterr().err


WRONG = {
    "--engine nonesuch": "there is no engine 'nonesuch'; there are",
    "--case nonesuch": "there is no case 'nonesuch'; there are slope_sticks",
    "--setting nonesuch": "mujoco has no setting 'nonesuch'; there are defaults, ",
    "--python mujoco=nonesuch": "--python takes NAME=PATH, and 'nonesuch' of 'mujoco' is no file",
    "--longest 0": "--longest must be positive and finite",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_words_are_refused_with_a_sentence(words, capsys):
    assert cli.main(["contact-suite", *words.split()]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and WRONG[words] in printed.err and printed.err.count("\n") == 1


def test_the_exported_suite_runs_without_this_package(tmp_path):
    """In a Python that cannot see it: the export holds all that the worker needs."""
    import subprocess

    folder = tmp_path / "suite"
    assert contact_suite.export(folder) == len(cases.ids())
    words = ["-m", "suite.worker", "suite/engines/mujoco.py", "stiff", "block_stops"]
    hidden = "import sys; sys.modules['tarsus'] = None; import runpy; sys.argv = sys.argv[1:]; "
    hidden += "runpy.run_module('suite.worker', run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        [sys.executable, "-c", hidden, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1])["passed"]
    assert (folder / "LICENSE.md").read_text().startswith("The cases")
