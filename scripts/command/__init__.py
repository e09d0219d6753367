"""The command line: how its words are found, read and refused, and where results are written."""
