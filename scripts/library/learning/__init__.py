"""Policies: every one by name, the training runs, checkpoints, and those that come with the package (`trained/`)."""
