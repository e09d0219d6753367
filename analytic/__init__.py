"""Exact dynamics: parameters and equations of the machines, the hybrid engine, the contact solver, terrain."""
