"""Every figure's data is golden: a published number does not move unseen. `--update-golden` rewrites them.

A figure that takes minutes names in GOLDEN the arguments of a smaller `compute`, one that measures speed the keys in
MEASURED, which no golden file holds.
"""

import importlib

import pytest

from tarsus.scripts import write_gallery


@pytest.mark.parametrize("name", write_gallery.names())
def test_figure_numbers(name, golden):
    figure = importlib.import_module(f"tarsus.scripts.figures.{name}")
    data = figure.compute(**getattr(figure, "GOLDEN", {}))
    data = {key: values for key, values in data.items() if key not in getattr(figure, "MEASURED", ())}
    golden(f"figure_{name}", data, rtol=getattr(figure, "RTOL", 1e-6), atol=getattr(figure, "ATOL", 1e-12))
