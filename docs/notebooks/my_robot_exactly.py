# %% [markdown]
# # My robot, exactly
#
# A robot's file and two engines: MuJoCo, which makes contact soft and steps through
# it, and an engine in which feet are rigid and every touchdown, slip and stop of a
# joint is an event. Where they agree a result is the robot's; where they part you see
# whose it is. Any MJCF or URDF will do ([your robot](../own_robot.md)); here it is a
# quadruped of 12 kg.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import tarsus
from tarsus import own_robot
from tarsus.mjcf.own_robot import OwnRobot

FILE = Path(tarsus.__file__).parent / "mjcf/assets/robots/dog.xml"
robot = OwnRobot(FILE)
gait = own_robot.clock(robot, slowness=1.6)
print(f"feet {', '.join(robot.feet)}; a trot with a period of {gait.period:.2f} s")

# %% [markdown]
# ## One walk in both
#
# The clock is a table of controls that was made for the robot's legs. It drives both
# engines, each control held for 2 ms.

# %%
SECONDS = 1.2
exact = own_robot.exact_rollout(robot, gait.controls, SECONDS)
soft = own_robot.rollout(robot, gait.controls, SECONDS)
speeds = [
    own_robot.measures(run.record, gait.period, 0.5).speed for run in (exact, soft)
]
print(f"speed, exact {speeds[0]:.2f} m/s, MuJoCo {speeds[1]:.2f} m/s")
assert exact.completed and soft.completed and abs(speeds[1] / speeds[0] - 1) < 0.02

# %% [markdown]
# MuJoCo's force at a touchdown is that of a stiff spring, and as high as the spring is
# stiff. A rigid foot stops by an impulse instead, which no force shows; between
# touchdowns the two agree.

# %%
figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
for run, colour, name in ((soft, "C1", "MuJoCo"), (exact, "C0", "exact")):
    record = run.record.sel(time=slice(0.6, SECONDS))
    for axis, leg in zip(axes, (0, 1), strict=True):
        axis.plot(
            record["time"], record["foot_force"][:, leg, 2], colour, lw=1, label=name
        )
        axis.set(ylabel=f"force on {robot.feet[leg]} [N]", ylim=(0, 160))
axes[0].legend()
axes[1].set(xlabel="time [s]")
plt.show()

# %% [markdown]
# ## The books
#
# The exact run books where energy goes: work of the actuators, losses in dampers and
# dry joints, in sliding feet, and at impacts. Nothing may be left over.

# %%
books = exact.record
work, dampers, ground = (
    float(books[name][-1]) for name in ("motor_work", "damper_loss", "contact_loss")
)
gain = float(books["energy"][-1] - books["energy"][0])
rest = gain + dampers + ground - work
print(f"work {work:.1f} J: dampers and joints {dampers:.1f} J, ground {ground:.1f} J")
print("left over: less than 1e-8 of the work:", abs(rest) < 1e-8 * work)
assert abs(rest) < 1e-8 * work

# %% [markdown]
# ## How it settles
#
# A gait is a fixed point of the map from one stride to the next. Its multipliers say
# by how much a small disturbance is less after each. `stride_map` makes the map, of 25
# coordinates in this trot; `hybrid.sections.derivative` gives its whole derivative by
# a hundred strides. The slowest pair shows by itself, as what is left of a start from
# rest: each difference of strides is a combination of the two before.

# %%
stride = own_robot.stride_map(robot, gait.controls, gait.period, settle=5)
states = [np.zeros(stride.size)]
for _ in range(11):
    states.append(stride(states[-1]))
steps = np.diff(states, axis=0)
before, after = np.stack([steps[4:-1], steps[3:-2]], -1), steps[5:]
(b, c), *_ = np.linalg.lstsq(before.reshape(-1, 2), after.ravel(), rcond=None)
pair = np.roots([1.0, -b, -c])
print(f"slowest multipliers: {abs(pair[0]):.2f} in size")
assert np.all(np.abs(pair) < 0.6)

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
sizes, n = np.linalg.norm(steps, axis=1), np.arange(len(steps))
axis.semilogy(n, sizes, "o", color="C0", label="difference of strides")
axis.semilogy(
    n, sizes[4] * abs(pair[0]) ** (n - 4), "--", color="0.4", label="as the pair says"
)
axis.set(xlabel="stride", ylabel="size of the difference")
axis.legend()
plt.show()
