"""The searches for a gait or a design: by a grid, by evolution, by the gradient of the exact engine."""
