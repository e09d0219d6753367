"""Does a policy depend on the simulator it was trained in? What `tarsus certify` and its page share."""
