"""Engines of the contact suite: a file for each, which needs numpy and the engine."""
