"""Every figure's data is golden: a published number does not move unseen. `--update-golden` rewrites them."""

import importlib
from pathlib import Path

import pytest

FIGURES = sorted(path.stem for path in (Path(__file__).parents[2] / "scripts").glob("figure_*.py"))


@pytest.mark.parametrize("name", FIGURES)
def test_figure_numbers(name, golden):
    figure = importlib.import_module(f"tarsus.scripts.{name}")
    golden(name, figure.compute(), rtol=getattr(figure, "RTOL", 1e-6), atol=getattr(figure, "ATOL", 1e-12))
