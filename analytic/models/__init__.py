"""One machine per file: its parameters, and the equations of motion the hybrid engine integrates.

Functions that are compiled take time t [s], state x (n,), memory d (n_memory,) and parameters p (n_params,), float64 in
the layout that their module or `P` tells; what they write comes last, as rates dx (n,), or is changed in place.
"""
