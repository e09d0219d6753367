"""Films of policies: even in pace, drawn one by one, and on machines without a display too."""

import os
import re
import subprocess
import sys

import imageio.v3 as iio
import numpy as np
import pytest

from tarsus.envs.base import LeggedEnv
from tarsus.mjcf.own_robot import EXAMPLE
from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import evaluation
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.views import rendering

TORQUES = {"action_mode": "torque", "max_episode_steps": 5000}

# Commands that choose an OpenGL, the words with which they do, and the script in which.
DRAW = {
    "run hexapod": ([], "library.running.options"),
    "run multipod": ([], "library.running.options"),
    "run connection_mpc": ([], "library.running.options"),
    f"run {EXAMPLE}": ([], "library.running.options"),
    "crossvalidate hexapod": (["--film"], "library.running.options"),
    "evaluate": (["zero", "--video", "film.mp4"], "library.learning.evaluation"),
    "robot": ([str(EXAMPLE), "--film"], "command.verbs.robot"),
    "page gallery": (["--no-figures", "--write"], "laboratory.pages.gallery"),
    "page pictures": (["--write"], "laboratory.pages.pictures"),
}


def test_a_film_has_whole_control_periods_between_its_pictures(monkeypatch, tmp_path):
    times, written = [], {}

    def write(path, images, fps, total):
        written.update(shapes=[image.shape for image in images], fps=fps, total=total)
        return len(written["shapes"])

    def render(env):
        times.append(env.data.time)
        return np.zeros((2, 2, 3), np.uint8)

    monkeypatch.setattr(rendering, "write_film", write)
    monkeypatch.setattr(LeggedEnv, "render", render)
    n = evaluation.film_episode("zero", "SlipLeg-v1", TORQUES, 0, tmp_path / "film.mp4")
    length = evaluation.run_episode("zero", "SlipLeg-v1", TORQUES, 0).length
    np.testing.assert_allclose(np.diff(times), 1 / evaluation.FPS, rtol=1e-6)
    assert written["fps"] == pytest.approx(evaluation.FPS) and len(times) == n == np.ceil(
        round(length * evaluation.FPS, 6)
    )
    assert written["total"] == 5000 * 0.002 * evaluation.FPS  # of the longest episode: for the bar
    times.clear()
    evaluation.film_episode(
        "zero", "SlipLeg-v1", TORQUES | {"ctrl_dt": 0.05}, 0, tmp_path / "film.mp4"
    )  # longer than a picture
    assert written["fps"] == pytest.approx(20) and np.diff(times) == pytest.approx(0.05)


def test_every_script_that_draws_chooses_its_opengl_before_mujoco_is_imported(tmp_path):
    asking = {
        cli.module_of(path).removeprefix("tarsus.scripts.")
        for path in cli.FOLDER.rglob("*.py")
        if re.search(r"(?<!def )choose_opengl\(\)", path.read_text(encoding="utf-8"))
    }
    assert asking == {script for _, script in DRAW.values()}
    runs = {f"run {name}" for name, machine in MACHINES.items() if machine.renders}
    assert runs | {f"run {EXAMPLE}", "crossvalidate hexapod"} == {
        command for command, (_, script) in DRAW.items() if script == "library.running.options"
    }
    code = f"""if True:
        import sys
        from tarsus.scripts.command import cli
        from tarsus.scripts.library.views import rendering

        def choose():
            print(name, "mujoco" in sys.modules)
            raise SystemExit

        rendering.choose_opengl = choose
        for name, (words, _) in {DRAW}.items():
            try:
                cli.main([*name.split(), *words])
            except SystemExit:
                pass
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.splitlines() == [f"{name} False" for name in DRAW], done.stderr


@pytest.mark.render
def test_a_film_needs_no_display_and_no_setting(tmp_path):
    words = ["zero", "--env", "SlipLeg-v1", "--option", "max_episode_steps=20", "--seeds", "1", "--video", "film.mp4"]
    env = {name: value for name, value in os.environ.items() if name not in ("MUJOCO_GL", "DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "tarsus.scripts.command.cli", "evaluate", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.returncode == 0 and "| zero |" in done.stdout, done.stderr
    assert "film:" in done.stderr and (tmp_path / "film.mp4").stat().st_size > 1000  # its bar, and itself


@pytest.mark.render
def test_both_engines_walk_side_by_side_in_a_film(tmp_path):
    words = ["--seconds", "1", "--period", ".385", "--film", "--out", str(tmp_path)]
    assert cli.main(["crossvalidate", str(EXAMPLE), *words]) == 0
    film = iio.imread(tmp_path / "both.mp4", plugin="FFMPEG")
    assert film.shape == (25, rendering.HALF[1], 2 * rendering.HALF[0], 3)
    exact, mujoco = np.split(film[5:, 100:].astype(int), 2, axis=2)  # below the names
    assert np.abs(exact - mujoco).mean() < 3.0 < np.abs(exact[1:] - exact[:-1]).mean()


@pytest.mark.render
def test_a_film_has_smooth_edges_and_arrows_where_asked():
    from tarsus.mjcf import compile_model, hexapod

    model = compile_model(hexapod.build(preset="rl"))
    qpos, feet = model.key_qpos[0], np.array([[0.3, 0.0, 0.0]])
    instant = (qpos, feet, np.array([[0.0, 0.0, 30.0]]))
    bare, arrow = (next(rendering.film(model, [instant], forces=forces)).astype(int) for forces in (False, True))
    assert model.vis.quality.offsamples == 4
    changed = np.abs(arrow - bare).max(axis=-1) > 30
    assert 50 < changed.sum() < 10000
    red = arrow[changed].mean(axis=0)
    assert red[0] > 2 * red[1] and red[0] > 2 * red[2]
