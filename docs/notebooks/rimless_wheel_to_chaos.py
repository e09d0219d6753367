# %% [markdown]
# # From the rimless wheel to chaos
#
# A wheel without its rim rolls down a slope from spoke to spoke. It is the simplest
# machine that walks, and everything about it can be written down. Two of its spokes
# and a hinge between them make the *simplest walker*, which walks down a shallow
# slope without motor or controller. On a steeper slope it limps, then limps in a
# pattern of four steps, of eight, and finally never walks the same step twice. This
# notebook goes all the way, in about ten minutes.
#
# The tool on the way is the *return map*. A stride takes the state just after one
# footfall to the state just after the next. A gait is a fixed point of that map, and
# the gait is stable if the map's derivative there shrinks disturbances: its
# eigenvalues, the *Floquet multipliers*, all lie inside the unit circle.

# %%
import matplotlib.pyplot as plt
import numpy as np

from tarsus import hybrid as hy
from tarsus.analytic.models import rimless_wheel, simplest_walker
from tarsus.hybrid import families, sections

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})

# %% [markdown]
# ## A wheel without a rim
#
# All mass sits at the hub, spokes of length $l$ are $2 \alpha$ apart, and the slope
# is $\gamma$. While a spoke stands on the ground the wheel is an inverted pendulum.
# When the next spoke strikes, the ground's impulse acts at the new foot, so the
# angular momentum about that foot is kept, and the rate drops by a fixed factor
# (McGeer, IJRR 9, 1990, section 2):
#
# $$\ddot\theta = \frac{g}{l} \sin\theta, \qquad
# \dot\theta^+ = \dot\theta^- \cos 2 \alpha .$$
#
# The engine integrates the first equation and finds the instant of each impact to
# round-off.

# %%
wheel = rimless_wheel.RimlessWheel()  # 8 spokes, 1 m long, on a slope of .08
engine = hy.compile(rimless_wheel.build(wheel))
p, alpha = hy.vector(wheel), np.pi / wheel.spokes
start = {"angle": wheel.slope - alpha, "rate": 1.9}
rolled = engine.run(start, final_time=6.2, record_period=0.01, rtol=1e-11)
print(rolled.message)
print("impacts at [s]", np.round(rolled.events.t, 3))


# %%
figure, ax = plt.subplots(figsize=(7.2, 3.0))
downhill = np.array([np.cos(wheel.slope), -np.sin(wheel.slope)])
feet = rolled.d[:, :1] * 2 * np.sin(alpha) * downhill
hubs = feet + np.stack([np.sin(rolled.x[:, 0]), np.cos(rolled.x[:, 0])], axis=1)
ax.plot(*hubs.T, color="0.6", linewidth=1)
for i in np.searchsorted(rolled.t, [0.15, 2.15, 5.5]):
    for k in range(int(wheel.spokes)):
        angle = rolled.x[i, 0] - 2 * k * alpha
        tip = hubs[i] - [np.sin(angle), np.cos(angle)]
        color, width = ("C0", 1.6) if k else ("C3", 3.0)
        ax.plot(*np.transpose([hubs[i], tip]), color, linewidth=width)
    ax.plot(*hubs[i], "ko", markersize=7)
ax.plot(*np.outer(downhill, [-1.2, 6.0]), "k", linewidth=1)
ax.set(
    aspect="equal", title="The rolling wheel: its hub's path, its standing spoke in red"
)
ax.axis("off")
figure.tight_layout()

# %% [markdown]
# ## Its return map, with pencil and paper
#
# From one impact to the next the hub falls by $2 l \sin\alpha \sin\gamma$. The energy
# therefore gives the squared rate before the next impact, and the impact multiplies
# it by $\cos^2 2 \alpha$. With $w = (\dot\theta^+)^2$ the return map is a straight
# line:
#
# $$w' = \cos^2 2 \alpha \left( w + \frac{4 g}{l} \sin\alpha \sin\gamma \right) .$$
#
# Its slope is its multiplier, $\cos^2 2 \alpha$: one half for eight spokes, on every
# slope. The line meets the diagonal at the one rate at which the wheel rolls
# steadily. The engine knows nothing of this; it integrates and finds events.


# %%
def lift(z):
    """Return state and memory just after an impact at the rate z."""
    return np.array([wheel.slope - alpha, z[0]]), np.zeros(1)


step = sections.return_map(
    engine,
    "step_down",
    lift,
    lambda x, d: x[1:2],
    chart="stance",
    rtol=1e-13,
    atol=1e-15,
)
found = sections.fixed_point(step, [1.2], tol=1e-12)
print(found.status)
drive = 4 * wheel.gravity / wheel.length * np.sin(alpha) * np.sin(wheel.slope)
ratio = np.cos(2 * alpha) ** 2
rate = np.sqrt(ratio * drive / (1 - ratio))
print(f"rate        {found.z[0]:.10f} rad/s, in closed form {rate:.10f}")
print(f"multiplier  {found.multipliers[0]:.8f},         in closed form {ratio:.8f}")
assert abs(found.z[0] - rate) < 1e-10 and abs(found.multipliers[0] - ratio) < 1e-9

# %%
w = np.linspace(1.0, 4.2, 9)
mapped = np.array([step([np.sqrt(one)])[0] ** 2 for one in w])
line = ratio * (w + drive)
assert np.abs(mapped - line).max() < 1e-9
figure, ax = plt.subplots(figsize=(4.8, 4.2))
ax.plot(w, w, color="0.7", linewidth=1, label="$w' = w$")
ax.plot(w, line, "C0", label="closed form")
ax.plot(w, mapped, "C0o", markersize=5, label="engine")
way = [start["rate"] ** 2]
for _ in range(5):
    way += [step([np.sqrt(way[-1])])[0] ** 2]
stairs = np.repeat(way, 2)
ax.plot(stairs[:-1], stairs[1:], "C3", linewidth=1.2, label="five steps")
ax.set(xlabel="$w$ [rad²/s²]", ylabel="$w'$ [rad²/s²]", title="Its return map")
ax.legend(frameon=False)
figure.tight_layout()

# %% [markdown]
# The red stairs are a wheel that is let go too fast: it comes down to the steady
# rate, halving its distance with every step.
#
# ## The simplest walker
#
# Keep the hub and two spokes, and join them with a free hinge: one leg stands, the
# other swings. With massless legs, infinitely light feet and a mass at the hip, in
# units of leg length, mass and gravity, the stance leg's angle $\theta$ and the angle
# $\varphi$ between the legs follow (Garcia, Chatterjee, Ruina & Coleman, J.
# Biomechanical Engineering 120, 1998)
#
# $$\ddot\theta = \sin(\theta - \gamma), \qquad
# \ddot\varphi = \ddot\theta
# + \left(\dot\theta^2 - \cos(\theta - \gamma)\right) \sin\varphi .$$
#
# The foot strikes where $\varphi = 2 \theta$, and the legs change roles:
#
# $$\theta^+ = -\theta, \quad \varphi^+ = -2 \theta, \quad
# \dot\theta^+ = \dot\theta \cos 2 \theta, \quad
# \dot\varphi^+ = \dot\theta \cos 2 \theta \, (1 - \cos 2 \theta) .$$
#
# After a heelstrike two numbers say everything, $\theta$ and $\dot\theta$. The slope
# $\gamma$ is the only parameter left.

# %%
walker = hy.compile(simplest_walker.build())
settings = {"chart": "swing", "rtol": 1e-12, "atol": 1e-14, "final_time": 20.0}
stride = families.section_map(
    walker,
    "heelstrike",
    lambda z, slope: simplest_walker.lift(z),
    simplest_walker.project,
    "slope",
    **settings,
)
published = {
    "long": ((0.20031090, -0.19983247), (-0.1900998 + 0.5575988j)),
    "short": ((0.19393737, -0.20386693), 4.000),
}
for name, (z, multiplier) in published.items():
    gait = sections.fixed_point(lambda z: stride(z, 0.009), z, tol=1e-13, step=2e-5)
    print(f"{name:5s} theta {gait.z[0]:.8f}, rate {gait.z[1]:.8f}")
    print("      multipliers", np.round(gait.multipliers, 5))
    assert np.abs(gait.z - z).max() < 5.1e-9
    assert abs(gait.multipliers[0] - multiplier) < (1e-7 if name == "long" else 4e-3)

# %% [markdown]
# On the slope .009 there are two gaits. The long one has multipliers inside the unit
# circle: it is stable. The short one has one of 4.00, so that a disturbance grows
# fourfold with every step. States and multipliers are the published ones: of Garcia
# and others, the states to more digits of Bhounsule (Dynamics of Continuous, Discrete
# and Impulsive Systems B 21, 2014).

# %%
x, d = simplest_walker.lift(np.array(simplest_walker.LONG))
walk = walker.run(
    x,
    d,
    {"slope": 0.009},
    chart="swing",
    final_time=15.5,
    record_period=0.02,
    rtol=1e-11,
)
figure, ax = plt.subplots(figsize=(7.2, 3.2))
for i in range(0, len(walk.t), 36):
    (theta, phi), steps = walk.x[i, :2], walk.d[i, 0]
    foot = np.array([steps * 2 * np.sin(simplest_walker.LONG[0]), 0.0])
    hip = foot + [-np.sin(theta), np.cos(theta)]
    swing = hip + [np.sin(theta - phi), -np.cos(theta - phi)]
    stance_color, swing_color = ("C0", "C3") if steps % 2 == 0 else ("C3", "C0")
    ax.plot(*np.transpose([hip, swing]), swing_color, linewidth=1.0, alpha=0.6)
    ax.plot(*np.transpose([foot, hip]), stance_color, linewidth=1.8)
    ax.plot(*hip, "ko", markersize=5)
ax.axhline(0.0, color="k", linewidth=1)
ax.set(aspect="equal", title="Four steps of the long gait, every 0.72 units of time")
ax.axis("off")
figure.tight_layout()

# %% [markdown]
# ## The long gait over the slope
#
# As the slope changes, a fixed point moves along a curve. `families.follow` walks
# along it, watches the multipliers, and locates where one of them crosses the unit
# circle. `cascade` does so again and again: at a crossing through -1 the gait gives
# its stability to one of twice the period, whose two steps differ.

# %%
settings = {"bounds": (0.001, 0.0185), "step": 2e-3}
cascade = families.cascade(stride, simplest_walker.LONG, 0.009, 3, **settings)
doublings = [family.bifurcations[0].p for family in cascade]
for family, slope in zip(cascade, doublings):
    print(f"period {family.period} doubles at the slope {slope:.10f}")
assert abs(doublings[0] - 0.0150884380) < 1e-8  # the published one
gaps = np.diff(doublings)
print("ratios of the gaps", np.round(gaps[:-1] / gaps[1:], 2), "(Feigenbaum: 4.669)")
assert abs(gaps[1] / gaps[2] - 4.669) < 0.05


# %%
def whole(z, bounds=(0.0005, 0.0185)):
    """Return the family through a gait at the slope .009, over all slopes."""
    back = families.follow(stride, z, 0.009, bounds=bounds, direction=-1)
    return families.follow(stride, back.z[-1], back.p[-1], bounds=bounds)


gait, short = whole(simplest_walker.LONG), whole(simplest_walker.SHORT)
assert np.array_equal(gait.stable, gait.p < doublings[0]) and not short.stable.any()
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
left.plot(1e3 * gait.p, gait.z[:, 0], "C0--", linewidth=1, label="long, unstable")
stable = np.where(gait.stable, gait.z[:, 0], np.nan)
left.plot(1e3 * gait.p, stable, "C0", linewidth=2.5, label="long, stable")
left.plot(1e3 * short.p, short.z[:, 0], "C1--", linewidth=1, label="short, unstable")
doubled = gait.at(doublings[0])[0][0, 0]
left.plot(1e3 * doublings[0], doubled, "ks", markersize=5, label="period doubling")
left.set(xlabel="slope [mrad]", ylabel="$\\theta^+$ [rad]", title="The two gaits")
left.legend(frameon=False)
turn = np.linspace(0.0, 2.0 * np.pi, 200)
right.plot(np.cos(turn), np.sin(turn), color="0.7")
pairs, slope = gait.multipliers, 1e3 * np.repeat(gait.p[:, None], 2, axis=1)
dots = right.scatter(pairs.real, pairs.imag, c=slope, s=14)
right.set(aspect="equal", xlim=(-1.7, 1.3), ylim=(-1.2, 1.2))
right.set(title="Multipliers of the long one", xlabel="real", ylabel="imaginary")
figure.colorbar(dots, ax=right, label="slope [mrad]", shrink=0.85)
figure.tight_layout()

# %% [markdown]
# The pair of multipliers moves over the plane, meets on the real axis, and one of the
# two leaves through -1. The four doublings come faster and faster; the ratios of
# their distances tend to Feigenbaum's number, as in any map with one hump. That the
# walker's legs obey the same number as the logistic map is what makes it a classic.
#
# ## Chaos
#
# The doublings accumulate near .0183. Beyond that, but for narrow windows, no gait is
# stable, whatever its period, yet the walker walks on. Two walkers that start a
# billionth apart:


# %%
def steps_from(z, slope, count):
    """Return (theta, rate) behind the next heelstrikes, fewer if it falls."""
    x, d = simplest_walker.lift(z)
    stop = {"stop_at": "heelstrike", "stop_count": count, "final_time": 6.0 * count}
    settings = {"record_period": None, "rtol": 1e-10, "atol": 1e-12} | stop
    run = walker.run(x, d, {"slope": slope}, chart="swing", **settings)
    return run.events.x_plus[run.events.of("heelstrike")][:, [0, 2]]


z = np.array([0.2612, -0.2509])
one, other = steps_from(z, 0.0188, 70), steps_from(z + [1e-9, 0.0], 0.0188, 70)
distance = np.abs(one - other)[:, 0]
rate = np.polyfit(np.arange(30), np.log(distance[:30]), 1)[0]
print(f"their distance grows by a factor of about {np.exp(rate):.1f} with every step")
assert 1.2 < np.exp(rate) < 1.8
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
left.semilogy(distance, "C3")
left.set(xlabel="step", ylabel="distance [rad]", title="Two walkers, slope .0188")
right.plot(one[:, 0], "C0.-", linewidth=0.6, label="one")
right.plot(other[:, 0], "C1.-", linewidth=0.6, label="the other")
right.set(xlabel="step", ylabel="$\\theta^+$ [rad]", title="Their steps")
right.set_ylim(0.232, None)
right.legend(frameon=False, loc="lower left", ncols=2)
figure.tight_layout()

# %% [markdown]
# Behind the fortieth step the two have nothing to do with each other, and neither
# falls.
#
# ## All slopes at once
#
# Continuation cannot follow chaos; walking can. For each slope: 600 steps to settle,
# 300 to draw, and the next slope begins where the last one ended.

# %%
z, slopes, angles = gait.at(0.0145)[0][0], [], []
coarse, fine = np.linspace(0.0145, 0.0175, 60), np.linspace(0.0175, 0.0192, 440)
for slope in np.concatenate([coarse, fine]):
    walked = steps_from(z, slope, 900)
    if len(walked) < 900:
        break
    z = walked[-1]
    slopes.append(slope)
    angles.append(walked[600:, 0])
print("behind the slope .0190 it falls")
assert 0.0190 < slopes[-1] < 0.0192

# %%
figure, ax = plt.subplots(figsize=(7.2, 4.6))
dots = 1e3 * np.repeat(slopes, 300), np.concatenate(angles)
ax.plot(*dots, ",", color="0.35", alpha=0.35)
for family, end, color in zip(cascade, doublings, ("C3", "C1", "C2", "C0")):
    begin = max(0.0145, family.p[0])
    over = begin + (end - begin) * np.linspace(0.0, 1.0, 25) ** 2
    lines = [family.cycle(family.at(p)[0][0], p)[:, 0] for p in over]
    ax.plot(1e3 * over, np.sort(lines, axis=1), color, linewidth=1.8)
    ax.plot([], [], color, label=f"period {family.period}")
ax.set(xlabel="slope [mrad]", ylabel="$\\theta^+$, just behind a heelstrike [rad]")
ax.set_title("Where the walker's steps end up")
ax.legend(frameon=False, loc="upper left")
figure.tight_layout()

# %% [markdown]
# Coloured lines are the families that continuation found; grey dots are walks. They
# know nothing of each other, and agree where both exist. Behind the last doubling the
# bands of chaos merge one by one, and a little above .019 the walker falls, as Garcia
# and others found.
#
# ## Further
#
# - `tarsus figure simplest_walker_families` draws long and short gait with all their
#   multipliers.
# - The compass gait has legs with mass, and doubles as well:
#   `tarsus.analytic.models.compass_gait`.
# - [Families of gaits, and walkers](../families.md) has the statuses, the limits, and
#   the published numbers beside ours.
