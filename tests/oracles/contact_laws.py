"""Signorini's and Coulomb's laws, one by one, for given forces; and all solutions of problems whose slips are known.

Imports nothing of ours. Blocks are tuples: ("cone", mu), ("sliding", mu, u1, u2), ("unilateral",), ("bounded", bound).
"""

import itertools

import numpy as np


def rows_of(blocks):
    """Return the rows of each block."""
    first, out = 0, []
    for kind, *_ in blocks:
        n = 3 if kind in ("cone", "sliding") else 1
        out.append(slice(first, first + n))
        first += n
    return out


def violation(matrix, free, force, blocks):
    """Return by how much the laws are broken at most, relative to the sizes of forces and of `free`."""
    w = matrix @ force + free
    f_size, w_size = max(np.abs(force).max(), 1e-12), max(np.abs(free).max(), 1e-300)
    worst = [0.0]
    for rows, (kind, *numbers) in zip(rows_of(blocks), blocks, strict=True):
        f, v = force[rows] / f_size, w[rows] / w_size
        if kind == "bounded":
            bound = numbers[0] / f_size
            worst += [abs(f[0]) - bound, min(abs(v[0]), bound - abs(f[0])), f[0] * np.sign(v[0]) * (abs(v[0]) > 1e-9)]
            continue
        worst += [-f[0], -v[0], min(f[0], v[0])]
        if kind == "sliding":
            worst.append(np.abs(f[1:] + numbers[0] * f[0] * np.array(numbers[1:])).max())
        elif kind == "cone":
            size, slip = np.linalg.norm(f[1:]), np.linalg.norm(v[1:])
            worst += [size - numbers[0] * f[0], min(slip, numbers[0] * f[0] - size)]
            if slip > 1e-7 and f[0] > 1e-7:  # friction opposes the slip
                worst.append(np.abs(f[1:] / size + v[1:] / slip).max() if size > 0.0 and numbers[0] > 0.0 else 0.0)
    return max(worst)


def solutions(matrix, free, blocks):
    """Return the w of all solutions of a problem without cones whose sets of modes are regular, one row each."""
    rows, found = rows_of(blocks), []
    columns = [
        matrix[:, r] @ [1.0, *(-block[1] * np.array(block[2:]))] if block[0] == "sliding" else matrix[:, r.start]
        for r, block in zip(rows, blocks, strict=True)
    ]
    first = [r.start for r in rows]
    for modes in itertools.product(
        *[("at rest", 1.0, -1.0) if b[0] == "bounded" else ("open", "shut") for b in blocks]
    ):
        w, shut = free.astype(float), [c for c, mode in enumerate(modes) if mode in ("at rest", "shut")]
        loads = np.zeros(len(blocks))
        for c, mode in enumerate(modes):
            if isinstance(mode, float):
                loads[c] = mode * blocks[c][1]
                w = w + columns[c] * loads[c]
        if shut:
            system = np.array([[columns[e][first[c]] for e in shut] for c in shut])
            if abs(np.linalg.det(system)) < 1e-9:
                continue
            loads[shut] = np.linalg.solve(system, -w[[first[c] for c in shut]])
            w = w + sum(columns[c] * loads[c] for c in shut)
        fine = True
        for c, block in enumerate(blocks):
            v, f = w[first[c]], loads[c]
            if block[0] == "bounded":
                fine &= abs(f) <= block[1] + 1e-9 and (modes[c] == "at rest" or v * modes[c] <= 1e-9)
            else:
                fine &= f >= -1e-9 and v >= -1e-9
        if fine and not any(np.allclose(w, other, atol=1e-7) for other in found):
            found.append(w)
    return np.array(found)
