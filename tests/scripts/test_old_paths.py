"""Paths of 0.2.0 still import, are the modules of today, and say where these are."""

import importlib
import importlib.util
import pickle
import runpy
import subprocess
import sys

import pytest

from tarsus.scripts import old_paths

pytestmark = pytest.mark.filterwarnings("ignore:.*has moved:DeprecationWarning")  # of the folders above what is tested


@pytest.fixture(autouse=True)
def forgotten():
    """Forget the old names, before and after: a name that was imported is not looked for again."""
    names = [name for name in sys.modules if old_paths.new_path(name)]
    kept = {name: sys.modules.pop(name) for name in names}
    yield
    for name in [name for name in sys.modules if old_paths.new_path(name)]:
        del sys.modules[name]
    sys.modules.update(kept)


@pytest.mark.parametrize("old", old_paths.MOVED)
def test_an_old_path_gives_the_module_of_today_and_names_its_path(old):
    new = f"tarsus.scripts.{old_paths.MOVED[old]}"
    with pytest.warns(DeprecationWarning, match=f"tarsus.scripts.{old} has moved to {new};") as said:
        module = importlib.import_module(f"tarsus.scripts.{old}")
    assert module is importlib.import_module(new) and module.__name__ == module.__spec__.name == new
    assert all(warning.filename.endswith("importlib/__init__.py") for warning in said)  # who imports, not we


def test_what_lies_below_an_old_path_is_no_second_copy():
    with pytest.warns(DeprecationWarning, match="tarsus.scripts.library.learning;"):
        from tarsus.scripts.learning import policies
    with pytest.warns(DeprecationWarning, match="tarsus.scripts.library.learning.policies;"):
        import tarsus.scripts.learning.policies as whole
    with pytest.warns(DeprecationWarning, match="tarsus.scripts.laboratory.studies;"):
        from tarsus.scripts.studies import design
    from tarsus.scripts.library.learning import policies as today
    from tarsus.scripts.library.search import design as moved_out

    assert policies is whole is today and design is moved_out
    assert importlib.util.find_spec("tarsus.scripts.nothing") is None


def test_an_old_folder_does_not_hide_that_a_file_is_missing():
    with pytest.raises(ModuleNotFoundError, match="tarsus.scripts.learning.nothing"):
        importlib.import_module("tarsus.scripts.learning.nothing")


def test_what_was_pickled_under_an_old_path_loads():
    from tarsus.scripts.library.machines.hexapod import HexapodExperiment

    named = pickle.dumps(HexapodExperiment, protocol=0).replace(b".scripts.library.machines.", b".scripts.machines.")
    with pytest.warns(DeprecationWarning, match="machines.hexapod"):
        assert pickle.loads(named) is HexapodExperiment


def test_python_runs_an_old_path(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tarsus", "--version"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module("tarsus.scripts.cli", run_name="__main__")
    assert end.value.code == 0 and capsys.readouterr().out.startswith("tarsus ")


def test_the_warning_is_shown_where_the_old_path_is_typed(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\nfrom tarsus.scripts.runs import summary\nprint(summary.__name__)\n")
    done = subprocess.run([sys.executable, "mine.py"], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == "tarsus.scripts.library.records.summary\n"
    assert (
        "mine.py:2: DeprecationWarning: tarsus.scripts.runs has moved to tarsus.scripts.library.records;" in done.stderr
    )
