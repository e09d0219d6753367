"""Figures: each file has `compute` and `draw`, and `tarsus figure` makes it by its name."""
