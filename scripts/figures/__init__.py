"""Figures. Each file is a subcommand: `scripts/figures/convergence.py` is `tarsus figure convergence`."""
