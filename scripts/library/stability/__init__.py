"""How stable a gait or a policy is: its cycle, multipliers, decay of small pushes, and a verdict."""
