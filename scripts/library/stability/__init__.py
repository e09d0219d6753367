"""How stable a gait or a policy is: its cycle, multipliers, decay of small pushes, and the verdict of `tarsus stability`."""
