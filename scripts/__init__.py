"""The command line of `tarsus`, the library below it, the laboratory of the documentation, and the contact suite."""

from tarsus.scripts import old_paths

old_paths.install()
