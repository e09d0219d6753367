"""Environment steps per second of MultipodQuasistatic-v0, beside Multipod-v0 in MuJoCo, on one core.

Usage: tarsus benchmark surrogate [--legs 6 12 50] [--num-envs 4096] [--repeats 5]. Runtime: about a minute.

Every row is measured in turn, `repeats` times over after one round of warm-up, in one process on one thread, by CPU
time. Actions are those of the undulation as joint speeds; both environments have a control period of 0.02 s.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import gymnasium
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.controllers import gaits
from tarsus.scripts import arguments, report

PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "numba")
CTRL_DT = 0.02  # [s]
N_ENVS_MUJOCO = 64


@dataclass
class Row:
    """One line of the table: a vector environment, and the actions of all its robots, shape (n_steps, n, n_actions)."""

    label: str
    env: gymnasium.vector.VectorEnv
    actions: np.ndarray
    seconds: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Run the actions once and note the CPU time."""
        self.env.reset(seed=0)
        start = time.process_time()
        for action in self.actions:
            self.env.step(action)
        self.seconds.append(time.process_time() - start)

    @property
    def rates(self) -> np.ndarray:
        """Steps per second of all robots together, shape (n_repeats,)."""
        return self.actions.shape[0] * self.actions.shape[1] / np.array(self.seconds)


def undulating(n_legs: int, n: int, n_steps: int, speed: float) -> np.ndarray:
    """Return the undulation as actions, each robot at a phase of its own; an action of 1 is a joint speed `speed`."""
    gait = gaits.make("undulation", n_legs)
    times = CTRL_DT * np.arange(n_steps)[:, None] + gait.period * np.linspace(0, 1, n, endpoint=False)
    _, rate = gait(times)
    return (rate / speed).reshape(n_steps, n, n_legs)


def rows(n_legs: int, num_envs: int, n_steps: int = 20) -> list[Row]:
    """Return the lines of a robot: the surrogate under both laws, and MuJoCo."""
    made = []
    for law in ("viscous", "coulomb"):
        env = gymnasium.make_vec(
            "MultipodQuasistatic-v0", num_envs, vectorization_mode="vector_entry_point", n_legs=n_legs, law=law
        )
        speed = env.unwrapped.config.robot.motor.no_load_speed
        made.append(Row(f"surrogate, {law}, {n_legs} legs", env, undulating(n_legs, num_envs, n_steps, speed)))
    env = gymnasium.make_vec(
        "Multipod-v0", N_ENVS_MUJOCO, vectorization_mode="vector_entry_point", n_legs=n_legs, n_threads=1
    )
    made.append(Row(f"Multipod-v0, rl, {n_legs} legs", env, undulating(n_legs, N_ENVS_MUJOCO, 5, speed)))
    return made


def table(measured: list[Row]) -> str:
    """Return the Markdown table."""
    lines = []
    for row in measured:
        spread = f"{np.median(row.rates):,.0f} ({row.rates.min():,.0f} to {row.rates.max():,.0f})"
        lines.append((row.label, row.env.num_envs, spread))
    return report.markdown_table(("environment", "robots", "steps/s, median (min to max)"), lines)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus benchmark surrogate", description=__doc__.partition("\n")[0])
    parser.add_argument("--legs", type=arguments.count, nargs="+", default=[6, 12, 50])
    parser.add_argument("--num-envs", type=arguments.simulations, default=4096, help="robots of the surrogate")
    parser.add_argument("--repeats", type=arguments.count, default=5)
    with arguments.read(parser, argv) as args:
        for n_legs in args.legs:
            MultipodParams(n_legs=n_legs)
    measured = [row for n_legs in args.legs for row in rows(n_legs, args.num_envs)]
    for _ in tqdm(range(args.repeats + 1), desc="rounds"):
        for row in measured:
            row.measure()
    for row in measured:
        del row.seconds[0]  # the warm-up
    print(table(measured))
    print(f"{report.versions(*PACKAGES)}, on {report.machine()}; one thread, CPU time")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
