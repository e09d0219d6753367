"""One run in both engines: the machines that can be compared, and how."""
