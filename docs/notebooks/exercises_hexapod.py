# %% [markdown]
# # Answers: the hexapod
#
# Answers to the exercises 8 to 11 of [the exercises](../notebooks.md).

# %%
import matplotlib.pyplot as plt
import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.machines import HexapodExperiment, simulate_exact, simulate_mujoco
from tarsus.records import summarise

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
ROBOT = HexapodParams()


def walk(gait, preset="exact", seconds=6.0):
    """Return the record of a walk from rest, in the exact engine or with a preset."""
    simulate = simulate_exact if preset == "exact" else simulate_mujoco
    settings = "reference" if preset == "exact" else preset
    experiment = HexapodExperiment(ROBOT, gait, Flat(), settings)
    return simulate(experiment, seconds).record


# %% [markdown]
# ## 8. The clock
#
# A leg sweeps $\varphi_s$ in the time $t_s$ and the rest of the turn in $t_c - t_s$:
#
# $$\dot\varphi_{slow} = \frac{\varphi_s}{t_s}, \qquad
# \dot\varphi_{fast} = \frac{2 \pi - \varphi_s}{t_c - t_s} .$$
#
# The two tripods alternate, each carries the body over the chord of its sweep, $2
# \rho \sin(\varphi_s / 2)$, and two chords make a stride. Feet that do not slide and
# legs that keep their length $\rho$ would give
#
# $$v = \frac{4 \rho \sin(\varphi_s / 2)}{t_c} .$$

# %%
gait = TripodGait()  # t_c = 1 s, t_s = 0.6 s, a sweep of 0.75 rad
rates = -gait.clock()(np.array([0.0, 0.5]))[1][:, 0]  # mid-stance, mid-swing of a leg
print(f"slow {rates[0]:.3f} rad/s, fast {rates[1]:.3f} rad/s")
assert np.isclose(rates[0], gait.sweep_angle / gait.slow_time)
assert np.isclose(
    rates[1], (2 * np.pi - gait.sweep_angle) / (gait.cycle_time - gait.slow_time)
)
record = walk(gait)
loaded = np.linalg.norm(record["foot_force"].values, axis=-1) > 1.0
rho = record["leg_length"].values[loaded].mean()
estimate = 4 * rho * np.sin(gait.sweep_angle / 2) / gait.cycle_time
speed = summarise(record).speed
print(f"estimate {estimate:.3f} m/s, engine {speed:.3f} m/s")
assert abs(estimate / speed - 1) < 0.02

# %% [markdown]
# Feet do slide a little and springs do yield, and the errors cancel here.
#
# ## 9. Twice the strides, twice the speed?

# %%
cycle_times = np.array([1.0, 0.8, 0.6, 0.5, 0.4, 0.35])
walks = [walk(TripodGait(t, 0.6 * t, 0.75)) for t in cycle_times]
speeds = np.array([summarise(one).speed for one in walks])
chords = 4 * rho * np.sin(0.375) / cycle_times
for t, one, chord in zip(cycle_times, speeds, chords):
    print(f"cycle {t:.2f} s: {one:.2f} m/s, {one / chord:.1f} of the estimate")
behind = [
    np.abs(one["hip_angle"] - one["hip_reference"])[3000:].mean() for one in walks
]
on_ground = [summarise(one).duty_factor.mean() for one in walks]
print("hips behind the clock [rad]:", np.round(behind, 2))
print("share of the time on the ground:", np.round(on_ground, 2))
limit = (2 * np.pi - 0.75) / (0.4 * ROBOT.motor.no_load_speed)
print(f"the motors' limit is a cycle of {limit:.3f} s")
assert abs(speeds[3] / speeds[0] / 2 - 1) < 0.03 and speeds[-1] > 1.1 * chords[-1]
assert max(behind[:4]) < 0.06 < 0.2 < behind[-1] and cycle_times[-1] < limit
assert on_ground[-1] < 0.5 < 0.6 < min(on_ground[:4])
in_mujoco = summarise(walk(TripodGait(0.5, 0.3, 0.75), "rl")).speed
print(f"cycle 0.50 s in MuJoCo: {in_mujoco:.2f} m/s")
figure, ax = plt.subplots(figsize=(7.2, 3.2))
ax.plot(1 / cycle_times, chords, "0.7", label="two chords a stride")
ax.plot(1 / cycle_times, speeds, "C0o-", label="exact engine")
ax.plot(2.0, in_mujoco, "C1x", markersize=8, label="MuJoCo, preset rl")
ax.set(xlabel="strides per second [1/s]", ylabel="speed [m/s]")
ax.legend(frameon=False)
figure.tight_layout()

# %% [markdown]
# Nearly, as long as the hips follow the clock. In the fast phase they are asked for
# $(2 \pi - \varphi_s) / (t_c - t_s)$, and below a cycle of 0.40 s that is more than
# the no-load speed of the motors. Legs then come down late, are on the ground for
# less than half of the time, and hurry through their sweep: the body is faster than
# the estimate, with less to stand on.
#
# ## 10. The cost of transport
#
# The work that the hips put in, over weight and way. A servo that brakes gets nothing
# back, so only positive power counts, of each hip:
#
# $$c = \frac{1}{m g d} \int \sum_i \max(\tau_i \omega_i, 0) \, dt .$$


# %%
def cost_of_transport(record, begin, end):
    """Return the cost of transport between two times, from the record alone."""
    part = record.sel(time=slice(begin, end))
    power = np.maximum(part["hip_torque"] * part["hip_speed"], 0.0).sum("leg")
    way = np.linalg.norm(np.diff(part["body_position"].values[[0, -1], :2], axis=0))
    return float(power.integrate("time")) / (ROBOT.total_mass * ROBOT.g * way)


by_hand, ready = cost_of_transport(record, 3.0, 6.0), summarise(record)
print(f"by hand {by_hand:.3f}, by summarise {ready.cot_positive:.3f}")
assert abs(by_hand / ready.cot_positive - 1) < 0.01
costs = [summarise(one).cot_positive for one in walks]
print("over the cycle times of exercise 9:", np.round(costs, 2))

# %% [markdown]
# ## 11. Where the work goes
#
# Hips put in work; dampers of the legs and toes on the ground take it out. What
# remains is the energy of body and springs:
#
# $$E(t) - E(0) = W_{motor} - W_{damper} - W_{contact} .$$
#
# The exact engine integrates each of the three along with the motion, so that the sum
# is a test of the whole simulation.

# %%
gone = record["damper_loss"] + record["contact_loss"]
energy, work = record["energy"], record["motor_work"]
budget = (energy - energy[0]) - (work - work[0]) + (gone - gone[0])
for name in ("motor_work", "damper_loss", "contact_loss"):
    print(f"{name:13s} {record[name].values[-1]:.2f} J")
assert np.abs(budget).max() < 1e-4
print("the budget closes to less than 0.1 mJ")
figure, ax = plt.subplots(figsize=(7.2, 3.2))
time = record["time"]
ax.plot(time, work, "k", label="motor work")
ax.fill_between(time, 0, record["damper_loss"], color="C0", alpha=0.6, label="dampers")
ax.fill_between(
    time, record["damper_loss"], gone, color="C1", alpha=0.6, label="contact"
)
ax.set(xlabel="time [s]", ylabel="energy [J]", title="Six strides of the default walk")
ax.legend(frameon=False)
figure.tight_layout()
