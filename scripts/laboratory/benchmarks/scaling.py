"""Time the contact solver and MuJoCo on a disc of 3 to 50 legs in random poses, after figure 8a of arXiv:2310.20669.

Usage: tarsus benchmark scaling [--out FILE] [--poses 1000] [--legs 3 12 50] [--seed 0]. Runtime: a few minutes.

Every pose and velocity is timed by itself in both engines, in rounds that take turns, in CPU time of one thread; a
pose's time is the median of its rounds. MuJoCo makes one `mj_step` from the pose (the robot's dynamics, its kinematics
and its contacts); the solver gets foot positions and velocities, which is what it needs, and finds loads, velocity and
forces. MuJoCo runs as it does for a user who sets nothing (Newton, pyramidal cones, Jacobian `auto`, which turns sparse
at 60 degrees of freedom, here at 18 legs), and once more with the dense Jacobian: version 4.0.0 has a known fault in
the sparse one, which does not show in these runs. The solver is double precision, support and velocity to rounding.
"""

from __future__ import annotations

import time
from typing import Annotated

import mujoco
import numpy as np

from tarsus.analytic.contact import Coulomb, Feet, Solver, Viscous, solve
from tarsus.mjcf import compile_model
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Seed
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.benchmarks.contact import batch_run
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.laboratory.models import disc_mujoco
from tarsus.scripts.laboratory.models.disc import MAX_LEGS, MIN_LEGS, DiscParams, foot_positions, foot_velocities

PACKAGES = ("numpy", "numba", "mujoco")
FILES = ("scaling.npz", "scaling.png")
Legs = Annotated[int, arguments.integer(MIN_LEGS, MAX_LEGS)]
ROUNDS = 5
REPEATS = 10  # calls of the solver between two readings of the clock, which take as long as a call
TABLE = (3, 6, 12, 17, 18, 21, 30, 42, 50)  # legs in the printed table
PERCENTILES = (2.5, 25.0, 50.0, 75.0, 97.5)
JACOBIANS = {"auto": mujoco.mjtJacobian.mjJAC_AUTO, "dense": mujoco.mjtJacobian.mjJAC_DENSE}
SOLVERS = {"viscous": Viscous(), "coulomb": Coulomb(1e-6)}
ENGINES = ("mj_step auto", "mj_step dense", "viscous", "coulomb")  # timed pose by pose
KERNELS = ("kernel viscous", "kernel coulomb")  # timed in a batch of all poses, without Python's call
DEPTH = 0.002  # of the feet at zero lift below the ground [m]: about half of them are in contact
SPEED = 0.3  # standard deviation of joint rates [m/s, rad/s], and of the body's velocity


def user_model(params: DiscParams, jacobian: str) -> mujoco.MjModel:
    """Return the disc with MuJoCo's own options: solver, cones, integrator and timestep."""
    spec = disc_mujoco.build(params, preset="rl")
    spec.option = mujoco.MjSpec().option
    spec.option.jacobian = JACOBIANS[jacobian]
    return compile_model(spec)


def poses(params: DiscParams, count: int, rng) -> tuple[np.ndarray, ...]:
    """Return random joints and rates, shape (count, n, 3) both, and velocities of the body, (count, 6)."""
    reach = 0.9 * params.ranges
    joints = rng.uniform(-reach, reach, (count, params.n_legs, 3))
    rates, body = SPEED * rng.normal(size=joints.shape), SPEED * rng.normal(size=(count, 6))
    return joints, rates, body


def step_times(params: DiscParams, jacobian: str, joints, rates, body) -> tuple[np.ndarray, int, bool]:
    """Return the seconds of `mj_step` from each pose, its median number of constraints, and whether they are sparse."""
    model = user_model(params, jacobian)
    data = mujoco.MjData(model)
    qpos = np.zeros((len(joints), model.nq))
    qpos[:, 2], qpos[:, 3] = params.leg_length - DEPTH, 1.0
    qpos[:, 7:] = joints.reshape(len(joints), -1)
    qvel = np.concatenate([body, rates.reshape(len(joints), -1)], axis=1)
    times, constraints = np.empty(len(joints)), np.empty(len(joints))
    for i in range(len(joints)):
        data.qpos[:], data.qvel[:], data.qacc_warmstart[:] = qpos[i], qvel[i], 0.0
        begin = time.thread_time_ns()
        mujoco.mj_step(model, data)
        times[i] = time.thread_time_ns() - begin
        constraints[i] = data.nefc
    return 1e-9 * times, int(np.median(constraints)), bool(mujoco.mj_isSparse(model))


def call_times(solver: Solver, pos, vel) -> np.ndarray:
    """Return the seconds of one call of the solver for each pose."""
    times = np.empty(len(pos))
    for i, frame in enumerate(zip(pos, vel, strict=True)):
        begin = time.thread_time_ns()
        for _ in range(REPEATS):
            solver(*frame)
        times[i] = time.thread_time_ns() - begin
    return 1e-9 * times / REPEATS


def time_legs(n_legs: int, count: int, rng) -> dict[str, np.ndarray | int | bool]:
    """Return the seconds of every pose by engine, of a frame in the kernels, and MuJoCo's constraints.

    Raises:
        RuntimeError: If a pose is not solved; then its time would mean nothing.
    """
    params = DiscParams(n_legs=n_legs)
    joints, rates, body = poses(params, count, rng)
    pos, vel = foot_positions(params, joints), foot_velocities(params, joints, rates)[..., :2].copy()
    weight = params.total_mass * params.g
    feet = Feet(params.lift_k, params.friction_coeff, weight)
    for name, law in SOLVERS.items():
        unsolved = np.count_nonzero(~solve(pos, vel, feet, law, parallel=False).solved)
        if unsolved:
            raise RuntimeError(f"the {name} solver left {unsolved} of {count} poses of {n_legs} legs unsolved")
    solvers = {name: Solver(feet, n_legs, law) for name, law in SOLVERS.items()}
    rounds = {name: [] for name in ENGINES}
    for _ in range(ROUNDS):
        for jacobian in JACOBIANS:
            times, nefc, sparse = step_times(params, jacobian, joints, rates, body)
            rounds[f"mj_step {jacobian}"].append(times)
            if jacobian == "auto":
                found = {"nefc": nefc, "sparse": sparse}
        for name, solver in solvers.items():
            rounds[name].append(call_times(solver, pos, vel))
    found |= {name: np.median(values, axis=0) for name, values in rounds.items()}
    runs = {f"kernel {name}": batch_run(pos, vel, law, weight, params.lift_k) for name, law in SOLVERS.items()}
    return found | {name: seconds / count for name, seconds in timing.medians(runs, ROUNDS).items()}


def compute(legs=range(MIN_LEGS, MAX_LEGS + 1), count: int = 1000, seed: int = 0, progress: bool = False) -> dict:
    """Return legs (n,), percentiles (n, 5) of each engine's time, the kernels' times (n,) [s], `nefc` and `sparse`."""
    from tqdm import tqdm

    rng = np.random.default_rng(seed)
    rows = [time_legs(n, count, rng) for n in tqdm(legs, disable=not progress)]
    data = {"legs": np.array(list(legs))}
    data |= {name: np.array([np.percentile(row[name], PERCENTILES) for row in rows]) for name in ENGINES}
    return data | {name: np.array([row[name] for row in rows]) for name in (*KERNELS, "nefc", "sparse")}


def table(data: dict) -> Table:
    """Return medians in microseconds and relative to the fewest legs, with the middle 95 % of the poses."""
    head = ("legs", "constraints", "Jacobian", *(f"{name} [us]" for name in (*ENGINES, *KERNELS)))
    rows = []
    for i, n in enumerate(data["legs"]):
        if n not in TABLE and i not in (0, len(data["legs"]) - 1):
            continue
        cells = []
        for name in ENGINES:
            low, _, median, _, high = 1e6 * data[name][i]
            cells.append(f"{median:.2f} ({low:.2f} to {high:.2f}), x{median / (1e6 * data[name][0, 2]):.2f}")
        cells += [f"{1e6 * data[name][i]:.2f}, x{data[name][i] / data[name][0]:.2f}" for name in KERNELS]
        rows.append((n, data["nefc"][i], "sparse" if data["sparse"][i] else "dense", *cells))
    return Table(head, rows)


def draw(data: dict):
    """Draw the times relative to the fewest legs, and in microseconds, with bands of percentiles."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    labels = {
        "mj_step auto": "MuJoCo, its own settings",
        "mj_step dense": "MuJoCo, dense Jacobian",
        "viscous": "contact solver, viscous, a call",
        "coulomb": "contact solver, Coulomb to 1e-6, a call",
    }
    legs = data["legs"]
    for axis, relative in zip(axes, (True, False), strict=True):
        for color, (name, label) in enumerate(labels.items()):
            times = data[name] / data[name][0, 2] if relative else 1e6 * data[name]
            axis.plot(legs, times[:, 2], color=f"C{color}", lw=1.5, label=label)
            axis.fill_between(legs, times[:, 0], times[:, 4], color=f"C{color}", alpha=0.12, lw=0)
            axis.fill_between(legs, times[:, 1], times[:, 3], color=f"C{color}", alpha=0.25, lw=0)
        for color, name in enumerate(KERNELS, start=2):
            times = data[name] / data[name][0] if relative else 1e6 * data[name]
            label = labels[name.split()[1]].replace("a call", "in a batch")
            axis.plot(legs, times, color=f"C{color}", ls="--", lw=1.2, label=label)
        axis.set(xlabel="legs", xlim=(legs[0], legs[-1]))
    ticks = (1, 2, 5, 10, 20, 50, 100)
    axes[0].set(ylabel=f"time of a frame, relative to the median at {legs[0]} legs", yscale="log")
    axes[0].set_yticks(ticks, [f"x{tick}" for tick in ticks])
    axes[0].minorticks_off()
    axes[1].set(ylabel="time of a frame [us]", yscale="log")
    axes[0].legend(frameon=False, fontsize=8)
    return figure


def tables(poses: Count = 1000, legs: tuple[Legs, ...] | None = None, seed: Seed = 0) -> Page:
    """Return the table, the figure and its data.

    Args:
        poses: Random poses per number of legs (the paper: 1000).
        legs: Numbers of legs; by default all.
        seed: Of the poses.
    """
    data = compute(sorted(set(legs)) if legs else range(MIN_LEGS, MAX_LEGS + 1), poses, seed, progress=True)
    return Page(table(data), files={"scaling.npz": lambda: data, "scaling.png": lambda: draw(data)})
