"""Running a machine, in MuJoCo or exactly, into a labelled record: its options, the record, the numbers of a run."""
