"""Experiments. Each file is a subcommand: `scripts/run_hexapod.py` is `tarsus run hexapod`."""
