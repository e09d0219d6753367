"""Feet on a line: Coulomb friction takes the median foot speed, viscous-Coulomb friction the mean.

After figure 1 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.contact import slide

# The speeds compared are those of a minimum located within its gap of 1e-9: a flat minimum to its square root, 3e-5.
RTOL = 1e-4


def compute() -> dict[str, np.ndarray]:
    """Return foot speeds of odd and even robots, the forces over the body's speed, and the solved speeds [m/s]."""
    data = {"speed": np.linspace(-1.6, 1.6, 401)}
    for name, feet in (("odd", [-1.0, -0.3, 0.2, 0.4, 1.2]), ("even", [-1.0, -0.3, 0.4, 1.2])):
        x = np.array(feet)
        # Each foot twice, left and right of the body, so that nothing turns it.
        pos = np.array([[0.0, side] for side in (-1, 1) for _ in x])
        vel = np.column_stack([np.tile(x, 2), np.zeros(2 * len(x))])
        slip = data["speed"][:, None] + x
        data[f"{name}_feet"] = x
        data[f"{name}_coulomb_force"] = -np.sign(slip).mean(axis=-1)
        data[f"{name}_viscous_force"] = -slip.mean(axis=-1)
        coulomb = slide(pos, vel, 1.0, 1.0, law="coulomb")
        data[f"{name}_coulomb_speed"] = coulomb.twist[0]
        data[f"{name}_coulomb_unique"] = np.asarray(float(coulomb.twist_unique))
        data[f"{name}_viscous_speed"] = slide(pos, vel, 1.0, 1.0).twist[0]
    return data


def draw(data, figure):
    """Draw the total force over the body's speed, with both solutions."""
    figure.set_size_inches(9, 3.6)
    axes = figure.subplots(1, 2, sharey=True)
    for axis, name in zip(axes, ("odd", "even"), strict=True):
        axis.axhline(0, color="0.8", lw=1)
        for law, colour in (("coulomb", "C0"), ("viscous", "C1")):
            axis.plot(
                data["speed"], data[f"{name}_{law}_force"], color=colour, label=f"{law.capitalize()}: total force"
            )
            axis.plot(data[f"{name}_{law}_speed"], 0, "*", ms=13, color=colour, label=f"{law.capitalize()}: solution")
        axis.plot(-data[f"{name}_feet"], 0 * data[f"{name}_feet"], "k|", ms=12, label="a foot at rest")
        unique = "has one speed" if data[f"{name}_coulomb_unique"] else "has a range"
        axis.set(title=f"{len(data[f'{name}_feet'])} feet: Coulomb {unique}", xlabel="body speed [m/s]")
    axes[0].set_ylabel("total force / (mu weight)")
    axes[0].legend(frameon=False, fontsize=8)
