"""A run as somebody asks for it, on a command line or in Python: of a machine in one engine or both, or of a file."""
