# %% [markdown]
# # Steer twelve legs
#
# A robot on twelve legs walks by waves of its legs, and its feet slide. The model of
# sliding feet takes microseconds for an instant, and it has exact derivatives. That
# is enough to plan with it: we go to a goal, lose a leg on the way, find out which
# one from the motion of the body alone, and plan again.

# %%
import matplotlib.pyplot as plt
import numpy as np

from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.contact import se2
from tarsus.controllers.fault_bank import FaultBank
from tarsus.controllers.feasibility import longest_stride, plan_to, smallest_radius
from tarsus.controllers.gaits import multipod_gait
from tarsus.controllers.path import Path
from tarsus.machines import PathWalking, follow
from tarsus.sliding import Ailment, ailing_walk, watched

robot = MultipodParams(n_legs=12)
walk = SlidingWalk(robot)

# %% [markdown]
# ## A stride
#
# Three numbers steer it: the amplitude of the yaw, a yaw that all pairs of legs hold
# (crab), and one from the front to the rear (steering). A stride takes the body by
# $x$, $y$ and a turn, and we get the derivatives of these by the three numbers for
# three times the price.

# %%
controls = np.array([0.2, 0.03, 0.1])
stride = walk.stride(controls)
step = 1e-4 * np.eye(3)
differences = np.stack(
    [
        (walk.stride(controls + h).pose - walk.stride(controls - h).pose) / 2e-4
        for h in step
    ],
    axis=-1,
)
assert np.abs(stride.by_controls[:, 0] - differences).max() < 0.05
print("x, y [mm] and turn [mrad] of a stride:", (1e3 * stride.pose).round())
print("their derivatives by amplitude, crab and steering:")
print(stride.by_controls[:, 0].round(2))

# %% [markdown]
# No stroke differs from left to right, for the legs of a pair share an axle. So every
# turn slips, and there is a smallest radius.

# %%
radius = smallest_radius(walk)
assert 3.0 < radius < 3.6
print(f"longest stride {longest_stride(walk):.2f} m, smallest radius {radius:.1f} m")

# %% [markdown]
# ## Plan
#
# The poses after whole strides are a product of displacements, so that Gauss-Newton
# needs the model only for one stride at a time. A goal two meters ahead and to the
# left takes a few hundredths of a second; one behind the smallest radius is refused.

# %%
goal = np.array([2.0, 0.25, 0.2])
plan = plan_to(walk, goal)
assert np.abs(plan.poses[-1] - goal).max() < 1e-3
try:
    plan_to(walk, [1.0, 0.5, 0.0])
    raise AssertionError("this goal cannot be reached")
except ValueError as refusal:
    print(refusal)

# %% [markdown]
# ## Walk a path in MuJoCo
#
# A plan goes wrong by what the model does not know. So the robot plans again twice a
# stride, from where it is. Its pose is measured with an error of 2 mm and 2 mrad, and
# what strides miss on average it learns as it goes. Here are the first meters of a
# sine.

# %%
sine = Path.sine(
    0.2, 6.0, 6.0, 0.06
)  # amplitude, length of a wave, way [m]; speed [m/s]
gait = multipod_gait(robot, "undulation", yaw=0.2)
settings = dict(preset="rl", noise=(2e-3, 2e-3), seed=1)
walking = PathWalking("multipod", robot, gait, model=walk, path=sine, **settings)
walked = follow(walking, 40.0)
off = 1e3 * np.sqrt(np.mean(walked.distance**2))
assert off < 4.0
print("off the path by less than 4 mm rms, of a robot 960 mm long")

# %% [markdown]
# ## A leg breaks
#
# Nobody tells the robot. It compares what it measures, how its body moves and tilts,
# with what it would measure if leg 0, 1, ... 11 carried nothing. Before, it has walked
# a few strides while it was sound: what the model misses anyway repeats from stride to
# stride, and is taken off.

# %%
LEG, WHEN = 4, 9.0
sound = watched(ailing_walk(robot, Ailment(), 16.0), seed=1)
bank = FaultBank(robot)
bank.tare(sound.frames, sound.phase)
broken = watched(ailing_walk(robot, Ailment(leg=LEG, time=WHEN), 13.0), seed=2)
evidence, finding, told = [], None, None
for time, seen, phase in zip(broken.time, broken.frames, broken.phase, strict=True):
    fault = bank.update(seen, phase)
    evidence.append(bank.evidence[:12].copy())
    if fault and finding is None:
        finding, told = fault, time - WHEN
assert finding.leg == LEG and finding.kind == "lost" and 0.0 < told < 3.0
print(f"leg {finding.leg} is {finding.kind}")

# %% [markdown]
# ## Replan
#
# With a leg less the old plan misses the goal. The model without that leg makes
# another plan, which does not.

# %%
lame = SlidingWalk(robot, lost=(finding.leg,))


def walk_plan(model, controls):
    poses = [np.zeros(3)]
    for one in controls:
        poses.append(se2.compose(poses[-1], model.stride(one, derivatives=False).pose))
    return np.array(poses)


old, new = walk_plan(lame, plan.controls), walk_plan(lame, plan_to(lame, goal).controls)
miss = np.hypot(*(old[-1] - goal)[:2])
assert miss > 0.01 and np.hypot(*(new[-1] - goal)[:2]) < 1e-3
print("the old plan misses by centimetres, the new one by less than a millimetre")

# %%
figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
track, wanted = walked.track, sine(np.linspace(0, 40, 200))
axes[0].plot(wanted[:, 0], wanted[:, 1], color="0.8", lw=6, label="path")
axes[0].plot(track[:, 1], track[:, 2], color="tab:blue", label="in MuJoCo")
axes[0].set(xlabel="x [m]", ylabel="y [m]", title="Twelve legs along a path")
axes[0].legend(frameon=False)
since = broken.time - WHEN
axes[1].plot(since, np.delete(np.array(evidence), LEG, axis=1), color="0.7", lw=0.8)
axes[1].plot(since, np.array(evidence)[:, LEG], color="tab:red", label=f"leg {LEG}")
axes[1].axhline(bank.threshold, color="0.3", ls="--", lw=1)
axes[1].set(
    xlabel="time since it broke [s]",
    ylabel="evidence",
    title="Which leg?",
    ylim=(0, 4 * bank.threshold),
)
axes[1].legend(frameon=False)
axes[2].plot(
    *walk_plan(walk, plan.controls)[:, :2].T, "o-", color="0.7", label="the plan, sound"
)
axes[2].plot(*old[:, :2].T, "o-", color="tab:red", label="the same, a leg less")
axes[2].plot(*new[:, :2].T, "o-", color="tab:blue", label="planned again")
axes[2].plot(*goal[:2], "*", color="k", ms=12)
axes[2].set(xlabel="x [m]", ylabel="y [m]", title="To a goal")
axes[2].legend(frameon=False)
plt.show()
