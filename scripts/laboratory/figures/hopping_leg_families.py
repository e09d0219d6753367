"""The boom leg's hopping over commanded speed: the gait, its multipliers, and where and why the family ends.

Runtime: about 2 min of processor time, once the model is compiled.

The map is that of the figure hopping_leg_return_map, from touchdown to touchdown. Backward, the lean of the ground
reaction force reaches its limit, and the leg hops slower than commanded. Forward, the swing law would drive the foot
into the ground at liftoff.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import families, sections
from tarsus.analytic.models import hopping_leg_hybrid as model
from tarsus.controllers.raibert import raibert
from tarsus.controllers.raibert_laws import D, RaibertGains
from tarsus.scripts.laboratory.figures.hopping_leg_return_map import lift, project, settled

START = 0.5  # commanded [m/s]
SCALE = (0.5, 0.5, 1.0, 1.0, 20.0, 0.2, 1.0)  # of the six coordinates and the speed
GOLDEN = dict(backward=0.3, forward=0.7, n=3)
# As in hopping_leg_return_map: the smallest multipliers come in pairs, which move by the root of what rounding moves.
RTOL, ATOL = 1e-4, 1e-3


def compute(*, backward: float = -2.4, forward: float = 2.4, n: int = 49) -> dict[str, np.ndarray]:
    """Return commanded and reached speed [m/s], lean and the multipliers' moduli, and where the family ends.

    Args:
        backward: Least commanded speed [m/s].
        forward: Greatest.
        n: Number of speeds between them; beyond the end of the family there are none.
    """
    sim = hy.compile(model.build(raibert()))
    settings = {"chart": "stance", "rtol": 1e-11, "final_time": 2.0}
    hop = families.section_map(sim, "touchdown", lambda z, speed: lift(z), project, "speed", **settings)
    z0 = settled(sim, RaibertGains(speed=START))
    pace = {"scale": SCALE, "bounds": (backward, forward), "tol": 1e-9, "step": 0.1, "max_step": 0.25, "min_step": 1e-4}
    back = families.follow(hop, z0, START, direction=-1, **pace)
    ahead = families.follow(hop, z0, START, **pace)
    speeds = np.linspace(backward, forward, n)[1:-1]
    rows = [_at(sim, back if speed < START else ahead, speed, settings) for speed in speeds]
    ends = {"first": back.p[-1], "last": ahead.p[-1], "largest_at_last": np.abs(ahead.multipliers[-1, 0])}
    return {"speed": speeds, "rows": np.array(rows)} | {name: np.asarray(value) for name, value in ends.items()}


def _at(sim: hy.Simulator, family: families.Family, speed: float, settings: dict) -> np.ndarray:
    """Return the speed reached at the apex, the lean, and the moduli of the six multipliers; NaN beyond the end."""
    z, values = family.at(speed)
    if not len(z):
        return np.full(8, np.nan)
    r = sections.return_to(sim, "touchdown", *lift(z[0]), {"speed": speed}, **settings)
    return np.array([r.d_end[D.apex_speed], r.d_end[D.lean_now], *np.abs(values[0])])


def draw(data, figure):
    figure.set_size_inches(10, 4)
    axes = figure.subplots(1, 2)
    speed, (reached, lean, *moduli) = data["speed"], data["rows"].T
    axes[0].plot(speed, speed, color="0.7", linewidth=0.8, label="commanded")
    axes[0].plot(speed, reached, linewidth=2, label="reached at the apex [m/s]")
    axes[0].plot(speed, lean, label="lean of the ground force")
    axes[0].legend()
    axes[1].plot(speed, np.array(moduli).T, "C0")
    axes[1].axhline(1.0, color="0.7", linewidth=0.8)
    axes[1].set(ylim=(0.0, 1.1), ylabel="moduli of the multipliers")
    for ax in axes:
        ax.axvline(float(data["last"]), color="k", linestyle=":", linewidth=1)
        ax.set(xlabel="commanded speed [m/s]")
