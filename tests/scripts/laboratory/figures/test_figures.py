"""Every figure's data is golden: a published number does not move unseen. `--update-golden` rewrites them.

A figure that takes minutes names in GOLDEN the arguments of a smaller `compute`, one that measures speed the keys in
MEASURED, which no golden file holds. Numbers agree to RTOL and ATOL of the figure, arrays in its TOLERANCES to those.

A tolerance wider than the default is a hundred times what rounding was seen to move, or five times where that would
say nothing any more: `tests/golden_spread.py` measures it, and the figure says how much it was.
"""

from types import ModuleType

import numpy as np
import pytest

from tarsus.scripts.laboratory import drawing as command


@pytest.mark.parametrize("name", command.names())
def test_figure_numbers(name, golden):
    figure = command.load(name)
    data = figure.compute(**getattr(figure, "GOLDEN", {}))
    data = {key: values for key, values in data.items() if key not in getattr(figure, "MEASURED", ())}
    rtol, atol = getattr(figure, "RTOL", 1e-6), getattr(figure, "ATOL", 1e-12)
    golden(f"figure_{name}", data, rtol, atol, getattr(figure, "TOLERANCES", {}))


def test_a_tolerance_of_an_array_is_its_own(golden, tmp_path, monkeypatch):
    monkeypatch.setitem(golden.__globals__, "GOLDEN", tmp_path)
    np.savez(tmp_path / "two.npz", quiet=1.0, noisy=1.0)
    golden("two", {"quiet": 1.0, "noisy": 1.05}, special={"noisy": {"atol": 0.1}})
    for data, special in (
        ({"quiet": 1.05, "noisy": 1.0}, {"noisy": {"atol": 0.1}}),
        ({"quiet": 1.0, "noisy": 1.2}, {"noisy": {"atol": 0.1}}),
        ({"quiet": 1.0, "noisy": 1.0}, {"nosy": {"atol": 0.1}}),  # no such array
    ):
        with pytest.raises(AssertionError):
            golden("two", data, special=special)


def test_what_only_tests_ask_for_is_no_option(capsys):
    assert command.main(command.load("hexapod_phase_space"), ["--seconds", "2"]) == 2
    out, err = capsys.readouterr()
    assert "unrecognized arguments: --seconds 2" in err and err.count("\n") == 1 and not out


def test_a_figure_is_made_with_its_options(tmp_path, capsys):
    text = '''"""A circle."""
from tarsus.scripts.command.signature import Positive
def compute(radius: Positive = 1.0, *, n: int = 9):
    """Return it.

    Args:
        radius: Of the circle [m].
    """
    return {"radius": radius, "n": n}
def draw(data, figure):
    figure.subplots()
'''
    circle = ModuleType("tarsus.scripts.laboratory.figures.circle")
    exec(text, vars(circle))
    assert command.main(circle, ["--radius", "2", "--out", str(tmp_path / "out")]) == 0
    with np.load(tmp_path / "out" / "circle.npz") as made:
        assert made["radius"] == 2.0 and made["n"] == 9
    assert (tmp_path / "out" / "circle.png").exists()
    assert command.main(circle, ["--radius", "0"]) == 2 and "--radius must be positive" in capsys.readouterr().err
