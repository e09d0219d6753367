"""The hopping leg's commanded stance force: the instructions' Bezier polynomial, and the one used here.

After the instructions' plot of polyval_bz([0 0 60 0 0], s), section 2.2.2.
"""

from __future__ import annotations

import numpy as np

from tarsus.controllers.raibert_laws import RaibertGains, bezier

PRINTED = np.array([0.0, 0.0, 60.0, 0.0, 0.0])  # [N]


def compute() -> dict[str, np.ndarray]:
    """Return both force profiles [N] over the share s of the nominal stance."""
    s, gains = np.linspace(0.0, 1.0, 101), RaibertGains()
    ours = gains.force * gains.bezier
    return {
        "s": s,
        "printed": np.array([bezier(PRINTED, value) for value in s]),
        "ours": np.array([bezier(ours, value) for value in s]),
    }


def draw(data, figure):
    """Draw both profiles."""
    figure.set_size_inches(7, 4)
    axis = figure.subplots()
    axis.plot(data["s"], data["printed"], label=f"[0, 0, 60, 0, 0] N: peak {data['printed'].max():.1f} N")
    gains = RaibertGains()
    mean = f"{gains.force:g} [{', '.join(f'{c:g}' for c in gains.bezier)}] N"
    axis.plot(data["s"], data["ours"], label=f"first force used here, {mean}: peak {data['ours'].max():.1f} N")
    axis.set(
        xlabel="share s of the nominal stance", ylabel="vertical force of the ground [N]", xlim=(0, 1), ylim=(0, None)
    )
    figure.legend(loc="outside upper center")
