"""Gaits of the hexapod's clock on a grid, on this machine or on many: joblib spreads them over processes, Dask or Ray.

Dask and Ray come with the extra `ray`, in an environment of its own. A gait takes about a second
of a core.
"""

import contextlib
import importlib.util
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.compilation import extras
from tarsus.analytic.models.hexapod import ROBOTS
from tarsus.scripts.command.signature import Count, Positive
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.search.found import Found, Parameter, Tried
from tarsus.scripts.library.search.searches import Search, Trials

CLUSTERS = {"dask": "distributed", "ray": "ray"}  # backends that are on other machines, and their packages
BACKENDS = ("loky", "threading", *CLUSTERS)


def episode(gait: TripodGait, n_steps: int, robot: str = "table2") -> tuple[float, float]:
    """Return an episode's return and mean speed [m/s]; it ends after `n_steps` or with a fall."""
    import gymnasium

    from tarsus.scripts.library.learning.evaluation import steps
    from tarsus.scripts.library.learning.hand_made import clock

    options = {"max_episode_steps": n_steps, "reset_noise": 0.0, "action_mode": "velocity", "params": robot}
    env = gymnasium.make("tarsus:Hexapod-v0", **options)
    rewards, _, infos = zip(*steps(env, clock(env, 0, gait), 0), strict=True)
    return sum(rewards), infos[-1]["distance"] / infos[-1]["time"]


@dataclass(frozen=True)
class GaitSweep(Search):
    """A sweep of gaits of the clock on Hexapod-v0.

    Attributes:
        backend: Where joblib runs the sweep.
        address: Of a running Dask scheduler or Ray cluster; by default one is started here.
        cycle_times: t_c [s].
        sweep_angles: phi_s [rad].
        duty: t_s / t_c.
        robot: The hexapod.
        steps: Of an episode, 20 ms each.
    """

    backend: Literal[BACKENDS] = "loky"
    address: str | None = None
    cycle_times: tuple[Positive, ...] = (0.5, 0.75, 1.0)
    sweep_angles: tuple[Positive, ...] = (0.5, 0.75, 1.0)
    duty: Positive = 0.6
    robot: Literal[tuple(ROBOTS)] = "table2"
    steps: Count = 500

    unit = "the gait"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The sides of the grid."""
        sides = ("cycle_time", self.cycle_times, "s"), ("sweep_angle", self.sweep_angles, "rad")
        return tuple(Parameter(name, min(values), max(values), unit) for name, values, unit in sides)

    @property
    def maximised(self) -> str:
        """From rest, without noise."""
        return f"return of {self.steps} steps"

    @property
    def total(self) -> int:
        """Gaits of the grid."""
        return len(self.cycle_times) * len(self.sweep_angles)

    @property
    def points(self) -> np.ndarray:
        """The grid, cycle time by cycle time, shape (n, 2)."""
        return np.array([*itertools.product(self.cycle_times, self.sweep_angles)])

    def gait_at(self, point: np.ndarray) -> TripodGait:
        """Return the gait of a point (2,)."""
        cycle_time, sweep_angle = (float(value) for value in point)
        return TripodGait(cycle_time, self.duty * cycle_time, sweep_angle)

    def check(self) -> None:
        """Refuse gaits that are impossible, a backend that is not here, or an address for one of this machine.

        Raises:
            ValueError: The sentence says which.
        """
        for point in self.points:
            self.gait_at(point)
        check(self.backend, self.address)

    def explore(self, trials: Trials) -> bool:
        """Walk the grid; a Ctrl-C that workers heard of ends it too."""
        with contextlib.suppress(KeyboardInterrupt), workers(self.backend, self.address):
            one_by_one = getattr(
                get_active_backend()[0], "supports_return_generator", False
            )  # Ray gives all at the end
            run = joblib.Parallel(n_jobs=-1, return_as="generator" if one_by_one else "list")
            walks = run(joblib.delayed(episode)(self.gait_at(point), self.steps, self.robot) for point in self.points)
            for point, (total, speed) in zip(self.points, walks, strict=True):
                trials.add([Tried(point, float(total), float(speed))])
                if trials.stopped():
                    break
        return len(trials.tried) == self.total

    def finish(self, found: Found, trials: Trials, confirm: bool) -> Found:
        """Return the result with the grid: return and speed [m/s], NaN of gaits that were not finished."""
        values = np.full((self.total, 2), np.nan)
        values[: len(found.tried)] = [(row.score, row.about) for row in found.tried]
        total, speed = values.T.reshape(2, len(self.cycle_times), len(self.sweep_angles))
        rows = [
            (f"{row.point[0]:g}", f"{row.point[1]:g}", f"{row.score:.1f}", f"{row.about:.3f}") for row in found.tried
        ]
        told = markdown_table(("t_c [s]", "phi_s [rad]", self.maximised, "speed [m/s]"), rows)
        made = {"gait": self.gait_at(found.point), "returns": total, "speeds": speed}
        return replace(found, made=made, told=told)


def check(backend: str, address: str | None) -> None:
    """Refuse a backend of joblib that is not here, and an address for one of this machine."""
    if address and backend not in CLUSTERS:
        raise ValueError(f"--address is for the backends {' and '.join(CLUSTERS)}, not for {backend!r}")
    if importlib.util.find_spec(CLUSTERS.get(backend, "joblib")) is None:
        raise ValueError(f"no {backend} is here; {extras.install('ray')}")


@contextlib.contextmanager
def workers(name: str, address: str | None = None) -> Iterator[None]:
    """Make joblib use processes of this machine, or the workers of Dask or Ray; without an address they start here."""
    with contextlib.ExitStack() as stack:
        if name == "dask":
            from distributed import Client

            stack.enter_context(Client(address) if address else Client(n_workers=2, threads_per_worker=1))
        elif name == "ray":
            import ray
            from ray.util.joblib import register_ray

            ray.init(address=address, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
            stack.callback(ray.shutdown)
            register_ray()
        stack.enter_context(joblib.parallel_config(backend=name))
        yield
