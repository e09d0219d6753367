# %% [markdown]
# # A hop by exact gradients
#
# A body with a leg that slides in it is to jump from 0.1 m to 1 m in a second. A
# moment and a force, held over intervals of 50 ms, forty numbers, move it; the foot
# must not slip. Methods that see contact as equations with switches pay for it: the
# example that this comes from takes minutes, for a foot that is a little in the ground.
#
# Here the engine locates every event and carries derivatives through it, so that the
# jump is a smooth problem as long as the order of events stays the same. This notebook
# checks a gradient, solves for some orders, and asks the free engine whether it agrees.

# %%
import matplotlib.pyplot as plt
import numpy as np

from tarsus import hybrid as hy
from tarsus.analytic.models import planar_hopper as hopper
from tarsus.hybrid import control

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})

# %% [markdown]
# ## The problem
#
# `planar_hopper` has the model: its cost is a state, the squared distance to a spline
# over the middle of the jump, with small prices of moment and force. `problem` adds the
# bounds: the leg's length, the friction cone, and a foot that comes straight down.

# %%
course = hopper.Course()
problem = hopper.problem(course)
print(f"{len(problem.decisions)} decisions, {len(problem.bounds)} kinds of bounds")
for bound in problem.bounds[:2] + problem.bounds[5:7]:
    print(f"{bound.output:14s} from {bound.lower} to {bound.upper}")

# %% [markdown]
# ## The order of events
#
# Were the order free, a descent would meet corners: a liftoff vanishes when a force
# jumps. So it is given: the foot leaves the ground with a node, comes down where the
# engine finds it, and leaves again with another node. What the order suppresses becomes
# a constraint: in stance the ground pushes, in flight the foot is above it.

# %%
order, guess = hopper.order_and_guess(course, 1, 6)
print(", ".join(order))
whole = control.horizon(problem, [control.Segment(tuple(problem.decisions), {}, order)])
z = whole.start(guess)
first = whole.derived(z)
print(f"the guess costs {first.cost:.1f}, with {first.c.size} constraints")

# %% [markdown]
# Is that its gradient? Along a random direction, differences of runs approach it.

# %%
direction = np.random.default_rng(0).normal(size=whole.n)
exact = first.gradient @ direction
for h in (1e-2, 1e-3, 1e-4):
    ends = [whole.plain(z + s * h * direction).cost for s in (1, -1)]
    print(f"step {h:.0e}: off by {abs((ends[0] - ends[1]) / (2 * h) / exact - 1):.0e}")
assert abs((ends[0] - ends[1]) / (2 * h) / exact - 1) < 1e-5

# %% [markdown]
# ## Descend
#
# Each step solves a quadratic program: the matrix is Gauss and Newton's, from first
# derivatives alone, and constraints may be violated at a price, so that there always is
# a step. It is taken if the exact model does what it promised.

# %%
candidates = {}
for first_flight, second_flight in ((1, 6), (2, 6), (3, 7)):
    key, start = hopper.order_and_guess(course, first_flight, second_flight)
    candidates[key] = start
ranked = control.orders(problem, candidates, tol=1e-5, feasible=1e-5)
for key, found in ranked:
    print(f"{', '.join(key):36s} {found.status.name:10s} {found.cost:.3f}")
best = ranked[0][1]
assert best.status is control.ControlStatus.CONVERGED and best.cost < 13.17
print(f"{best.n_derived} runs with derivatives, {best.n_runs} without")

# %% [markdown]
# ## Between nodes
#
# The descent reads the bounds every 25 ms. Its message says what they are left by in
# between: the foot would slip a little. `refine` holds the nodes beside such a place
# back.

# %%
print(best.message.rpartition("; ")[2])
best = control.solve(
    problem, best.decisions, ranked[0][0], tol=1e-5, feasible=1e-5, refine=8
)
assert best.violation < 1e-5
print(f"refined it costs {best.cost:.3f}")

# %% [markdown]
# ## Does the engine agree?
#
# `verify` gives the forces to the free model, whose events nobody prescribes.

# %%
checked = control.verify(best)
print(checked.message)
assert checked.agrees

# %% [markdown]
# ## Look at it

# %%
run = hy.compile(hopper.build(course)).run(
    params=best.decisions, chart=1, final_time=1.0, record_period=0.005
)
foot = hopper.foot(run.x.T)
assert foot[1].min() > -1e-4
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
left.plot(*course.reference[:, :2].T, "0.8", label="asked for")
left.plot(run.x[:, 0], run.x[:, 1], "C0", label="hip")
left.plot(*foot, "C3", linewidth=1, label="foot")
for i in range(0, len(run.t), 20):
    left.plot([run.x[i, 0], foot[0, i]], [run.x[i, 1], foot[1, i]], "0.4", linewidth=1)
left.set(xlabel="[m]", ylabel="height [m]", title="The jump")
left.legend(frameon=False, loc="upper left", fontsize=8)
times = np.arange(course.n + 1) * course.final_time / course.n
forces = np.array([best.decisions[f"w_{i}"] for i in range(course.n)])
moments = np.array([best.decisions[f"u_{i}"] for i in range(course.n)])
right.stairs(forces, times, color="C0", label="force [N]")
right.stairs(moments, times, color="C1", label="moment [N m]")
for t, name in zip(run.events.t, run.events.name):
    if name != "node":
        right.axvline(t, color="0.7", linewidth=1, linestyle=":")
right.set(xlabel="time [s]", title="What moves it; dotted, the events")
right.legend(frameon=False, fontsize=8)
figure.tight_layout()

# %% [markdown]
# ## Further
#
# - With constraints on nodes of 5 ms the jump costs 13.1800: `tarsus benchmark control`
#   does that beside nosnoc, in one run.
# - [Optimal control and feedback](../control.md): the statuses, multiple shooting, and
#   what holds a gait once it is planned.
