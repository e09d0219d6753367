"""Experiments. `scripts/search_gait.py` is the subcommand `tarsus search gait`; folders hold what the files share."""
