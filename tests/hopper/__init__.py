"""A machine of the reader's own in four files, the worked example of CONTRIBUTING.md: a vertical hopper."""
