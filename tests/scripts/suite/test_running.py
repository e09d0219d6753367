"""The runner: engines that fail in every way there is, and the command line."""

import json
import re
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from tarsus.analytic.compilation import extras
from tarsus.scripts.command import cli
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import offering, running, score

TWO = ["slope_sticks", "block_stops"]
GOOD = """
    import numpy as np
    from ..adapting import reading
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
            places = np.array([body["position"] for body in bodies], float)
            poses = [(place, body["quaternion"]) for place, body in zip(places, bodies)]
            return reading(self.time, poses, np.zeros((len(bodies), 2, 3)), np.zeros((len(contacts), 3)))
"""
BEGIN = "self.case, self.time, self.step_ = case, 0.0, setting"
FAULTS = {
    "cannot": (BEGIN, "assert case['id'] != 'block_stops' or boxes(); " + BEGIN),
    "diverged": ("places = np.array(", "places = (np.nan if self.time > 0.5 else 1) * np.array("),
    "far": ("places = np.array(", "places = (1e9 if self.time > 0.5 else 1) * np.array("),
    "crashed": ("self.time += self.step_", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"),
    "raised": ("self.time += self.step_", "raise RuntimeError('no idea')"),
    "slow": ("self.time += self.step_", "self.time += 1e-9; sum(range(10**5))"),
    "spins": ("self.time += self.step_", "while True: pass"),
    "hangs": ("self.time += self.step_", "import threading; threading.Event().wait()"),
    "stands": ("self.time += self.step_", "pass"),
    "leaves": ("self.time += self.step_", "import os; os._exit(0)"),
    "leaves_with_words": ("self.time += self.step_", "import sys; print('no licence'); sys.exit(3)"),
    "leaves_when_built": (BEGIN, "import sys; sys.exit(0)"),
    "leaves_when_imported": ("import numpy as np", "import numpy as np, os; os._exit(0)"),
    "falls_over_at_the_end": ("import numpy as np", "import numpy as np, atexit, os; atexit.register(os.abort)"),
    "leaves_a_child": (
        "import numpy as np",
        "import numpy as np, os, time; os.fork() or (time.sleep(30), os._exit(0))",
    ),
    "nameless": ('NAME, SETTINGS = "Still"', "NAME, SETTINGS = None"),
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
        ("stands", "diverged", "its time stands still at 0 s"),
        ("slow", "slow", "of the case"),
        ("spins", "slow", "a call did not return in 0.6 s"),
        ("hangs", "crashed", "nothing came for 3 s"),
        ("leaves", "crashed", "ended with status 0, before it was done"),
        ("leaves_with_words", "crashed", "ended with status 3, before it was done: no licence"),
        ("leaves_when_built", "crashed", "ended with status 0, before it was done"),
    ],
)
def test_an_engine_that_fails_says_so_in_its_cells_and_the_other_cases_go_on(engine, fault, status, why, monkeypatch):
    if fault == "hangs":  # the others work, which a busy machine may make as slow as sleep
        monkeypatch.setattr(running, "ASLEEP", 1.0)
    found = results(engine(fault), longest=0.2)
    assert list(found) == TWO
    for result in found.values():
        assert result["status"] == status and why in result["why"]


@pytest.fixture
def started(monkeypatch):
    """Count the workers that are started."""
    words = []

    class Counted(running.Process):
        def __init__(self, python, said):
            words.append(said)
            super().__init__(python, said)

    monkeypatch.setattr(running, "Process", Counted)
    return words


def test_there_are_never_more_workers_than_cases_whatever_ends_them(engine, started):
    results(engine("leaves"))
    assert len(started) == 1 + len(TWO)  # the first says what the engine is


def test_an_engine_that_is_never_ready_is_not_started_for_every_case(engine, started):
    known = running.About("Still", "1", ["only"])
    found = results(engine("leaves_when_imported"), known=known)
    why = "it was never ready: ended with status 0, before it was done"
    assert found == dict.fromkeys(TWO, {"version": 1, "status": "crashed", "why": why})
    assert len(started) == 1


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("leaves_when_imported", "ended with status 0, before it was done"),
        ("nameless", "said what no worker says here"),
    ],
)
def test_an_engine_that_does_not_say_what_it_is_did_not_run(engine, fault, why):
    made = running.run(engine(fault), TWO)
    assert made["why"].startswith(why) and made["results"] == {}


def test_what_an_engine_does_after_its_last_case_costs_no_result(engine):
    assert [result["status"] for result in results(engine("falls_over_at_the_end")).values()] == ["ran", "ran"]


def test_what_an_engine_cannot_represent_is_not_scored(engine):
    found = results(engine("cannot"))
    assert found["block_stops"] == {"version": 1, "status": "cannot", "why": "still: boxes"}
    assert found["slope_sticks"]["status"] == "ran"
    assert score.cell(found["block_stops"]) == "cannot" and score.passed(found.values()).endswith(" of 1")


def test_a_worker_s_death_is_seen_though_a_child_of_the_engine_lives_on(engine):
    text = engine("crashed").read_text()
    path = engine("leaves_a_child")
    path.write_text(text.replace(*FAULTS["leaves_a_child"]))
    found = running.run(path, TWO[:1], known=running.About("Still", "1", ["only"]))["results"]["only"]
    assert found[TWO[0]]["why"] == "ended by signal 11"


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
    assert made["results"]["stiff"]["block_stops"]["passed"] and made["computer"] and made["date"]
    assert cli.main(words) == 2 and "holds a result already" in capsys.readouterr().err


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
    assert offering.export(folder) == len(cases.ids())
    words = ["-m", "suite.worker", "suite/engines/mujoco.py", "stiff", "block_stops"]
    hidden = "import sys; sys.modules['tarsus'] = None; import runpy; sys.argv = sys.argv[1:]; "
    hidden += "runpy.run_module('suite.worker', run_name='__main__', alter_sys=True)"
    done = subprocess.run(
        [sys.executable, "-c", hidden, *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1])["passed"]
    assert (folder / "LICENSE.md").read_text().startswith("The cases")


def test_the_template_of_the_page_runs_and_a_missing_package_says_what_installs_it(tmp_path):
    page = (Path(running.__file__).parents[2] / "docs/contact_suite.md").read_text(encoding="utf-8")
    file = tmp_path / "mine.py"
    file.write_text(re.search(r"```python\n(import numpy.*?)```", page, flags=re.DOTALL)[1], encoding="utf-8")
    made = running.run(file, ["ball_bounces"])
    assert made["name"] == "mine" and made["results"]["default"]["ball_bounces"]["status"] == "ran"
    missing = running._installs(running.engines()["mujoco_warp"])
    assert missing.startswith(f"; `{extras.install('warp')}` installs") and running._installs(file) == ""
    project = tomllib.loads((Path(running.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    for name in set(running.engines()) - {"mujoco"}:
        extra = re.search(r"\[([\w-]+)\]", running._installs(running.engines()[name]))[1]
        assert extra in project["project"]["optional-dependencies"]


def test_an_option_that_is_said_twice_has_both():
    from tarsus.scripts.command.verbs import contact_suite

    args = contact_suite.parser().parse_args(["--case", "a", "--case", "b", "c"])
    assert args.case == ["a", "b", "c"]
