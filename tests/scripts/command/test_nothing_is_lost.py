"""Runs and studies that are killed, interrupted or meet a full disk: what was there, and what was made, stays.

The same for trainings is in `test_training_kept.py`. SIGKILL ends processes of their own, in the middle of writing.
Ctrl-C is the real signal, in this process. A full disk is a limit on the size of files: what is longer does not fit.
"""

import contextlib
import resource
import signal
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from matplotlib import pyplot

from tarsus.scripts.command import cli
from tarsus.scripts.laboratory.figures import hexapod_speed_map, hexapod_turning, zeno_ball
from tarsus.scripts.laboratory.pages import hexapod_studies
from tarsus.scripts.library.machines import MACHINES, stepping
from tarsus.scripts.library.records import record
from tarsus.scripts.library.views import rendering

GOLDEN = Path(__file__).parents[2] / "golden"
STUDIES = {"hexapod_speed_map": hexapod_speed_map, "hexapod_turning": hexapod_turning}
WALK = ["run", "hexapod", "--seconds", "0.04", "--preset", "rl", "--no-video", "--csv", "--out"]


@contextlib.contextmanager
def full_disk(size: int):
    """Let no file grow beyond a size [byte] within the block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(autouse=True)
def ctrl_c_raises(monkeypatch):
    """Ctrl-C is not ignored, as it is where these tests are started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    pyplot.close("all")


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def tarsus(words):
    """Return the exit status of a command; that Ctrl-C is not caught fails the test, not all tests."""
    try:
        return cli.main(words)
    except KeyboardInterrupt:
        pytest.fail(f"tarsus {' '.join(words)}: KeyboardInterrupt")


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def only_sentence(capsys, command):
    """Return what a command said on the error stream beside its progress: one line that begins with its name."""
    lines = [line for line in capsys.readouterr().err.split("\n") if line.startswith("tarsus") or "Traceback" in line]
    assert len(lines) == 1 and lines[0].startswith(f"tarsus {command}: "), lines
    return lines[0]


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from tarsus.scripts.command import cli
from tarsus.scripts.command.verbs import run
from tarsus.scripts.library.records import record

def half(path, *rest, **more):
    Path(path).write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)

def walk():
    record.save_csv = lambda made, path: half(path)
    cli.main(sys.argv[1].split() + ["walk"])

def study():
    np.savez_compressed = half
    cli.main("figure zeno_ball --out study".split())

for end in (walk, study):
    child = os.fork()
    if not child:
        end()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, end
"""


@pytest.fixture(scope="module")
def killed(new_process, tmp_path_factory):
    """A folder in which a run and a study were killed while they wrote."""
    folder = tmp_path_factory.mktemp("killed")
    done = new_process(KILLED, " ".join(WALK), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("folder", "again", "names"),
    [
        ("walk", WALK, {"run.nc", "run.csv", "run.png", "result.json"}),
        ("study", ["figure", "zeno_ball", "--out"], {"zeno_ball.npz", "zeno_ball.png", "result.json"}),
    ],
)
def test_a_killed_command_leaves_no_half_result_and_the_next_cleans_up(killed, folder, again, names):
    left = contents(killed / folder)
    assert b"half" in left.values() and all(name.startswith(".") for name in left)
    assert tarsus([*again, str(killed / folder)]) == 0  # there is no result that it would have to replace
    assert set(contents(killed / folder)) == names


def test_a_full_disk_costs_the_new_run_and_not_the_old_one(tmp_path, capsys):
    out = [*WALK, str(tmp_path)]
    assert tarsus(out) == 0
    before = contents(tmp_path)
    capsys.readouterr()
    with full_disk(len(before["run.nc"]) // 2):
        assert tarsus([*out, "--force"]) == 1
    assert "File too large" in only_sentence(capsys, "run hexapod") and contents(tmp_path) == before
    with full_disk(len(before["run.png"]) - 1):  # the records are shorter
        assert tarsus([*out, "--force"]) == 1
    assert set(contents(tmp_path)) == {"run.nc", "run.csv"}  # of the new run, without the picture of the old one


def test_a_study_that_did_not_fit_does_not_count_as_finished(tmp_path, monkeypatch, capsys):
    stored, runs = dict(np.load(GOLDEN / "figure_hexapod_turning.npz")), []
    monkeypatch.setattr(hexapod_turning, "compute", lambda jobs: runs.append(jobs) or stored)
    path = tmp_path / "hexapod_turning.npz"
    with full_disk(500), pytest.raises(OSError, match="File too large"):
        hexapod_studies.data_of("hexapod_turning", tmp_path, 1)
    assert not list(tmp_path.iterdir())
    made = hexapod_studies.data_of("hexapod_turning", tmp_path, 1)
    path.write_bytes(path.read_bytes()[:-100])  # as an older version left it
    again = hexapod_studies.data_of("hexapod_turning", tmp_path, 1)
    assert len(runs) == 3 and "is damaged and computed anew" in capsys.readouterr().err
    assert set(again) == set(made) == set(hexapod_studies.data_of("hexapod_turning", tmp_path, 1)) and len(runs) == 3


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_a_film_that_did_not_fit_is_an_error_and_not_a_cut_film(tmp_path, ending):
    images = np.random.default_rng(0).integers(0, 255, (20, 48, 64, 3), np.uint8)
    path = tmp_path / f"run{ending}"
    with full_disk(20_000), pytest.raises(OSError, match="is the disk full|File too large"):
        rendering.write_film(path, images, 30)
    assert not list(tmp_path.iterdir())
    assert rendering.write_film(path, images, 30) == 20 and list(tmp_path.iterdir()) == [path]


def test_what_is_there_is_refused_before_the_work(tmp_path, monkeypatch, capsys):
    from tarsus.scripts.library.learning import evaluation
    from tarsus.scripts.library.search import multipod as optimise_gait

    for module, work in ((evaluation, "evaluate"), (optimise_gait.MultipodSearch, "run"), (zeno_ball, "compute")):
        monkeypatch.setattr(module, work, lambda *_, **__: pytest.fail("it was computed"))
    names = ("film.mp4", "best/found.npz", "zeno_ball.npz")
    (tmp_path / "best").mkdir()
    for name in names:
        (tmp_path / name).write_text("mine")
    for command, option, path in (
        ("evaluate zero", "--video", "film.mp4"),
        ("search multipod", "--out", "best"),
        ("figure zeno_ball", "--out", ""),
    ):
        assert tarsus([*command.split(), option, str(tmp_path / path)]) == 2
        assert "--force replaces it" in only_sentence(capsys, command.removesuffix(" zero"))
    assert set(contents(tmp_path).values()) == {b"mine"} and set(contents(tmp_path)) == set(names)


# Ctrl-C at a time of the run, in each engine: the loop that is made to press it, and the command.


def press_in_stepper(monkeypatch):
    """Press Ctrl-C in the first step of MuJoCo after 0.3 s."""
    step = stepping.Stepper.advance

    def pressing(stepper):
        pressed = stepper.data.time < 0.3
        step(stepper)
        if pressed and stepper.data.time >= 0.3:
            ctrl_c()

    monkeypatch.setattr(stepping.Stepper, "advance", pressing)


def press_in_frames(monkeypatch, machine):
    """Press Ctrl-C in the first frame of a machine's exact run after 0.9 s."""
    run = machine.exact

    def pressing(*rest, on_frame, **more):
        pressed = []

        def frame(t, *state):
            if t > 0.9 and not pressed:
                pressed.append(t)
                ctrl_c()
            return on_frame(t, *state)

        return run(*rest, on_frame=frame, **more)

    monkeypatch.setattr(machine, "exact", pressing)


RUNS = [(name, engine) for name, machine in MACHINES.items() for engine in machine.engines]


@pytest.mark.parametrize(("name", "engine"), RUNS)
def test_ctrl_c_ends_a_run_with_what_was_simulated_saved_and_a_sentence(name, engine, tmp_path, monkeypatch, capsys):
    if engine == "mujoco":
        press_in_stepper(monkeypatch)
    else:
        press_in_frames(monkeypatch, MACHINES[name])
    command = ["run", name, "--engine", engine, "--preset", "rl", "--out", str(tmp_path)]
    assert tarsus(command) == 130
    sentence = only_sentence(capsys, f"run {name}".replace("_", "-"))
    assert "interrupted at t = " in sentence and str(tmp_path) in sentence
    assert {path.suffix for path in tmp_path.iterdir()} <= {
        ".nc",
        ".csv",
        ".png",
        ".json",
    }  # no film: it would take its time
    stored = record.load(tmp_path / "run.nc")
    assert "stopped" in stored.attrs["status"]
    assert 0.25 < stored["time"].values[-1] < 1.2  # the exact engine looks once a second


def test_a_second_ctrl_c_ends_a_command_at_once(tmp_path, monkeypatch, capsys):
    step = stepping.Stepper.advance
    monkeypatch.setattr(stepping.Stepper, "advance", lambda stepper: (step(stepper), ctrl_c(), ctrl_c()))
    assert tarsus([*WALK, str(tmp_path)]) == 130
    assert "interrupted" in only_sentence(capsys, "run hexapod") and not list(tmp_path.iterdir())


def test_ctrl_c_while_a_record_is_written_comes_after_it(tmp_path, monkeypatch, capsys):
    save = record.save
    monkeypatch.setattr(record, "save", lambda made, path: (ctrl_c(), save(made, path)))
    assert tarsus([*WALK, str(tmp_path)]) == 130
    assert "interrupted at t = 0.04 s" in only_sentence(capsys, "run hexapod")
    assert set(contents(tmp_path)) == {"run.nc", "run.csv", "run.png", "result.json"}


def test_ctrl_c_while_a_run_is_filmed_keeps_its_record(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(rendering, "choose_opengl", lambda: True)
    monkeypatch.setattr(rendering, "film", lambda *rest: iter(lambda: ctrl_c() or np.zeros((48, 64, 3), np.uint8), 0))
    assert tarsus([word for word in [*WALK, str(tmp_path)] if word != "--no-video"]) == 130
    assert "interrupted; the files that were complete are kept" in only_sentence(capsys, "run hexapod")
    assert set(contents(tmp_path)) == {"run.nc", "run.csv", "run.png"}
    assert record.load(tmp_path / "run.nc").attrs["status"] == "reached the end"


def test_ctrl_c_between_studies_keeps_those_that_are_finished(tmp_path, monkeypatch, capsys):
    runs, pressed = [], []
    for name, module in STUDIES.items():
        stored = dict(np.load(GOLDEN / f"figure_{name}.npz"))

        def compute(jobs, name=name, stored=stored):
            runs.append(name)
            if name == "hexapod_turning" and not pressed:
                pressed.append(name)
                ctrl_c()
            return stored

        monkeypatch.setattr(module, "compute", compute)
    page = tmp_path / "page.md"
    marks = "".join(f"<!-- {name}: begin --><!-- {name}: end -->" for name in ("made", *STUDIES))
    page.write_text(marks)
    command = ["page", "hexapod_studies", "--into", str(page), "--data", str(tmp_path / "data"), "--only", *STUDIES]
    assert tarsus(command) == 130
    assert "interrupted at hexapod_turning" in only_sentence(capsys, "page hexapod_studies")
    assert set(contents(tmp_path)) == {"page.md", "data/hexapod_speed_map.npz"} and page.read_text() == marks
    assert tarsus(command) == 0
    assert runs == ["hexapod_speed_map", "hexapod_turning", "hexapod_turning"] and "|---|" in page.read_text()


def test_a_figure_that_ctrl_c_ended_is_not_drawn_from_half_a_run(tmp_path, monkeypatch, capsys):
    compiled = zeno_ball.hy.compile

    def compile_and_press(model, mode):
        sim = compiled(model, mode=mode)
        run = sim.run
        monkeypatch.setattr(sim, "run", lambda **options: run(**options, on_frame=press_once, frame_period=0.5))
        return sim

    def press_once(t, *state):
        if t == 1.0:
            ctrl_c()

    monkeypatch.setattr(zeno_ball.hy, "compile", compile_and_press)
    assert tarsus(["figure", "zeno_ball", "--out", str(tmp_path)]) == 130
    assert "interrupted" in only_sentence(capsys, "figure zeno_ball") and not list(tmp_path.iterdir())


# Searches and sweeps --------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_sweep_with_the_gaits_that_were_finished(monkeypatch, capsys):
    from tarsus.scripts.library.search import sweep as sweep_gaits

    arrived = threading.Event()

    class Counted(joblib.Parallel):
        def __call__(self, tasks):
            for n, made in enumerate(super().__call__(tasks), 1):
                yield made  # and is asked for the next when it is kept
                if n == 2:
                    arrived.set()

    def episode(gait, n_steps, robot):
        if gait.cycle_time == 3.0:
            arrived.wait()
            ctrl_c()
        return 7.0, gait.cycle_time

    monkeypatch.setattr(sweep_gaits, "episode", episode)
    monkeypatch.setattr(sweep_gaits.joblib, "Parallel", Counted)
    command = ["search", "sweep", "--backend", "threading", "--sweep-angles", "0.5", "--cycle-times"]
    assert tarsus([*command, "1", "2", "3", "4"]) == 130
    out, err = capsys.readouterr()
    assert "| 1 | 0.5 | 7.0 | 1.000 |" in out and "| 2 |" in out and "| 4 |" not in out and "nan" not in out
    assert err.count("tarsus search sweep: interrupted; this is the best until then") == 1


def pressing(n, result):
    """Return a function that gives `result` and presses Ctrl-C in its n-th call."""
    calls = []

    def function(*rest, **more):
        calls.append(rest)
        if len(calls) == n:
            ctrl_c()
        return result(*rest)

    return function


def test_ctrl_c_ends_a_search_with_the_best_until_then(tmp_path, monkeypatch, capsys):
    from tarsus.scripts.library.search import gait as search_gait
    from tarsus.scripts.library.search import hexapod as optimise_hexapod
    from tarsus.scripts.library.search import multipod as optimise_gait

    path = tmp_path / "best"
    rng = np.random.default_rng(0)
    monkeypatch.setattr(optimise_gait.Problem, "results", pressing(2, lambda problem, gaits: rng.random(len(gaits))))
    monkeypatch.setattr(optimise_gait, "walked", lambda *_: pytest.fail("it walked the gait of an unfinished search"))
    assert tarsus(["search", "multipod", "--generations", "100000", "--out", str(path)]) == 130
    with np.load(path / "found.npz") as stored:
        assert {"coefficients", "frequency", "points", "scores", "best"} < set(stored)

    walks = pressing(2, lambda actions, *_, **__: np.zeros(len(actions)))
    monkeypatch.setattr(search_gait, "Walks", lambda *_: walks)
    assert tarsus(["search", "gait", "--num-envs", "8", "--generations", "1000"]) == 130

    found = pressing(30, lambda *_: (optimise_hexapod.ExactWalk(1.0, 0.3, 0.0), None))
    monkeypatch.setattr(optimise_hexapod, "walk", found)
    monkeypatch.setattr(optimise_hexapod.exact, "simulator", lambda ground: None)
    assert tarsus(["search", "hexapod", "--generations", "1000", "--jobs", "1"]) == 130
    out, err = capsys.readouterr()
    assert "the best gait is not proved to be stable" in out and "tarsus run hexapod --t-c=" in out
    for command in ("search multipod", "search gait", "search hexapod"):
        assert err.count(f"tarsus {command}: interrupted; ") == 1
