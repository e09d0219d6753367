"""A policy's certificate from its name: what `tarsus.certify` and `tarsus certify` do."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import joblib

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import SURROGATES
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.certificates import judging, settings, shown
from tarsus.scripts.library.certificates.certificate import Certificate
from tarsus.scripts.library.certificates.replay import Track
from tarsus.scripts.library.learning import environments, loading, playing
from tarsus.scripts.library.learning.loading import Candidate
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers, with_friction
from tarsus.scripts.library.stability import asking

RESERVED = ("preset", "engine", "params")  # options that the settings set


@dataclass(frozen=True)
class Certified:
    """A policy that was certified.

    Attributes:
        certificate: The verdict, and a row for each setting.
        tracks: The episodes in each setting, by its name.
    """

    certificate: Certificate
    tracks: dict[str, list[Track]]

    @property
    def verdict(self) -> str:
        """Whether the policy holds, drifts or leans."""
        return self.certificate.verdict

    def draw(self) -> Any:
        """Return the picture, a figure of Matplotlib."""
        return shown.draw(self.certificate, self.tracks)

    def __str__(self) -> str:
        """Return the table and what it says, in words."""
        return shown.text(self.certificate)


def ready(
    policy: str, environment: str | None, options: Mapping[str, Any], wrappers: Wrappers = UNSAID
) -> tuple[Candidate, Any]:
    """Return a policy that can act in its environment, and the configuration of that; OSError if a file cannot be read.

    ValueError if there is none, they do not go together, or the settings set one of the options.
    """
    for name in RESERVED:
        if name in options:
            raise ValueError(f"--option {name} is set by the settings of the certification; leave it out")
    candidate = loading.load(policy, environment, options, wrappers=wrappers)
    env = check(candidate)
    config = env.unwrapped.config
    settings.fan(config)
    env.close()
    return candidate, config


def check(candidate: Candidate) -> gymnasium.Env:
    """Return the environment of a policy, which has shown that it can act in it; ValueError if it cannot."""
    if candidate.environment in SURROGATES:
        raise ValueError(f"{candidate.environment} is no simulation in MuJoCo, and has no contacts to vary")
    if not environments.is_simulation(candidate.environment):
        raise ValueError(f"{candidate.environment} has no settings to vary; machines of ours and of own_robot have")
    env = playing.make(candidate.environment, candidate.options)
    playing.check_acts(candidate.name, env, candidate.make)
    return env


def certified(candidate: Candidate, config: Any, seeds: Sequence[int], seconds: float | None, jobs: int) -> Certified:
    """Return the certificate of a policy that is ready; see `certify`. NotFinite if its actions are not finite."""
    with joblib.parallel_config(backend="threading"):  # physics runs without Python's lock
        return Certified(*judging.certify(candidate, config, seeds, seconds, jobs))


@in_python
def certify(
    policy: str,
    environment: str | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    seeds: int = 5,
    seconds: float | None = None,
    jobs: int = -1,
    first_seed: int = 0,
    normaliser: str | None = None,
    stack: int | None = None,
    friction: float | None = None,
    stability: bool = False,
) -> Certified:
    """Return the certificate that says whether a policy depends on the simulator it was trained in.

    Args:
        policy: A name, the folder of a checkpoint, a .zip of Stable-Baselines3, an .onnx, or MODULE:FUNCTION.
        environment: By default Hexapod-v0, or the policy's own.
        options: Of the environment.
        seeds: Episodes in each setting.
        seconds: How long an episode is [s]; by default as long as the environment's.
        jobs: Settings at a time; -1 takes every core.
        first_seed: The first of the seeds.
        normaliser: File of a .zip's `VecNormalize`, or "none"; by default what belongs to it and lies beside it.
        stack: How many observations a .zip sees together; by default what its observation says.
        friction: Coefficient of the ground of a robot's file; by default the file's, or the policy's own.
        stability: Whether to say, too, how stable the gait is in MuJoCo, see `tarsus.stability`; that takes minutes.

    Raises:
        ValueError: If there is no such policy or environment, or they do not go together.
        OSError: If a file cannot be read.
    """
    asked, wrappers = (policy, environment, with_friction(options, friction)), Wrappers(normaliser, stack)
    found = ready(*asked, wrappers)
    make = functools.partial(asking.subject_of, *asked, "mujoco", wrappers)
    subject = make() if stability else None  # refused before what takes minutes
    made = certified(*found, range(first_seed, first_seed + seeds), seconds, jobs)
    return with_stability(made, subject, make, jobs) if subject else made


def with_stability(
    made: Certified, subject: asking.Loop | asking.Gait, make: Callable[[], asking.Loop | asking.Gait], jobs: int
) -> Certified:
    """Return the certificate with a line on the gait's stability, from the first of its seeds."""
    seeds = made.certificate.seeds[: asking.SEEDS]
    found = asking.asked(subject, make, made.certificate.policy, seeds, jobs=jobs)
    line = f"stability: {found.said}"
    certificate = replace(made.certificate, lines=(*made.certificate.lines, line))
    return replace(made, certificate=certificate)
