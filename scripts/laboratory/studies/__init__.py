"""Studies of the hexapod in both engines: sweeps, orbits, and what limits each engine."""
