"""MuJoCo writes no file into the user's folder, and says what it has to say all the same."""

import subprocess
import sys

import mujoco
import pytest

from tarsus.mjcf import log

WARN = """
import mujoco, tarsus
{before}
from tarsus.mjcf import compile_model
body = "<body><freejoint/><geom size='1'/></body>"
model = compile_model(mujoco.MjSpec.from_string(f"<mujoco><worldbody>{{body}}</worldbody></mujoco>"))
data = mujoco.MjData(model)
data.qvel[0] = 1e30
mujoco.mj_step(model, data)
try:
    mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom/></worldbody></mujoco>")
except ValueError as error:
    print(error)
"""
MINE = "config = mujoco.MjLogConfig.get(); config.logfile = 'mine.txt'; config.set()"


@pytest.mark.parametrize(("before", "files"), [("", []), (MINE, ["mine.txt"])])
def test_a_warning_stands_on_the_terminal_and_in_no_file_but_the_users_own(tmp_path, before, files):
    code = WARN.format(before=before)
    made = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "simulation is unstable" in made.stderr and "size 0 must be positive in geom" in made.stdout
    assert [path.name for path in tmp_path.iterdir()] == files


def test_the_file_is_what_mujoco_would_write_without_us(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours, default = mujoco.MjLogConfig.get(), mujoco.MjLogConfig.get()
    assert not ours.logto_file and ours.logfile == log.DEFAULT
    try:
        default.logto_file = True
        default.set()
        mujoco.mju_writeLog("WARNING", "a test")
        assert (tmp_path / log.DEFAULT).exists()
        log.write_no_file()
        assert not mujoco.MjLogConfig.get().logto_file
    finally:
        ours.set()
