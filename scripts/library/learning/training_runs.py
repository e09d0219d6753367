"""What is trained, and how: every setting of every training run, in one place. A new run is a line in `RUNS`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tarsus.analytic import spelling
from tarsus.envs.frozen import ENSEMBLE, ROUGH
from tarsus.envs.kinds import check_count

# Of Stable-Baselines3's PPO: a small batch of long steps in many simulations, and little noise at first, because an
# action of one is a hip speed that no leg survives on the ground.
PPO = dict(
    n_steps=64,
    batch_size=1024,
    n_epochs=8,
    learning_rate=1e-3,
    gamma=0.98,
    gae_lambda=0.95,
    clip_range=0.2,
    target_kl=0.03,
    policy_kwargs=dict(net_arch=[64, 64], log_std_init=-1.0),
)
# For long runs: the rate falls in a straight line from the first number to the second. Held at the first, training on
# ground or robots that differ between episodes does not settle.
SETTLING = PPO | {"learning_rate": (1e-3, 5e-5)}
# Of machines whose observations are of size one, and whose action of zero is a gait: what Stable-Baselines3's PPO does
# by itself, with a rate that falls. With `PPO` above they learn less in a million steps than so in a quarter of them;
# of a million such steps the last 600,000 add 1 to 10 % to the return.
PLAIN = dict(
    n_steps=2048,
    batch_size=64,
    n_epochs=10,
    learning_rate=(3e-4, 3e-5),
    gamma=0.99,
    gae_lambda=0.95,
    clip_range=0.2,
    policy_kwargs=dict(net_arch=[64, 64]),
)
GENTLE = {"settings": PLAIN, "num_envs": 8, "normalise": False, "total_steps": 400_000}
SAC = dict(
    learning_rate=7e-4,
    batch_size=512,
    train_freq=1,
    gradient_steps=8,
    gamma=0.98,
    buffer_size=300_000,
    learning_starts=4000,
    policy_kwargs=dict(net_arch=[128, 128]),
)
SETTINGS = {"PPO": PPO, "SAC": SAC}  # of a run that names none


@dataclass(frozen=True)
class TrainingRun:
    """One training run."""

    environment: str
    options: Mapping[str, Any] = field(default_factory=dict)  # keywords of `make`
    algorithm: str = "PPO"  # or "SAC"
    settings: Mapping[str, Any] = field(default_factory=lambda: PPO)  # keywords of the algorithm
    num_envs: int = 64
    total_steps: int = 1_000_000
    normalise: bool = True  # observations and rewards by their running means
    start: str = ""  # a trained policy to begin with, a shipped one or the folder of a checkpoint; "" is none

    def __post_init__(self) -> None:
        spelling.check_name("algorithm", self.algorithm, SETTINGS)
        for name in ("options", "settings"):
            if not isinstance(getattr(self, name), Mapping):
                raise ValueError(f"{name} must be a table of names and values, got {getattr(self, name)!r}")
        for name in ("num_envs", "total_steps"):
            check_count(name, getattr(self, name), least=1)
        if not isinstance(self.normalise, bool):
            raise ValueError(f"normalise must be true or false, got {self.normalise!r}")
        if not isinstance(self.start, str):
            raise ValueError(f"start must be the name of a policy, got {self.start!r}")


PUSHED = {"randomise": ENSEMBLE, "push_speed": 1.5}
GAIT = {"action_mode": "gait"}
# A longer look ahead, and time to settle: with 0.98 a policy falls on rough ground in one of forty episodes.
PATIENT = SETTLING | dict(gamma=0.99)
# Hip speeds from scratch: with less noise still, for each of the six legs draws its own.
QUIET = {"policy_kwargs": dict(net_arch=[64, 64], log_std_init=-2.0)}
# From nothing. Noise that stays the same function of the state for 8 steps passes the servos' lag, which that of every
# step does not; what does not know its heading turns away from the way that is paid. Less of it ends falls.
LOUD = PPO | dict(n_steps=512, batch_size=128, n_epochs=10, learning_rate=(5e-4, 1e-4), gamma=0.99)
LOUD |= dict(use_sde=True, sde_sample_freq=8)
SCRATCH = ("height", "gravity", "velocity", "angular_velocity", "joint_angle", "joint_speed", "foot_contact", "action")
SCRATCH += ("correction", "heading")
# Updates of as many steps as four simulations make by `PLAIN`, in more of them, which step faster.
LEAPS = {"settings": PLAIN | {"n_steps": 512}, "num_envs": 16, "normalise": False, "total_steps": 262_144}
STEADY = LOUD | QUIET | dict(learning_rate=(2e-4, 3e-5), target_kl=0.02)
# Hip speeds are large, and one noise for a sixth of a second moves a leg far.
HUSHED = LOUD | dict(n_steps=256, batch_size=256, policy_kwargs=dict(net_arch=[64, 64], log_std_init=-3.0))
STILLER = HUSHED | dict(learning_rate=(2.5e-4, 5e-5), policy_kwargs=dict(net_arch=[64, 64], log_std_init=-3.5))
# What a gait in a clock's time needs to know: with all 103 numbers the same return takes twice as many steps.
RHYTHM = ("velocity", "angular_velocity", "pace", "clock", "tempo")
SWIFT = PPO | dict(n_steps=256, batch_size=256, learning_rate=(1e-3, 1e-4), gamma=0.99, target_kl=0.05)
SWIFT |= dict(policy_kwargs=dict(net_arch=[64, 64], log_std_init=-1.5))
BRISK = PPO | dict(n_steps=128, batch_size=512, learning_rate=(1e-3, 1e-4))
RUNS: dict[str, TrainingRun] = {
    "hexapod": TrainingRun("Hexapod-v0", total_steps=600_000),
    "hexapod-commanded": TrainingRun("Hexapod-v0", ROUGH, settings=PATIENT, total_steps=2_400_000),
    "hexapod-gait": TrainingRun("Hexapod-v0", GAIT, total_steps=600_000),
    "hexapod-gait-sac": TrainingRun("Hexapod-v0", GAIT, "SAC", SAC, num_envs=8, total_steps=200_000),
    "hexapod-gait-randomised": TrainingRun("Hexapod-v0", GAIT | PUSHED, settings=SETTLING, total_steps=600_000),
    "multipod": TrainingRun("Multipod-v1", **GENTLE),
    "bigant": TrainingRun("BigAnt-v1", **GENTLE),
    "dog": TrainingRun("Dog-v0", **GENTLE),
    "hopping-leg": TrainingRun("HoppingLeg-v1", **GENTLE),
    "slip-leg": TrainingRun("SlipLeg-v1", **GENTLE),
    "multipod-quasistatic": TrainingRun("MultipodQuasistatic-v1", **GENTLE),
    "hexapod-economy": TrainingRun("tarsus/HexapodEconomy-v0", GAIT, settings=BRISK, num_envs=16, total_steps=262_144),
    "multipod-follow": TrainingRun("tarsus/MultipodFollow-v0", {"observations": RHYTHM}, "PPO", SWIFT, 16, 262_144),
    "hopping-ditch": TrainingRun("tarsus/HoppingDitch-v0", **LEAPS),
    "dog-scratch-loud": TrainingRun("tarsus/DogScratch-v0", {"observations": SCRATCH}, "PPO", LOUD, 8, 300_000),
    "dog-scratch": TrainingRun(
        *("tarsus/DogScratch-v0", {"observations": SCRATCH}, "PPO", STEADY, 8, 131_072),
        start="runs/dog-scratch-loud-0/best",
    ),
    "hexapod-scratch-first": TrainingRun("tarsus/HexapodScratch-v0", {}, "PPO", HUSHED, 16, 400_000),
    "hexapod-scratch-on": TrainingRun(
        *("tarsus/HexapodScratch-v0", {}, "PPO", HUSHED, 16, 600_000), start="runs/hexapod-scratch-first-0/best"
    ),
    "hexapod-scratch": TrainingRun(
        *("tarsus/HexapodScratch-v0", {}, "PPO", STILLER, 16, 600_000), start="runs/hexapod-scratch-on-0/latest"
    ),
}


def find(name: str) -> TrainingRun:
    """Return the run of that name, or of a file in TOML with the fields of `TrainingRun`; ValueError or OSError."""
    if name.endswith(".toml"):
        return from_file(Path(name))
    name = name.replace("_", "-")  # as machines may be spelled
    spelling.check_name("training run", name, RUNS)
    return RUNS[name]


def listed() -> str:
    """Return every run that has a name, with its environment, as lines of a help."""
    width = max(map(len, RUNS))
    rows = [f"  {name:{width}}  {run.environment}, {run.total_steps:,} steps" for name, run in RUNS.items()]
    return "\n".join(["training runs by name, beside files NAME.toml and --env NAME:", *rows])


def from_file(path: Path) -> TrainingRun:
    """Return the run of a file in TOML with the fields of `TrainingRun`; ValueError if it is none, or OSError."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of TOML or of UTF-8
        raise ValueError(f"{path} is no TOML: {error}") from error
    known = [entry.name for entry in fields(TrainingRun)]
    if unknown := [name for name in said if name not in known]:
        raise ValueError(f"{path}: unknown entry {unknown[0]!r}; there are {spelling.listed(unknown[0], known)}")
    if not isinstance(said.get("environment"), str):
        raise ValueError(f'{path} must name its environment: environment = "Hexapod-v0"')
    if said.get("algorithm", "PPO") in SETTINGS:
        said.setdefault("settings", SETTINGS[said.get("algorithm", "PPO")])
    return TrainingRun(**said)


def changed(run: TrainingRun, algorithm: str | None, options: Mapping[str, Any], **more: Any) -> TrainingRun:
    """Return a run with changes, None leaves one; another algorithm comes with the settings of its own."""
    spelling.check_name("algorithm", algorithm or run.algorithm, SETTINGS)
    if algorithm and algorithm != run.algorithm:
        run = replace(run, algorithm=algorithm, settings=SETTINGS[algorithm])
    said = {name: value for name, value in more.items() if value is not None}
    return replace(run, options={**run.options, **options}, **said)


def for_algorithm(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as the algorithm wants them: a learning rate of two numbers as a function of the share left."""
    settings = plain(settings)
    rate = settings.get("learning_rate")
    if isinstance(rate, list):
        first, last = rate
        settings["learning_rate"] = lambda left: last + left * (first - last)  # left goes from 1 to 0
    return settings


def differences(made: Mapping[str, Any], asked: Mapping[str, Any], path: str = "") -> list[str]:
    """Return the differences of two settings, nested mappings entry by entry, as sentences."""
    found = []
    for name in sorted({*made, *asked}):
        old, new = made.get(name, "the default"), asked.get(name, "the default")
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, f"{path}{name}.")
        elif plain(old) != plain(new):
            found.append(f"{path}{name} was {old!r}, asked for is {new!r}")
    return found


def plain(value: Any) -> Any:
    """Return a value as JSON would keep it: mappings as dictionaries, sequences as lists."""
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


def as_dict(run: TrainingRun) -> dict[str, Any]:
    """Return a run's fields, as JSON would keep them."""
    return {entry.name: plain(getattr(run, entry.name)) for entry in fields(run)}
