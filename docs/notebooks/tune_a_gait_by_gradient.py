# %% [markdown]
# # Tune a gait by its gradient
#
# A hexapod with springs for legs, driven by a clock, walks as four numbers say: how
# long a stride takes, what share of it a leg spends on the ground, through which
# angle it sweeps there, and where that sweep is centred. Which four numbers are
# fastest?
#
# A search without derivatives asks that of a thousand gaits and more. The exact
# engine locates every touchdown and carries derivatives through it, so that the speed
# of a walk has a gradient. This notebook checks that gradient, gives it to SciPy, and
# lets MuJoCo judge the gait that comes out.

# %%
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

from tarsus import design, views
from tarsus import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.models.hexapod.orbit import REL_STEP, SECTION
from tarsus.analytic.models.hexapod.state import SCALE
from tarsus.analytic.terrain import Flat
from tarsus.hybrid.derivatives import Derivatives

can_draw = views.choose_opengl()  # before MuJoCo is imported
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})

# %% [markdown]
# ## The clock
#
# Three legs at a time, a tripod, turn slowly through the `sweep_angle` while they
# carry the body, and fast through the rest of the turn while the other three carry it
# (Saranli, Buehler & Koditschek, RHex: a simple and highly mobile hexapod robot, IJRR
# 20, 2001).

# %%
robot, first = HexapodParams(), TripodGait(0.5, 0.28, 0.75, 0.0)
NAMES = "cycle time [s]", "duty", "sweep [rad]", "offset [rad]"


def numbers(gait):
    """Return the four numbers of a gait."""
    duty = gait.slow_time / gait.cycle_time
    return np.array([gait.cycle_time, duty, gait.sweep_angle, gait.leg_offset])


def gait_of(values):
    """Return the gait of four numbers."""
    cycle_time, duty, sweep, offset = map(float, values)
    return TripodGait(cycle_time, duty * cycle_time, sweep, offset)


assert gait_of(numbers(first)) == first
for name, value in zip(NAMES, numbers(first)):
    print(f"{name:15s} {value:.2f}")

# %% [markdown]
# ## A derivative through forty footfalls
#
# From rest the robot takes four strides, and the fourth is measured: its length over
# its time. `Derivatives` runs the model with derivatives along four directions at
# once. `design.moves` says how each of the four numbers moves the parameters of the
# engine.

# %%
STRIDES = 4
model = hybrid.build(robot, Flat(), "open-loop")
engine = hy.compile(model)
derivatives = Derivatives(model, 4, "dop853", rel_step=REL_STEP)


def task(gait):
    """Return parameters of the engine, and where a run of four strides ends."""
    model = hybrid.build(robot, Flat(), "open-loop", gait=gait)
    # The clock of a leg has two corners in a stride.
    stop = {"stop_at": SECTION, "stop_count": 1 + 2 * STRIDES}
    return model.p0, {"final_time": (STRIDES + 2) * gait.cycle_time} | stop


def walk(values):
    """Return the events of a plain run."""
    p, settings = task(gait_of(values))
    settings |= {"rtol": 1e-8, "atol": 1e-8 * SCALE, "record_period": None}
    return engine.run(params=p, **settings).events


def speed(values):
    """Return the speed of the fourth stride [m/s], from a plain run."""
    events = walk(values)
    rows = events.of(SECTION)
    return np.linalg.norm(np.subtract(*events.x_plus[rows[[-1, -3]], :2])) / values[0]


p, settings = task(first)
settings |= {"rtol": 1e-10, "atol": 1e-10 * SCALE}
run = derivatives.run(design.moves(first), params=p, **settings)
begin, end = run.at(SECTION, -3), run.at(SECTION, -1)
way, way_by = end.x[:2] - begin.x[:2], end.x_by[:2] - begin.x_by[:2]
length = np.linalg.norm(way)
gradient = way @ way_by / length / first.cycle_time
gradient[0] -= length / first.cycle_time**2  # the stride's time is its first number
print(f"{run.existence}")
print(f"{len(run.result.events)} events, speed {length / first.cycle_time:.4f} m/s")

# %% [markdown]
# Is that the derivative? A central difference should approach it as its step shrinks.


# %%
def difference(i, h):
    """Return the central difference of the speed by the i-th number."""
    step = h * np.eye(4)[i]
    return (speed(numbers(first) + step) - speed(numbers(first) - step)) / (2 * h)


for i, name in enumerate(NAMES):
    by_difference = difference(i, 1e-4)
    print(f"{name:15s} derivative {gradient[i]:+.5f}, difference {by_difference:+.5f}")
    assert abs(by_difference - gradient[i]) < 1e-5

order, sweep = list(walk(numbers(first)).name), np.eye(4)[2]
for h in (1e-2, 1e-4):
    same = list(walk(numbers(first) + h * sweep).name) == order
    print(f"a sweep larger by {h:.4f}: {'the same' if same else 'other'} events")
    assert same is (h == 1e-4)
wrong = difference(2, 1e-2) - gradient[2]
print(f"error of the difference over .01: {100 * wrong / gradient[2]:.0f} %")
assert wrong > 0.1 * gradient[2]

# %% [markdown]
# A larger step changes the order in which toes touch, slide and grip, and the
# difference averages over two ways of walking.
#
# And what would the difference be in a simulator with fixed time steps? There a
# touchdown falls on the next step, and the robot that touches down a millisecond
# earlier walks on a little differently. Below, both engines walk with nine sweeps
# that differ by less than a thousandth. MuJoCo runs with the settings of
# reinforcement learning, which are fast and good enough for that.

# %%
from tarsus.machines import HexapodExperiment, Start, simulate_exact, simulate_mujoco

changes = np.linspace(-1e-3, 1e-3, 9)
stepped = []
for change in changes:
    gait = gait_of(numbers(first) + [0.0, 0.0, change, 0.0])
    walked = simulate_mujoco(HexapodExperiment(robot, gait, Flat(), "rl"), 2.2)
    path = walked.record["body_position"].sel(time=[begin.t, end.t], method="nearest")
    stepped.append(
        np.linalg.norm(np.diff(path.values[:, :2], axis=0)) / gait.cycle_time
    )
exact = [speed(numbers(first) + [0.0, 0.0, change, 0.0]) for change in changes[::4]]
tangent = length / first.cycle_time + gradient[2] * changes
assert np.abs(exact - tangent[::4]).max() < 1e-5 < 1e-3 < np.ptp(stepped)
figure, ax = plt.subplots(figsize=(7.2, 3.2))
ax.plot(1e3 * changes, stepped, "C1o-", linewidth=1, label="MuJoCo, preset rl")
ax.plot(1e3 * changes, tangent, "C0", linewidth=1.5, label="derivative")
ax.plot(1e3 * changes[::4], exact, "C0o", label="exact engine")
ax.set(xlabel="change of the sweep [mrad]", ylabel="speed [m/s]")
ax.set_title("The fourth stride's speed, on a small scale")
ax.legend(frameon=False)
figure.tight_layout()

# %% [markdown]
# The right line is there in MuJoCo as well, on a larger scale and with finer
# settings. But nobody climbs it by differences.
#
# ## Climb
#
# `design.FastGait` is the same derivative for settled walking: from the best gait so
# far it walks twenty strides, then takes the derivative over two. Where the robot
# falls it answers with a parabola that leads back (a point far below the others), so
# that the line search shortens its step. L-BFGS-B does the rest. Strides take at
# least 0.45 s here, since faster gaits need more care (see the end).

# %%
climb = design.FastGait(robot, settling=20)
SCALE = 4.0  # a smaller one makes longer first steps
tried = []


def negative_speed(u):
    value, by = climb(u / SCALE)
    tried.append((numbers(climb.gait(u / SCALE)), -value))
    return value, by / SCALE


least = (0.45 - climb.bounds[0, 0]) / np.ptp(climb.bounds[0])
found = minimize(
    negative_speed,
    SCALE * climb.unit(first),
    jac=True,
    method="L-BFGS-B",
    bounds=SCALE * np.array([(least, 1), (0, 1), (0, 1), (0, 1)]),
    options={"maxfun": 6},
)
tuned = climb.gait(climb.best[0])
print(f"from {tried[0][1]:.2f} to {climb.best[1]:.2f} m/s in {len(tried)} gaits")
print(f"{climb.count.plain} strides, and {climb.count.derived} with derivatives")
for name, before, after in zip(NAMES, numbers(first), numbers(tuned)):
    print(f"{name:15s} {before:.2f} -> {after:.2f}")
assert climb.best[1] > 1.5 * tried[0][1]

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
speeds = np.array([one[1] for one in tried])
left.plot(np.maximum.accumulate(speeds), "C0", drawstyle="steps-post")
left.plot(speeds, "C0o")
left.set(xlabel="gait tried", ylabel="speed [m/s]", title="The climb")
t = np.linspace(0.0, 1.0, 500)
for gait, color, name in ((first, "0.6", "first"), (tuned, "C3", "tuned")):
    hips = -gait.clock()(t)[0]  # the hips of a forward gait turn to the negative side
    right.plot(t, hips[:, 0], color, label=name)
    right.plot(t, hips[:, 1], color, linestyle="--")
right.set(xlabel="time [s]", ylabel="turned by the hip [rad]", title="The two tripods")
right.legend(frameon=False)
figure.tight_layout()

# %% [markdown]
# ## Watch it in MuJoCo
#
# MuJoCo has its own model of the robot, made from the same parameters, and here its
# most accurate settings (preset `reference`). Both engines go on from the state that
# the climb ended in.

# %%
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.records import summarise

start = Start(*from_exact(robot, climb.best[2][0]))
experiment = HexapodExperiment(robot, tuned, Flat(), "reference", start)
records = {
    "exact engine": simulate_exact(experiment, 3.0).record,
    "MuJoCo": simulate_mujoco(experiment, 3.0).record,
}
speeds = {}
for name, record in records.items():
    speeds[name] = summarise(record, settle=1.0).speed
    print(f"{name:13s} {record.status}, {speeds[name]:.2f} m/s")
assert abs(speeds["MuJoCo"] / speeds["exact engine"] - 1.0) < 0.05

# %%
figure, axes = plt.subplots(2, 4, figsize=(7.2, 2.7))
seen = 1.0 + tuned.cycle_time * np.arange(4) / 4  # four instants of a stride
for row, (name, record) in zip(axes, records.items()):
    instants = record.sel(time=seen, method="nearest")
    if can_draw:
        states = [views.qpos_of(instants, i) for i in range(len(seen))]
        feet, forces = instants["foot_position"].values, instants["foot_force"].values
        model = experiment.model()
        films = views.film(
            model, zip(states, feet, forces), size=(540, 420), forces=True
        )
        for ax, image in zip(row, films):
            ax.imshow(image[85:345, 75:475])
    else:
        row[0].text(0.0, 0.5, views.NO_OPENGL.replace(", so", ",\nso"), fontsize=7)
    row[0].set_ylabel(name)
    for ax in row:
        ax.set(xticks=[], yticks=[])
for ax, t in zip(axes[0], seen):
    ax.set_title(f"{t:.2f} s", fontsize=9)
figure.tight_layout(pad=0.3)

# %% [markdown]
# ## Further
#
# - With shorter strides allowed, `python -m tarsus.design`
#   climbs to 2.4 m/s, in a tenth of the strides that a search without derivatives took
#   for less: [the hybrid engine](../hybrid.md).
# - The derivative ends where walking is not smooth: a foot that grazes the ground,
#   two events at once. The engine then says so instead of returning a number:
#   `run.existence`.
# - `tarsus run hexapod --engine both` compares the engines on any gait.
