"""What Ctrl-C leaves of an evaluation: the table of the episodes that were finished."""

from tarsus.scripts.command import cli
from tarsus.scripts.library.learning import evaluation

HOLDS = evaluation.Episode(10.0, 2.0, 0.5, 0.2, 0.0)


def interrupted(monkeypatch, name, at):
    """Have a function of the command interrupted at its so many-th call."""
    calls = []

    def call(*args):
        calls.append(args)
        if len(calls) == at:
            raise KeyboardInterrupt
        return HOLDS

    monkeypatch.setattr(evaluation, name, call)


def test_ctrl_c_leaves_the_table_of_what_was_finished(monkeypatch, capsys):
    interrupted(monkeypatch, "run_episode", 3)
    assert cli.main(["evaluate", "zero", "--seeds", "4"]) == 130
    out, err = capsys.readouterr()
    assert "tarsus evaluate: interrupted" in err and "of 2 of 4 episodes" in out
    assert "| zero | 10.0 ± 0.0 | 2.00 ± 0.00 | 0.500 ± 0.000 | 0.200 ± 0.000 | 0 of 2 |" in out


def test_ctrl_c_before_the_first_has_finished_leaves_no_table(monkeypatch, capsys):
    interrupted(monkeypatch, "run_episode", 1)
    assert cli.main(["evaluate", "zero", "--seeds", "4"]) == 130 and capsys.readouterr().out == ""


def test_ctrl_c_in_the_film_leaves_the_whole_table(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(evaluation.rendering, "choose_opengl", lambda: True)
    monkeypatch.setattr("tarsus.scripts.library.learning.playing.check", lambda *args, **more: None)
    monkeypatch.setattr(evaluation, "run_episode", lambda *args: HOLDS)
    interrupted(monkeypatch, "film_episode", 1)
    assert cli.main(["evaluate", "zero", "--seeds", "2", "--video", str(tmp_path / "film.mp4")]) == 130
    out, err = capsys.readouterr()
    assert "| zero | 10.0" in out and "of 2 episodes" in out and "interrupted" in err
    assert not list(tmp_path.iterdir())
