"""Experiments. `scripts/run_hexapod.py` is the subcommand `tarsus run hexapod`; folders hold what the files share."""
