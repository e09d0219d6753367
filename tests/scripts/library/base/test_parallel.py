"""Work is done in the caller's folder, also by processes that were kept from another."""

import os

from tarsus.scripts.library.base.parallel import each


def test_processes_that_are_kept_work_in_the_folder_that_is_now_the_caller_s(tmp_path, monkeypatch):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert each(os.getcwd, [()] * 4, 2, disable=True) == [str(tmp_path / name)] * 4
