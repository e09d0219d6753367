"""Work is done in the caller's folder, also by processes that were kept from another."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tarsus.scripts.library.base.parallel import each


def test_processes_that_are_kept_work_in_the_folder_that_is_now_the_caller_s(tmp_path, monkeypatch):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert each(os.getcwd, [()] * 4, 2, disable=True) == [str(tmp_path / name)] * 4


def test_the_bar_names_the_part_that_is_waited_for(capsys):
    said = {}

    def part(word):
        said[word] = capsys.readouterr().err
        return word

    assert each(part, [("one",), ("two",)], 1, names=["reference", "exact"], desc="policy") == ["one", "two"]
    assert "0/2" in said["one"] and "reference" in said["one"]
    assert capsys.readouterr().err.rstrip().endswith("exact]")


def sleeping(folder):
    (folder / str(os.getpid())).touch()
    time.sleep(100.0)


def there(pid):
    """Whether a process is there, and no zombie of a parent that does not wait for it."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_a_command_that_is_terminated_leaves_no_process_behind(tmp_path):
    call = (
        "import runpy, pathlib; from tarsus.scripts.library.base.parallel import each; "
        f"f = runpy.run_path({__file__!r}); each(f['sleeping'], [(pathlib.Path({str(tmp_path)!r}),)] * 2, 2)"
    )
    with subprocess.Popen([sys.executable, "-c", call], stderr=subprocess.DEVNULL) as command:
        while command.poll() is None and len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.1)
        command.terminate()
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert command.returncode == 128 + signal.SIGTERM and len(workers) == 2
    while any(map(there, workers)):  # they are told to end, and that takes a moment
        time.sleep(0.1)
