"""How fast it is, beside others; a file each, whose `compute` measures everything in one run."""
