# %% [markdown]
# # SLIP, from an orbit to its family
#
# Runners of all sizes, on two legs or on ten, move their mass centre as if it bounced
# on a spring. The *spring-loaded inverted pendulum* (SLIP) is that picture and
# nothing else: a point mass, a massless spring, and a rule for where to put the foot
# (Blickhan, J. Biomechanics 22, 1989). It has no friction, no motor and no
# controller. This notebook asks whether it runs, whether it keeps running when
# disturbed, from where it can be started, and for which legs.

# %%
import matplotlib.pyplot as plt
import numpy as np

from tarsus import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.hybrid import families, sections
from tarsus.hybrid.bifurcations import BifurcationKind
from tarsus.hybrid.derived_map import DerivedMap

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})

# %% [markdown]
# ## A run
#
# In flight the mass follows a parabola. The leg, of rest length $l_0$, is held at the
# angle $\alpha$ from the vertical until its foot touches the ground, at the height
# $l_0 \cos\alpha$. From then on the foot stays where it is, and the spring pushes
# along the leg, from foot $r_f$ to body $r$, until it has its rest length again:
#
# $$m \ddot r = k \, (l_0 - l) \, \frac{r - r_f}{l} - m g \, e_y,
# \qquad l = |r - r_f| .$$
#
# The numbers are those of a human at 5 m/s: 80 kg, a leg of 1 m, 20 kN/m (Seyfarth,
# Geyer, Günther & Blickhan, A movement criterion for running, J. Biomechanics 35,
# 2002).

# %%
runner = slip.Slip(
    body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81
)
engine = hy.compile(slip.build("fixed", runner))  # the touchdown angle stays as it is
ANGLE, G = np.radians(23.0), 9.81
ENERGY = 0.5 * 5.0**2 + G * 1.0  # of 5 m/s at a height of 1 m, per mass [J/kg]


def apex(z, angle=ANGLE, energy=ENERGY):
    """Return state and memory at an apex of height z[0], with this energy."""
    speed = np.sqrt(max(2.0 * (energy - G * z[0]), 0.0))
    return np.array([0.0, z[0], speed, 0.0]), np.array([0.0, 0.0, angle])


x, d = apex([1.0])
ran = engine.run(x, d, chart="descent", final_time=1.1, record_period=0.005, rtol=1e-11)
print(ran.message)
print("events:", ", ".join(ran.events.name[:5]), "...")
energy = slip.energy(ran.p, ran.x, ran.d, ran.chart)
print(f"energy {energy[0]:.3f} J")
assert np.ptp(energy) < 1e-6

# %%
figure, ax = plt.subplots(figsize=(7.2, 2.9))
for i in range(0, len(ran.t), 8):
    lines = slip.lines(ran.t[i], ran.x[i], ran.d[i], ran.p, ran.chart[i])
    in_stance = ran.chart[i] >= 2
    ax.plot(*lines["leg"][:, [0, 2]].T, "C3" if in_stance else "0.8", linewidth=0.9)
    ax.plot(*ran.x[i, :2], "o", color="C0" if in_stance else "0.6", markersize=4)
ax.plot(*ran.x[:, :2].T, "C0", linewidth=1)
ax.axhline(0.0, color="k", linewidth=1)
ax.set(aspect="equal", title="Every 40 ms; on the ground the spring is red")
ax.axis("off")
figure.tight_layout()

# %% [markdown]
# ## One number per stride
#
# Nothing takes energy away, and the position along the ground does not matter. At the
# apex, where the body no longer rises, one number is left: its height. The *apex
# return map* takes it to the height of the next apex. A fixed point is an orbit, and
# the slope of the map there is its multiplier.


# %%
def height(x, d):
    return x[1:2]


settings = {"chart": "descent", "rtol": 1e-11, "final_time": 5.0}
stride = sections.return_map(engine, "apex", apex, height, **settings)
orbits = [sections.fixed_point(stride, [guess]) for guess in (0.95, 1.15)]
for orbit in orbits:
    apex_height, multiplier = orbit.z[0], orbit.multipliers[0].real
    print(f"apex {apex_height:.6f} m, multiplier {multiplier:+.4f}: {orbit.status}")
stable, unstable = orbits
assert abs(stable.multipliers[0]) < 1.0 < abs(unstable.multipliers[0])

# %%
heights = np.linspace(np.cos(ANGLE) + 1e-3, 1.3, 150)
mapped = np.array([stride([one])[0] for one in heights])
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.5))
left.plot(heights, heights, color="0.7", linewidth=1)
left.plot(heights, mapped, "C0")
way = [1.14]
for _ in range(14):
    way.append(stride([way[-1]])[0])
left.plot(np.repeat(way, 2)[:-1], np.repeat(way, 2)[1:], "C3", linewidth=1)
left.plot(stable.z, stable.z, "ko", label="stable")
left.plot(unstable.z, unstable.z, "ko", fillstyle="none", label="unstable")
left.set(xlabel="apex [m]", ylabel="next apex [m]", title="Apex return map")
left.legend(frameon=False, loc="lower right")
for begin in (0.98, 1.05, 1.1, 1.2, 1.225):
    way = [begin]
    while len(way) < 15 and way[-1] < 1.4:
        way.append(stride([way[-1]])[0])
    right.plot(way, ".-", linewidth=1)
right.axhline(unstable.z[0], color="0.6", linestyle="--", linewidth=1)
right.set(xlabel="stride", ylim=(0.93, 1.35), title="Apex [m], from other heights")
figure.tight_layout()

# %% [markdown]
# Without any feedback the runner comes back to its orbit from every apex between its
# touchdown height and the unstable orbit (dashed). From above that it bounces higher
# and slower with each stride.
#
# That the multiplier is right can be tested without differences. The engine carries
# derivatives through a run and its events, with the jump that each event makes (the
# saltation matrix), so that one run gives the multiplier, and also how the orbit
# moves with the leg.


# %%
def lift(z, d, p):
    speed = np.sqrt(2.0 * (ENERGY - G * z[0]))
    return np.array([0.0, z[0], speed, 0.0]), d


derived = DerivedMap(
    slip.build("fixed", runner), "apex", lift, lambda x, d, p: x[1:2], 1,
    ["touchdown_angle", "k"], settings={"chart": "descent", "rtol": 1e-11},
)  # fmt: skip
orbit = derived.fixed_point([0.95], d0={"touchdown_angle": ANGLE})
by_angle, by_stiffness = orbit.by[0]
print(f"multiplier {orbit.multipliers[0].real:+.6f}")
print(f"one degree more raises the orbit by {1e3 * np.radians(by_angle):.2f} mm")
print(f"one kN/m more raises it by {1e6 * by_stiffness:.2f} mm")
assert abs(orbit.multipliers[0] - stable.multipliers[0]) < 1e-6

# %% [markdown]
# ## The basin
#
# From which apexes, of any height and speed, does the runner make fifty strides? Each
# point of the picture is a run; `batch` makes them on all cores. White lines are the
# orbits of all energies, from `families.follow`: thick where they are stable. Nobody
# told them about the basin, but the unstable ones (dashed) are its border on the side
# of the slow starts.

# %%
STRIDES = 50


def strides_made(x0s, d0s, params=None):
    """Return how many strides each start at an apex makes, up to STRIDES."""
    stop = {"stop_at": "apex", "stop_count": STRIDES, "final_time": 1e3}
    ends = engine.batch(x0s, d0s, params, chart="descent", rtol=1e-8, **stop)
    return np.minimum(ends.n_transitions // 4, STRIDES)


tall, fast = np.meshgrid(np.linspace(0.93, 1.6, 90), np.linspace(3.0, 8.0, 110))
x0s = np.stack([0 * tall, tall, fast, 0 * tall], axis=-1).reshape(-1, 4)
made = strides_made(x0s, np.tile([0.0, 0.0, ANGLE], (len(x0s), 1))).reshape(tall.shape)
print(f"{100 * np.mean(made == STRIDES):.0f} % of the starts make {STRIDES} strides")

by_energy = families.section_map(
    engine, "apex", lambda z, energy: apex(z, energy=energy), height, **settings
)
bounds = {"bounds": (15.0, 45.0), "scale": (0.2, 10.0)}
lower, upper = [
    families.follow(by_energy, stable.z, ENERGY, direction=way, **bounds)
    for way in (-1, 1)
]
fold = lower.bifurcations[0]
print(f"{fold.kind.name.lower()} at {fold.p:.4f} J/kg; {lower.message}")
print(f"to more energy: {upper.message}")
assert fold.kind is BifurcationKind.FOLD

# %%
figure, ax = plt.subplots(figsize=(7.2, 4.2))
image = ax.pcolormesh(fast, tall, made, cmap="viridis", rasterized=True)
for family in (lower, upper):
    z = family.z[:, 0]
    speed = np.sqrt(2.0 * np.maximum(family.p - G * z, 0.0))
    ax.plot(speed, z, "w--", linewidth=1.2)
    ax.plot(speed, np.where(family.stable, z, np.nan), "w", linewidth=2.5)
ax.plot(np.sqrt(2 * (ENERGY - G * stable.z)), stable.z, "wo", markersize=7)
ax.set(xlabel="speed at the apex [m/s]", ylabel="height of the apex [m]")
ax.set(xlim=(3.0, 8.0), ylim=(0.93, 1.6), title="Strides made; orbits in white")
figure.colorbar(image, ax=ax)
figure.tight_layout()

# %% [markdown]
# ## The family
#
# At one energy the orbit is followed over the touchdown angle: to the *fold*, where
# it turns back and meets the unstable one, and down to a *period doubling*, behind
# which high and low strides alternate. Stable running lies between the two.


# %%
def over_angle(stiffness, z, angle, **options):
    """Follow the orbit of a stiffness over the touchdown angle, both ways."""
    params = {"k": stiffness}
    mapping = families.section_map(
        engine, "apex", apex, height, params=params, **settings
    )
    ranges = {"bounds": np.radians((8.0, 45.0)), "scale": (0.2, np.radians(4.0))}
    return [
        families.follow(mapping, z, angle, direction=way, **ranges, **options)
        for way in (-1, 1)
    ]


flat, steep = over_angle(20e3, stable.z, ANGLE)
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.5))
for family in (flat, steep):
    angle, z = np.degrees(family.p), family.z[:, 0]
    left.plot(angle, z, "C0--", linewidth=1)
    left.plot(angle, np.where(family.stable, z, np.nan), "C0", linewidth=3)
    right.plot(angle, family.multipliers[:, 0].real, "C0", linewidth=1.5)
    for one in family.bifurcations:
        name = one.kind.name.lower().replace("_", " ")
        mark = "ks" if one.kind is BifurcationKind.PERIOD_DOUBLING else "ko"
        left.plot(np.degrees(one.p), one.z[0], mark, label=name)
        print(f"{name} at {np.degrees(one.p):.4f} degrees, apex {one.z[0]:.4f} m")
left.set(xlim=(18.5, 24.5), ylim=(0.93, 1.3), title="20 kN/m")
left.set(xlabel="touchdown angle [deg]", ylabel="apex [m]")
left.legend(frameon=False, loc="upper left")
right.axhspan(-1.0, 1.0, color="C0", alpha=0.12)
right.set(xlabel="touchdown angle [deg]", xlim=(18.5, 24.5), ylim=(-4.0, 4.0))
right.set_title("Its multiplier; stable in the band")
figure.tight_layout()

# %% [markdown]
# ## The borders of stable running
#
# Fold and doubling are found for each stiffness, and make two curves in the plane of
# stiffness and angle. Between them lies the stable runner. The colours are made
# without continuation: each point is a runner that starts at an apex of 1 m. Seyfarth
# and others found this region, shaped like a J, by running (they measure the angle
# from the ground). Its borders are bifurcations.


# %%
def first(family, kind):
    """Return the first bifurcation of a kind on a family."""
    return next(one for one in family.bifurcations if one.kind is kind)


borders = {}
for ladder in (np.linspace(20e3, 12e3, 6), np.linspace(20e3, 44e3, 7)):
    z, angle, last = stable.z, ANGLE, 20e3
    for stiffness in ladder:
        angle *= np.sqrt(last / stiffness)  # a stiffer spring stands for a shorter time
        flat, steep = over_angle(stiffness, z, angle)
        doubling = first(flat, BifurcationKind.PERIOD_DOUBLING)
        fold = first(steep, BifurcationKind.FOLD)
        borders[stiffness] = doubling.p, fold.p
        z, last = flat.z[0], stiffness
        assert doubling.located and fold.located
stiffness = np.array(sorted(borders))
doublings, folds = np.degrees([borders[k] for k in stiffness]).T
assert np.all(doublings < folds)

# %%
k, angle = np.meshgrid(np.linspace(12e3, 44e3, 120), np.linspace(12.0, 34.0, 120))
x0, _ = apex([1.0])
d0s = np.zeros((k.size, 3))
d0s[:, 2] = np.radians(angle.ravel())
params = np.tile(hy.vector(runner), (k.size, 1))
params[:, slip.P.k] = k.ravel()
made = strides_made(np.tile(x0, (k.size, 1)), d0s, params).reshape(k.shape)
figure, ax = plt.subplots(figsize=(7.2, 4.6))
image = ax.pcolormesh(1e-3 * k, angle, made, cmap="viridis", rasterized=True)
ax.plot(1e-3 * stiffness, folds, "w", linewidth=2.5)
ax.plot(1e-3 * stiffness, doublings, "w--", linewidth=2.5)
ax.set(xlabel="stiffness [kN/m]", ylabel="touchdown angle [deg]")
ax.set_title("Strides made from 1 m; white: fold (line), period doubling (dashed)")
figure.colorbar(image, ax=ax)
figure.tight_layout()

# %% [markdown]
# ## Further
#
# - [Families of gaits, and walkers](../families.md): the same for walking on springs,
#   and a controller that reaches any apex in one stride.
# - `tarsus figure slip_families` draws apex and multiplier over angle and stiffness.
