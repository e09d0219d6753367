# %% [markdown]
# # Answers: SLIP
#
# Answers to the exercises 4 to 7 of [the exercises](../notebooks.md), checked
# against the engine. The runner is that of [SLIP, from an orbit to its
# family](slip_orbit_to_family.ipynb).

# %%
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

from tarsus import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.hybrid import sections

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
RUNNER = slip.Slip(
    body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81
)
ANGLE, ENERGY = np.radians(23.0), 0.5 * 5.0**2 + 9.81  # [rad], per mass [J/kg]
engine = hy.compile(slip.build("fixed", RUNNER))


def stride_map(runner=RUNNER, angle=ANGLE, energy=ENERGY):
    """Return the apex return map of a runner."""

    def lift(z):
        speed = np.sqrt(max(2.0 * (energy - runner.g_flight * z[0]), 0.0))
        return [0.0, z[0], speed, 0.0], [0.0, 0.0, angle]

    settings = {"chart": "descent", "rtol": 1e-12, "final_time": 9.0}
    return sections.return_map(
        engine, "apex", lift, lambda x, d: x[1:2], hy.vector(runner), **settings
    )


# %% [markdown]
# ## 4. Hopping on the spot
#
# With the leg upright and $u$ the height above the height of rest on the spring,
# $\ddot u = -\omega^2 u$ with $\omega = \sqrt{k / m}$, from $u(0) = g / \omega^2$
# with the speed $v$ downward. So
#
# $$u(t) = \frac{g}{\omega^2} \cos\omega t - \frac{v}{\omega} \sin\omega t .$$
#
# The bottom, where $\dot u = 0$, is at $\omega t_b = \pi - \arctan(\omega v / g)$.
# The way up mirrors the way down, and the foot is on the ground for
#
# $$T = \frac{2}{\omega} \left( \pi - \arctan\frac{\omega v}{g} \right) .$$

# %%
omega = np.sqrt(RUNNER.k / RUNNER.body_mass)
for drop in (0.001, 0.05, 0.3):
    run = engine.run({"y": 1.0 + drop, "xdot": 0.0}, chart="descent", rtol=1e-12)
    events = run.events
    down, up = (events.t[events.of(name)[0]] for name in ("touchdown", "liftoff"))
    stance = 2 / omega * (np.pi - np.arctan(omega * np.sqrt(2 * 9.81 * drop) / 9.81))
    print(
        f"from {drop:5.3f} m: {1e3 * (up - down):.4f} ms, formula {1e3 * stance:.4f} ms"
    )
    assert abs(up - down - stance) < 1e-9

# %% [markdown]
# The highest hops have the shortest stances, down to half a period $\pi / \omega$ of
# the spring; the lowest last a whole one.
#
# ## 5. A runner on the Moon
#
# Mass, rest length and gravity make the units of mass, length $l_0$ and time
# $\sqrt{l_0 / g}$. Left are three numbers without units besides the angle: the
# stiffness $k l_0 / (m g)$, the energy $E / (m g l_0)$ and the height $y / l_0$.
# Runners that agree in these run alike. With $m = 5$ kg, $l_0 = 0.25$ m and $g =
# 1.62$ m/s² the stiffness must be

# %%
mass, length, gravity = 5.0, 0.25, 1.62
stiffness = RUNNER.k * 1.0 / (80.0 * 9.81) * mass * gravity / length
small = replace(
    RUNNER, body_mass=mass, k=stiffness, q_0=length, q_rt=length, q_rl=length,
    g_stance=gravity, g_flight=gravity,
)  # fmt: skip
orbit = sections.fixed_point(stride_map(), [0.96])
other = sections.fixed_point(
    stride_map(small, energy=ENERGY / 9.81 * gravity * length),
    [0.96 * length],
    tol=1e-11,
)
print(f"stiffness {stiffness:.2f} N/m")
print(f"apex over leg: {orbit.z[0]:.8f} and {other.z[0] / length:.8f}")
print(f"multiplier:    {orbit.multipliers[0]:.6f} and {other.multipliers[0]:.6f}")
assert abs(orbit.z[0] - other.z[0] / length) < 1e-9
assert abs(orbit.multipliers[0] - other.multipliers[0]) < 1e-4

# %% [markdown]
# ## 6. One stride to the target
#
# The next apex depends on the angle chosen now, smoothly, so a root finder chooses
# it. For an apex at 1.00 m from one at 1.05 m:


# %%
def miss(angle):
    """Return by how much the apex after 1.05 m misses 1.00 m [m]."""
    return stride_map(angle=angle)([1.05])[0] - 1.00


angle = brentq(miss, np.radians(21.0), np.radians(24.0), xtol=1e-13)
print(f"{np.degrees(angle):.5f} degrees; missed by less than 1e-9 m")
assert abs(miss(angle)) < 1e-9
angles = np.radians(np.linspace(20.0, 25.0, 101))
figure, ax = plt.subplots(figsize=(7.2, 3.0))
ax.plot(np.degrees(angles), [1.0 + miss(one) for one in angles], "C0")
ax.axhline(1.0, color="0.7", linewidth=1)
ax.plot(np.degrees(angle), 1.0, "ko")
ax.set(xlabel="touchdown angle [deg]", ylabel="next apex [m]", title="From 1.05 m")
figure.tight_layout()

# %% [markdown]
# A controller that does so at every apex is called deadbeat;
# `tarsus.hybrid.control` plans one or more such strides.
#
# ## 7. The leg that forgets
#
# The multiplier of the orbit at 23 degrees depends on the stiffness. It is zero where
# the fold, +1, and the period doubling, -1, are both far, and there a disturbance is
# gone after one stride, up to its square.


# %%
def orbit_of(k):
    """Return the stable orbit of a stiffness [N/m]."""
    guess = [0.938 if k < 19e3 else 0.96]
    found = sections.fixed_point(stride_map(replace(RUNNER, k=k)), guess)
    assert found.status is sections.Convergence.CONVERGED
    return found


best = brentq(lambda k: orbit_of(k).multipliers[0].real, 17.5e3, 20e3, xtol=1e-3)
orbit, stride = orbit_of(best), stride_map(replace(RUNNER, k=best))
print(f"multiplier 0 at {1e-3 * best:.3f} kN/m, apex {orbit.z[0]:.5f} m")
left = {d: abs(stride(orbit.z + d)[0] - orbit.z[0]) for d in (4e-3, 2e-3)}
for disturbance, rest in left.items():
    print(f"of {1e3 * disturbance:.0f} mm a stride leaves {1e3 * rest:.4f} mm")
assert 3.8 < left[4e-3] / left[2e-3] < 4.2
stiffnesses = np.linspace(17.1e3, 20.8e3, 60)
figure, ax = plt.subplots(figsize=(7.2, 3.0))
multipliers = [orbit_of(k).multipliers[0].real for k in stiffnesses]
assert np.all(np.diff(multipliers) > 0.0)
ax.plot(1e-3 * stiffnesses, multipliers, "C0")
ax.set_ylim(-1.3, 1.3)
ax.axhspan(-1.0, 1.0, color="C0", alpha=0.12)
ax.plot(1e-3 * best, 0.0, "ko")
ax.set(xlabel="stiffness [kN/m]", ylabel="multiplier", title="Stable in the band")
figure.tight_layout()
