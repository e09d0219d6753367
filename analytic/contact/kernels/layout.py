"""The layout of the kernels' arrays: columns of feet and answers, rows of scratch; codes; tolerances with reasons.

Of m frames of n feet, `feet`, shape (m or 1, n, FOOT_COLUMNS), holds stiffness, mu, the two components of the
anisotropy w, and ground height; answers are `out`, (m, OUT_COLUMNS), and `force`, (m, n, 3), on each foot in the body
frame; `s`, (SCRATCH_ROWS, n), is scratch.
"""

STIFFNESS, MU, WX, WY, GROUND = range(5)
FOOT_COLUMNS = 5

HEIGHT, PITCH, ROLL, UX, UY, OMEGA, REFERENCE_SPEED, RESIDUAL, DISSIPATION, GAP, ROUNDS = range(11)
OUT_COLUMNS = 11

SUPPORT_ONLY, VISCOUS, COULOMB = range(3)  # friction laws

SOLVED, NO_EQUILIBRIUM, NO_TRACTION, GAP_MISSED, STALLED, TO_ROUNDING = range(6)  # statuses, low bits of a code
STATUS_MASK, TILT_FREE, TWIST_FREE = 7, 8, 16

NEWTON, TILT, BALANCED, FALL = range(4)  # kinds of steps of the support search

# Rows of the scratch `s`, one foot per column: first of the support (P and Q are heights before and after a step),
# then of the friction, where the feet with traction are packed to the left.
SCRATCH_ROWS = 23
X, Y, Z, K, P, Q, LOAD, MASS, PX, PY, GX, GY, A11, A12, A22, BX, BY, YX, YY, RX, RY, OX, OY = range(SCRATCH_ROWS)

BALANCE_TOL = 1e-13  # of the weight, and of weight times size: a few hundred roundings
LEVER_TOL = 1e-12  # of the loads times their distances: with one foot far away the size says little of the others
UNBALANCED = 2e-12  # of the weight, and of weight times size: beyond it, twice what EDGE_TOL leaves, nothing is solved
EDGE_TOL = 1e-12  # of the size: a centre of mass so close to the edge of the hull counts as on it
SNAP_TOL = 3e-13  # of the size: a stance so narrow is a line or a point (two of it are within EDGE_TOL)
RANK_TOL = 1e-30  # of stiffness times size squared: loaded feet within 1e-15 of a line or point are on it
FREE_TOL = 1e-24  # the same for "the tilt is free", if freeing it moves no load by more than 1e-12 of the weight
STICK_TOL = 1e-13  # of the dissipation of a body held still: slips so small are rounding, their forces would be noise
FULL_STEPS, DETOUR = 8, 100  # of the support search: unchecked steps, and how much longer they may be than their sum
REFINE = 12  # more steps for the moments of feet beside one far away: four are enough but for one frame in a thousand
MAX_SUPPORT, MAX_COULOMB = 100, 80  # far above what was ever seen (13 and 30)
START_DELTA = 0.3  # of the mean slip, weighted by its dissipation: of little effect from 0.03 to 1
LOOSE_TOL = 1e-7  # a twist this much looser than the viscous problem's is free
GAP_FLOOR = 1e-14  # of the dissipation of a body held still: a gap so small is rounding, whatever was asked for

# Numbers may differ by a hundred decades, since the squares of stiffness times length squared must not overflow.
LARGEST, SMALLEST = 1e50, 1e-50  # sizes of what is given; of stiffness, friction and weight, unless they are zero
NOTHING = 1e-120  # lengths [m], slips [m/s] and tractions [N] below it are zero: their squares would underflow

ANSWER_ROWS = 4  # of an answer of `single` before the forces: the columns of `out` and the code, three in a row
