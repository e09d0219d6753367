import numpy as np
import pytest

from tarsus.scripts.laboratory import drawing as command
from tarsus.scripts.laboratory.figures import gait_diagram


def test_the_clocks_tripods_alternate():
    gait = gait_diagram.stretch("clock", {"reset_noise": 0.0}, start=2.0, seconds=1.0)
    a, b = gait["touches"][:, [0, 2, 4]].mean(1), gait["touches"][:, [1, 3, 5]].mean(1)
    assert gait["time"][0] == pytest.approx(2.0, abs=0.021) and gait["speed"] == pytest.approx(0.26, rel=0.05)
    assert np.corrcoef(a, b)[0, 1] < -0.4
    data = {f"{name}_{key}": values for name in ("clock", "again") for key, values in gait.items()}
    figure = command.picture(gait_diagram, data)
    assert [panel.get_title(loc="left")[:5] for panel in figure.axes] == ["clock", "again"]


def test_policies_are_drawn_into_a_picture_of_the_format_asked_for(tmp_path):
    line = f"--policies walk dash --from 0.2 --seconds 0.2 --format pdf --out {tmp_path}"
    assert command.main(gait_diagram, line.split()) == 0
    assert (tmp_path / "gait_diagram.pdf").read_bytes().startswith(b"%PDF")
    with np.load(tmp_path / "gait_diagram.npz") as made:
        assert {name.partition("_")[0] for name in made.files} == {"walk", "dash"}


def test_a_robot_that_falls_before_there_is_anything_to_draw_is_said_so(tmp_path, monkeypatch, capsys):
    fallen = {"time": np.zeros(1), "touches": np.zeros((1, 6), bool), "speed": np.array(0.0)}
    monkeypatch.setattr(gait_diagram, "stretch", lambda *rest: fallen)
    assert command.main(gait_diagram, ["--out", str(tmp_path)]) == 2 and not list(tmp_path.iterdir())
    assert "clock falls before there is anything to draw" in capsys.readouterr().err
