# %% [markdown]
# # Answers: the rimless wheel
#
# Answers to the exercises 1 to 3 of [the exercises](../notebooks.md), checked
# against the engine.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

from tarsus import hybrid as hy
from tarsus.analytic.models.rimless_wheel import RimlessWheel, build
from tarsus.hybrid import sections

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
G = 9.81  # all wheels here have spokes of 1 m

# %% [markdown]
# ## 1. The return map
#
# Just after an impact the spoke stands at $\gamma - \alpha$, just before the next at
# $\gamma + \alpha$. The hub's height above the foot is $l \cos\theta$, so in between
# it falls by
#
# $$l \left( \cos(\gamma - \alpha) - \cos(\gamma + \alpha) \right)
# = 2 l \sin\alpha \sin\gamma .$$
#
# Energy gives $(\dot\theta^-)^2 = w + (4 g / l) \sin\alpha \sin\gamma$. At the impact
# the angular momentum about the new foot is kept. Before, the hub moves across the
# old spoke, at $2 \alpha$ from across the new one, hence $\dot\theta^+ = \dot\theta^-
# \cos(2 \alpha)$ and
#
# $$w' = \cos^2(2 \alpha) \left( w + \frac{4 g}{l} \sin\alpha \sin\gamma \right), \qquad
# w^* = \frac{4 g}{l} \sin\alpha \sin\gamma \, \cot^2(2 \alpha) .$$


# %%
def rolling(spokes, slope):
    """Return the squared rate just after impacts of steady rolling [rad²/s²]."""
    alpha = np.pi / spokes
    return 4 * G * np.sin(alpha) * np.sin(slope) / np.tan(2 * alpha) ** 2


def stride_map(spokes, slope):
    """Return the engine's map of the rate just after an impact."""
    engine = hy.compile(build(RimlessWheel(spokes=spokes, slope=slope)), mode="python")
    begin = slope - np.pi / spokes
    lift, project = lambda z: ([begin, z[0]], [0.0]), lambda x, d: x[1:2]
    settings = {"chart": "stance", "rtol": 1e-12, "atol": 1e-14, "final_time": 20.0}
    return sections.return_map(engine, "step_down", lift, project, **settings)


for spokes, slope in ((6, 0.25), (8, 0.08), (12, 0.05)):
    rate = np.sqrt(rolling(spokes, slope))
    found = sections.fixed_point(stride_map(spokes, slope), [1.05 * rate])
    ratio = found.multipliers[0].real
    print(f"{spokes:2d} spokes: rate {rate:.6f}, engine {found.z[0]:.6f} rad/s")
    print(f"           multiplier {np.cos(2 * np.pi / spokes) ** 2:.6f}, {ratio:.6f}")
    assert abs(found.z[0] - rate) < 1e-9
    assert abs(ratio - np.cos(2 * np.pi / spokes) ** 2) < 1e-8

# %% [markdown]
# ## 2. The shallowest slope
#
# After an impact on a slope $\gamma < \alpha$ the spoke leans uphill and must pass
# the vertical. The energy for that is $w > w_t = (2 g / l) (1 - \cos(\gamma -
# \alpha))$. Steady rolling ends where $w^* = w_t$:
#
# $$2 \sin\alpha \sin\gamma \, \cot^2(2 \alpha) = 1 - \cos(\gamma - \alpha) .$$


# %%
def top(spokes, slope):
    """Return the squared rate that a wheel needs to pass the top [rad²/s²]."""
    return 2 * G * (1 - np.cos(slope - np.pi / spokes))


def shallowest(spokes):
    """Return the slope below which the wheel does not roll [rad]."""
    return brentq(lambda g: rolling(spokes, g) - top(spokes, g), 0.0, np.pi / spokes)


limit = shallowest(8)
print(f"8 spokes roll on slopes above {limit:.5f} rad, {np.degrees(limit):.2f} degrees")
for slope, rolls in ((limit - 1e-4, False), (limit + 1e-4, True)):
    z = np.array([1.5])
    for _ in range(60):
        z = stride_map(8, slope)(z) if np.isfinite(z).all() else z
    print(f"engine at {slope:.5f}: {'rolls' if np.isfinite(z).all() else 'stops'}")
    assert np.isfinite(z).all() == rolls

# %%
counts = np.arange(5, 31)
figure, ax = plt.subplots(figsize=(7.2, 3.0))
ax.semilogy(counts, np.degrees([shallowest(n) for n in counts]), "C0o-", markersize=4)
ax.set(xlabel="spokes", ylabel="slope [deg]", title="The shallowest slope")
figure.tight_layout()

# %% [markdown]
# More spokes lose less: with thirty the wheel rolls on nearly level ground.
#
# ## 3. Stop or roll
#
# The map is a rising line whose fixed point lies above $w_t$. A wheel that passes the
# top once has $w > w_t$; its next $w'$ lies between $w$ and $w^*$, above $w_t$ again.
# So it passes always: the border between stopping and rolling is the rate
# $\sqrt{w_t}$, whatever comes later.

# %%
engine = hy.compile(build(RimlessWheel()), mode="python")


def rolls(rate):
    """Return whether a wheel that starts just after an impact rolls for 12 s."""
    start = {"angle": 0.08 - np.pi / 8, "rate": rate}
    return engine.run(start, final_time=12.0, rtol=1e-10).chart_end == 0


low, high = 0.5, 1.5
while high - low > 1e-6:
    middle = 0.5 * (low + high)
    low, high = (low, middle) if rolls(middle) else (middle, high)
print(
    f"border by bisection {high:.5f}, by the formula {np.sqrt(top(8, 0.08)):.5f} rad/s"
)
assert abs(high - np.sqrt(top(8, 0.08))) < 1e-5
