"""The search for the feet in contact, over height and pitch: the paper's path, and the path by energy.

After figure 3 of Wu, Zhao and Revzen (arXiv:2310.20669), with its rule for the next contact corrected
(docs/reproduction.md).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.contact import kernels, support
from tarsus.analytic.contact.kernels.stance import move, shape_of, start
from tarsus.analytic.contact.kernels.support_search import descends, line_search, next_step

FEET_X = np.array([-0.75, -0.38, -0.05, 0.46])  # [m]; a robot on which the search changes contacts often
FEET_Z = np.array([-0.057, -0.053, -0.077, -0.038])  # [m]
FEET = np.column_stack([FEET_X, 0 * FEET_X, FEET_Z])
STIFFNESS, WEIGHT = 30.0, 1.0  # [N/m], [N]


def heights(state, pos):
    """Return the heights of the feet (..., n) of a body at (height, pitch, roll) (..., 3); feet at `pos` (n, 3) [m]."""
    return state[..., :1] - state[..., 1:2] * pos[:, 0] + state[..., 2:] * pos[:, 1] + pos[:, 2]


def paper_path(pos: np.ndarray, stiffness: float, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the states the paper's search visits (m + 1, 3), and the feet in contact from each to the next (m, n).

    A state is (height, pitch, roll). The search goes towards the balance of the feet now in contact, up to the next
    change.
    """
    z, on = pos[:, 2], np.zeros(len(pos), bool)
    order = np.argsort(z)
    for n in range(1, len(order) + 1):  # level start
        height = -(weight / stiffness + z[order[:n]].sum()) / n
        if n == len(order) or z[order[n]] + height >= 0:
            path, on[order[:n]] = [np.array([height, 0.0, 0.0])], True
            break
    contacts = [on]
    for _ in range(50):
        phi = np.column_stack([np.ones(on.sum()), -pos[on, 0], pos[on, 1]])
        balance = -phi.T @ z[on] - [weight / stiffness, 0.0, 0.0]
        target = np.linalg.lstsq(phi.T @ phi, balance, rcond=1e-9)[0]  # feet on a line: no roll
        p, rate = heights(path[-1], pos), heights(target, pos) - heights(path[-1], pos)
        # The next foot to change lies ahead: in contact and rising, or in the air and falling.
        ahead = (on & (rate > 0)) | (~on & (rate < 0))
        t = np.where(ahead, -p / np.where(rate == 0, 1.0, rate), np.inf)
        change = int(np.argmin(t))
        if t[change] >= 1:
            return np.array([*path, target]), np.array(contacts)
        path.append(path[-1] + t[change] * (target - path[-1]))
        on = on ^ (np.arange(len(pos)) == change)
        contacts.append(on)
    raise AssertionError("the paper's search did not end on the figure's robot")


def energy_path() -> np.ndarray:
    """Return the states the Newton method on the energy visits, from the plane of all feet."""
    s = np.zeros((kernels.SCRATCH_ROWS, len(FEET_X)))
    s[kernels.X], s[kernels.Z], s[kernels.K] = FEET_X, FEET_Z, STIFFNESS
    p, q = kernels.P, kernels.Q
    sums, size2, _ = start(s, p)
    shape, state, path = shape_of(s, size2), np.zeros(2), []
    for k in range(50):
        kind, step = next_step(s, WEIGHT, p, sums, k == 0, size2, shape)
        if kind == kernels.BALANCED:
            break
        new = move(s, p, q, step)
        if k and not descends(WEIGHT, sums, new, step):
            t = line_search(s, WEIGHT, p, step, size2)
            step = (t * step[0], t * step[1], t * step[2], *step[3:])
            new = move(s, p, q, step)
        slope = step[1] * step[5] - step[2] * step[6]
        state = state + [step[0] - slope * step[3], -slope]
        path.append(state)
        p, q, sums = q, p, new
    return np.array(path)


def compute() -> dict[str, np.ndarray]:
    """Return both paths (height, pitch), the solution, the energy on a grid, and the feet."""
    found = support(FEET, STIFFNESS, WEIGHT)
    height, pitch = np.linspace(0.042, 0.054, 120), np.linspace(-0.005, 0.032, 120)
    grid = np.stack(np.meshgrid(height, pitch, 0.0, indexing="ij"), axis=-1)[:, :, 0]
    energy = 0.5 * STIFFNESS * np.sum(np.minimum(heights(grid, FEET), 0) ** 2, axis=-1) + WEIGHT * grid[..., 0]
    return {
        "height": height,
        "pitch": pitch,
        "energy": energy,
        "paper": paper_path(FEET, STIFFNESS, WEIGHT)[0][:, :2],
        "energy_path": energy_path(),
        "solution": np.array([found.height, found.pitch]),
        "load": found.load,
    }


def draw(data, figure):
    """Draw the contact lines and the energy with both paths, and the robot at rest."""
    figure.set_size_inches(11, 4.4)
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1))
    low = data["energy"].min()
    left.contour(
        data["pitch"], data["height"], data["energy"], levels=low + np.geomspace(1e-6, 1e-2, 12), colors="0.85"
    )
    for k, (x, z) in enumerate(zip(FEET_X, FEET_Z, strict=True)):
        touches = data["pitch"] * x - z
        shown = touches.min() < data["height"].max()
        label = f"foot {k} touches" if shown else f"foot {k} touches (above)"
        left.plot(data["pitch"], touches, color=f"C{k}", lw=1, label=label)
    left.plot(data["paper"][:, 1], data["paper"][:, 0], "ks--", ms=5, label="paper's search, corrected")
    left.plot(data["energy_path"][:, 1], data["energy_path"][:, 0], "ro-", ms=5, label="Newton on the energy")
    left.plot(data["solution"][1], data["solution"][0], "r*", ms=16)
    left.set(xlabel="pitch [rad]", ylabel="height [m]", ylim=(0.042, 0.054), xlim=(-0.005, 0.032))
    left.legend(frameon=False, fontsize=8)
    height, pitch = data["solution"]
    right.axhline(0, color="0.7")
    right.plot(FEET_X, height - pitch * FEET_X, "k-", lw=3)
    for k, (x, z) in enumerate(zip(FEET_X, FEET_Z, strict=True)):
        body = height - pitch * x
        right.plot([x, x], [body, body + z], color=f"C{k}", marker=".", label=f"foot {k}: {data['load'][k]:.2f} N")
    right.set(title="at rest (heights stretched)", xlabel="x [m]", ylabel="z [m]")
    right.legend(frameon=False, fontsize=8)
