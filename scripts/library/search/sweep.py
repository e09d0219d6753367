"""Gaits of the hexapod's clock on a grid, on this machine or on many: joblib spreads them over processes, Dask or Ray.

The sweep itself is `compute`: it calls joblib and knows nothing of where the work is done.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
from collections.abc import Iterator

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from tqdm import tqdm

from tarsus.analytic.clock import TripodGait

CLUSTERS = {"dask": "distributed", "ray": "ray"}  # backends that are on other machines, and their packages
BACKENDS = ("loky", "threading", *CLUSTERS)


def episode(gait: TripodGait, n_steps: int, robot: str = "table2") -> tuple[float, float]:
    """Return an episode's return and mean speed [m/s]; it ends after `n_steps` or with a fall."""
    import gymnasium

    from tarsus.scripts.library.learning.evaluation import steps
    from tarsus.scripts.library.learning.policies import clock

    options = {"max_episode_steps": n_steps, "reset_noise": 0.0, "action_mode": "velocity", "params": robot}
    env = gymnasium.make("tarsus:Hexapod-v0", **options)
    rewards, _, infos = zip(*steps(env, clock(env, 0, gait), 0), strict=True)
    return sum(rewards), infos[-1]["distance"] / infos[-1]["time"]


def gaits_of(cycle_times, sweep_angles, duty: float) -> list[TripodGait]:
    """Return the gaits of a sweep, cycle time by cycle time.

    Raises:
        ValueError: If one is impossible.
    """
    return [TripodGait(t_c, duty * t_c, phi_s) for t_c, phi_s in itertools.product(cycle_times, sweep_angles)]


def compute(
    cycle_times, sweep_angles, duty: float = 0.6, n_steps: int = 500, robot: str = "table2"
) -> dict[str, np.ndarray]:
    """Return `return` and `speed` [m/s] of every gait, shape (n_cycle_times, n_sweep_angles), on joblib's backend.

    Ctrl-C ends the sweep; gaits that were not finished are NaN then.
    """
    gaits = gaits_of(cycle_times, sweep_angles, duty)
    one_by_one = getattr(get_active_backend()[0], "supports_return_generator", False)  # Ray gives all at the end
    run, found = joblib.Parallel(n_jobs=-1, return_as="generator" if one_by_one else "list"), []
    with contextlib.suppress(KeyboardInterrupt):
        for made in run(
            joblib.delayed(episode)(gait, n_steps, robot) for gait in tqdm(gaits, unit="gait", mininterval=1)
        ):
            found.append(made)
    found += [(np.nan, np.nan)] * (len(gaits) - len(found))
    total, speed = np.array(found).T.reshape(2, len(cycle_times), len(sweep_angles))
    return {"return": total, "speed": speed}


def rows(cycle_times, sweep_angles, found: dict[str, np.ndarray]) -> list[list[str]]:
    """Return the rows of a sweep's table, a gait each, of those that were finished."""
    return [
        [f"{t_c:g}", f"{phi_s:g}", f"{found['return'][i, j]:.1f}", f"{found['speed'][i, j]:.3f}"]
        for (i, t_c), (j, phi_s) in itertools.product(enumerate(cycle_times), enumerate(sweep_angles))
        if np.isfinite(found["return"][i, j])
    ]


def check(name: str, address: str | None) -> None:
    """Refuse a backend that is not here, or an address for one of this machine.

    Raises:
        ValueError: The sentence says which.
    """
    if address and name not in CLUSTERS:
        raise ValueError(f"--address is for the backends {' and '.join(CLUSTERS)}, not for {name!r}")
    if importlib.util.find_spec(CLUSTERS.get(name, "joblib")) is None:
        raise ValueError(f"no {name} is here; pip install -c constraints-ray.txt 'tarsus[ray]'")


@contextlib.contextmanager
def backend(name: str, address: str | None = None) -> Iterator[None]:
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
