# %% [markdown]
# # What feet that slide do to a robot
#
# Three tools for contact, on one small robot. First, a solver that says from the
# motion of the legs alone how the body moves and what every foot carries, with a
# proof of how far it can be from the truth. Then the same for a whole walk, beside
# MuJoCo. Last, a suite of cases with exact answers, run on a simulator's settings of
# your own.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np

from tarsus import contact_suite, sliding
from tarsus.mjcf import own_robot
from tarsus.own_robot import rollout, stance, walk

FEET = ("FL", "FR", "RL", "RR")
robot = own_robot.OwnRobot(own_robot.EXAMPLE, FEET, friction=0.6)
model = own_robot.model(robot)

# %% [markdown]
# ## A walk without lifting a foot
#
# The robot is a quadruped of 5 kg with twelve servos, read from an MJCF file; yours
# would do ([bring your own](../bring_your_own.md)). It shuffles: all feet stay on the
# ground, and each goes back for three quarters of the cycle and forward for one.

# %%
PERIOD, STROKE, HEIGHT, SHANK = 2.0, 0.06, 0.22, 0.16  # s, m, m, m


def shuffle(time, qpos, qvel):
    phase = (time / PERIOD + np.array([0.0, 0.5, 0.75, 0.25])) % 1.0
    back, forth = 0.5 - phase / 0.75, (phase - 0.75) / 0.25 - 0.5
    x = STROKE * np.where(phase < 0.75, back, forth)
    bend = np.arccos(np.hypot(x, HEIGHT) / (2 * SHANK))
    thigh = bend - np.arctan2(x, HEIGHT)
    return np.column_stack([0 * x, thigh, -2 * bend]).ravel()


# %% [markdown]
# ## One instant
#
# Under Coulomb's law a sliding foot is braked by $\mu N$, however fast it slides. Of
# all velocities $\xi$ the body might have, it has the one that loses the least power
# to friction,
#
# $$P(\xi) = \sum_j \mu_j N_j \lVert v_j(\xi) \rVert ,$$
#
# where $v_j$ is the velocity of foot $j$ over the ground
# ([the contact solver](../contact.md)). The loads $N_j$ follow from the springs of
# the legs, here the gains of the servos.

# %%
data = own_robot.standing(model)
while data.time < 1.0:
    data.ctrl[:] = shuffle(data.time, data.qpos, data.qvel)
    mujoco.mj_step(model, data)
here = stance(model, data, FEET)
found = here.solve("coulomb")
print("status:", found.status.value)
print("forward velocity, solver and MuJoCo [mm/s]:", end=" ")
print(f"{1e3 * found.twist[0]:.0f}, {1e3 * here.twist[0]:.0f}")
print("loads, solver [N]", np.round(found.load))
print("loads, MuJoCo [N]", np.round(here.force[:, 2]))

# %% [markdown]
# ## The proof
#
# Tractions that balance and stay inside the friction cones bound the least power from
# below; the distance of bound and value is the *gap*. So a solution need not be
# believed. Try to beat it: of ten thousand other velocities, none loses less.

# %%
lever = np.stack([-here.foot_pos[:, 1], here.foot_pos[:, 0]], axis=-1)


def power(twist):
    """Return the power lost at body velocities, shape (..., 3) [W]."""
    turning = twist[..., None, 2:] * lever
    slip = here.foot_vel[:, :2] + twist[..., None, :2] + turning
    return np.sum(0.6 * found.load * np.linalg.norm(slip, axis=-1), axis=-1)


others = found.twist + np.random.default_rng(0).normal(
    0, [0.02, 0.02, 0.1], (10_000, 3)
)
print(f"power {power(found.twist):.4f} W, gap below 1e-6 W: {found.gap < 1e-6}")
print("others that lose less:", int(np.sum(power(others) < found.dissipation - 1e-9)))

# %%
figure, ax = plt.subplots(figsize=(7.2, 3.6))
x, y = here.foot_pos[:, 0], here.foot_pos[:, 1]
for force, color, label in (
    (here.force, "C3", "MuJoCo"),
    (found.force, "C0", "solver"),
):
    width = 0.012 if label == "MuJoCo" else 0.005
    ax.quiver(x, y, *force.T[:2], color=color, label=label, scale=60, width=width)
ax.scatter(x, y, 12 * found.load, color="0.8", zorder=0)
for name, *at in zip(FEET, x, y):
    ax.annotate(name, at, (8, 8), textcoords="offset points")
ax.set(xlabel="forward [m]", ylabel="left [m]", xlim=(-0.35, 0.35), ylim=(-0.2, 0.2))
ax.set_title("tractions; grey: loads", loc="left", fontsize=10)
ax.legend(loc="lower center", ncols=2, frameon=False)
figure.tight_layout()

# %% [markdown]
# Feet that stick share their tractions as they like: the solver and MuJoCo differ
# there and must agree in the sums only. The foot that slides has the same in both.
#
# ## A walk
#
# Two periods in MuJoCo, recorded with forces. Frames are independent of each other,
# as friction stops the robot faster than it moves: all are solved at once. For
# comparison the *viscous* law, traction in proportion to the slip velocity.

# %%
run = rollout(robot, shuffle, 2 * PERIOD + 0.01)
walked = walk(run.record, model, mu=0.6).between(PERIOD, 2 * PERIOD)
time = walked.measured.time
ways = {"MuJoCo": walked.measured.twist[:, 0]}
ways |= {law: walked.predict(law).twist[:, 0] for law in ("coulomb", "viscous")}
for name, velocity in ways.items():
    print(f"{name:8} {1e3 * velocity.mean():5.1f} mm/s")

# %%
figure, ax = plt.subplots(figsize=(7.2, 3.2))
for (name, velocity), color in zip(ways.items(), ("C3", "C0", "C1")):
    way = np.cumsum(velocity) * (time[1] - time[0])
    ax.plot(time, 1e3 * way, color=color, label=name, lw=4 if name == "MuJoCo" else 1.5)
ax.set(xlabel="time [s]", ylabel="way [mm]", xlim=(time[0], time[-1]))
ax.legend(frameon=False)
figure.tight_layout()

# %% [markdown]
# Under Coulomb's law three slow feet hold the body against the fast one, and it walks;
# under the viscous law the fast foot pulls as hard as the three together and more.
#
# Friction can be fitted, too, to forces that were measured. Coulomb's coefficient is
# the one that MuJoCo has; the viscous law has another in every direction, and leaves a
# third of the load of 12 N unexplained:

# %%
fit = sliding.fit(walked.measured)
print("foot  Coulomb mu  left over [N]  viscous mu, least  largest  left over [N]")
for name, row in zip(FEET, sliding.fit_rows(fit)):
    print(
        f"{name:4}  {row[6]:>10}  {row[7]:>13}  {row[2]:>17}  {row[3]:>7}  {row[5]:>13}"
    )
print(f"the viscous mu is that at {1e3 * fit.reference_speed:.0f} mm/s")

# %% [markdown]
# ## Your simulator's settings
#
# How good is a simulator's contact? [The contact suite](../contact_suite.md) has cases
# whose answers are exact. An engine is one file; this one takes MuJoCo as it comes,
# with its defaults and with settings of ours. In a terminal:
# `tarsus contact-suite --engine mine.py`.

# %%
MINE = """
from tarsus.contact_suite import mujoco_engine as engine

NAME, version, Simulation = engine.NAME, engine.version, engine.Simulation
STIFF = {"timestep": 1e-3, "integrator": "implicitfast", "cone": "elliptic",
         "impratio": 100.0, "solref": (0.002, 1.0), "solimp": (0.0, 0.999, 1e-3)}
SETTINGS = {"defaults": {}, "mine": STIFF}
SETTINGS["mine, pyramid"] = STIFF | {"cone": "pyramidal"}
"""
CASES = [
    "block_stops",
    "slope_slides",
    "spinning_tripod",
    "tripod_slides",
    "rimless_wheel",
]
with tempfile.TemporaryDirectory() as folder:
    engine = Path(folder) / "mine.py"
    engine.write_text(MINE)
    results = contact_suite.run(engine, CASES)["results"]
print("error over the case's scale [%], in brackets where it is too much")
for row in [["case", *results], *contact_suite.rows(results)]:
    print(f"{row[0]:16}" + "".join(f"{cell:>16}" for cell in row[1:]))

# %% [markdown]
# ## What happens when something is wrong
#
# A foot that there is not, a law that nobody knows, legs that push back: each is
# refused with a sentence that says what there is.

# %%
for mistake in (
    lambda: own_robot.model(
        own_robot.OwnRobot(own_robot.EXAMPLE.read_text(), ("FRX",))
    ),
    lambda: stance(model, data, FEET).solve("sticky"),
    lambda: stance(model, data, FEET, stiffness=-1.0),
):
    try:
        mistake()
    except ValueError as refusal:
        print(refusal)
