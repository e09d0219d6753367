"""The command line of `tarsus`, the library below it, the laboratory of the documentation, and the contact suite."""
