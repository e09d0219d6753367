"""The plan of a training and its folder: checked, and refused with a sentence, before it begins."""

import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from tarsus.analytic.compilation import extras
from tarsus.analytic.spelling import check_name, listed
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.command.signature import Seed
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.learning import checkpoint, environments, playing, robot_files, starting, training_runs
from tarsus.scripts.library.learning.training_runs import TrainingRun
from tarsus.scripts.library.learning.wrappers import with_friction

OURS = ("policy", "env", "seed", "device", "tensorboard_log", "verbose", "_init_setup_model")  # keywords we give
PLAIN_ENVS = 16  # simulations of a run with the library's own settings
STEPS = arguments.integer(1, 10**12)


def how_to_go_on(folder: Path) -> str:
    """Return the advice for going on with a training that was ended before its time."""
    latest = checkpoint.newest(folder / "latest")
    if not latest.exists():
        return "there is no checkpoint yet, the training starts afresh"
    return f"--resume goes on from step {checkpoint.settings(latest)['steps']}, in {latest}"


def how_to_look(folder: Path) -> str:
    """Return the folder of a training's results and the command that shows them, in words."""
    best, every = f"{folder}/best", f"{folder}/evaluations.npz has all evaluations"
    return f"""{best} is the best policy; tarsus evaluate {best} shows what it does, --video walk.mp4 films it
{every}, {folder}/log-*/progress.csv what was learned, update by update"""


@dataclass(frozen=True)
class Asked:
    """A training as somebody asks for it: one of `run` and `environment` is given, or both where the run is a file.

    Attributes:
        run: A name of `training_runs.RUNS`, or a file NAME.toml with the fields of a `TrainingRun`.
        environment: Instead of a run, with our settings of the algorithm, or of the file of a run; of MODULE:NAME the
            module is imported, a robot's FILE (.urdf, .xml) is registered.
        options: Of the environment.
        friction: Coefficient of the ground of a robot's FILE; by default that of the file's feet on its floor.
        algorithm: "ppo" or "sac"; by default the run's.
        settings: Keywords of the algorithm.
        plain: The library's own settings, nothing normalised, 16 simulations.
        start: A trained policy to begin with: its name or its folder.
        steps: Of all simulations together; by default the run's own.
        num_envs: Simulations; by default the run's own.
        seed: Of the training.
        out: Folder of the results, which go into RUN-SEED there.
        resume: Go on from the latest checkpoint, which is unpickled, and can run any code.
        eval_every: Steps between evaluations and checkpoints.
        threads: Of physics and learning; 0 is one for each processor that is idle now.
    """

    run: str | None = None
    environment: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    friction: Annotated[float, arguments.number(0, 100)] | None = None
    algorithm: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    plain: bool = False
    start: str | None = None
    steps: Annotated[int, STEPS] | None = None
    num_envs: Annotated[int, arguments.simulations] | None = None
    seed: Seed = 0
    out: Annotated[Path, paths.folder_to_write] = Path("runs")
    resume: bool = False
    eval_every: Annotated[int, STEPS] = 50_000
    threads: Annotated[int, arguments.threads] = 0

    @property
    def folder(self) -> Path:
        """Where its files go."""
        what = Path(self.run).stem if self.run else robot_files.called(self.environment or "").rpartition("/")[2]
        return self.out / f"{what}-{self.seed}"


def described(asked: Asked) -> TrainingRun:
    """Return the run that is asked for; ValueError if there is none such, OSError if its file cannot be read."""
    if (asked.run is None) == (asked.environment is None) and not (asked.run or "").endswith(".toml"):
        names = ", ".join(training_runs.RUNS)
        raise ValueError(f"takes a run or --env NAME; runs are {names}, and files NAME.toml, which may have both")
    named = asked.environment and environments.asked_for(asked.environment)
    run = TrainingRun(named) if asked.run is None else training_runs.find(asked.run)
    run = replace(run, environment=named or environments.environment_of(run.environment))
    algorithm = asked.algorithm and asked.algorithm.upper()
    more = {"total_steps": asked.steps, "num_envs": asked.num_envs, "start": asked.start}
    run = training_runs.changed(run, algorithm, with_friction(asked.options, asked.friction), **more)
    if asked.plain:
        run = replace(run, settings={}, normalise=False, num_envs=asked.num_envs or PLAIN_ENVS)
    return starting.adopted(replace(run, settings={**run.settings, **asked.settings}))


def check(run: TrainingRun) -> None:
    """Refuse settings that the algorithm does not have, and options that the environment does not take."""
    import stable_baselines3

    known = [
        name for name in inspect.signature(getattr(stable_baselines3, run.algorithm)).parameters if name not in OURS
    ]
    if unknown := [name for name in run.settings if name not in known]:
        raise ValueError(f"{run.algorithm} has no setting {unknown[0]!r}; there are {listed(unknown[0], known)}")
    playing.make(run.environment, run.options).close()
    starting.policy_of(run)


def planned(asked: Asked) -> TrainingRun:
    """Return the training run that is asked for; ValueError if it cannot be trained there; the sentence says why."""
    run, folder = described(asked), asked.folder
    if importlib.util.find_spec("stable_baselines3") is None:
        raise ValueError(f"Stable-Baselines3 is needed: {extras.install('rl')}")
    from tarsus.scripts.library.learning import training

    check(run)
    if checkpoint.newest(folder / "latest").exists() and not asked.resume:
        raise ValueError(f"{folder} exists; --resume goes on from it, another --out or --seed starts afresh")
    if asked.resume:
        checkpoint.check(training.checkpoint_in(folder), run)
    output.check(folder / "evaluations.npz")
    return run


def too_short(run: TrainingRun) -> str:
    """Return the sentence about a training in which no episode ends by its time, "" of a longer one."""
    env = playing.make(run.environment, run.options)
    horizon, each = env.spec.max_episode_steps, run.total_steps // run.num_envs
    env.close()
    if each >= horizon:
        return ""
    what = f"{run.total_steps:,} steps of {run.num_envs} simulations are {each:,} of each, an episode has {horizon:,}"
    return f"{what}: none ends by its time, and evaluations alone show a return; --steps or --num-envs changes that"


def carried_out(run: TrainingRun, asked: Asked) -> int:
    """Train; return the steps done, fewer than the run's after Ctrl-C. ValueError or OSError if it cannot go on."""
    import stable_baselines3
    import torch

    from tarsus.scripts.library.learning import training

    threads = asked.threads or training.idle_processors(run.num_envs)
    torch.set_num_threads(threads)
    if said := too_short(run):
        print(said)
    default = inspect.signature(getattr(stable_baselines3, run.algorithm)).parameters["n_steps"].default
    least = run.settings.get("n_steps", default) * run.num_envs  # of PPO, which never does less
    every = max(least, min(asked.eval_every, run.total_steps))  # a short run is judged once, at its end
    return training.train(run, asked.seed, asked.folder, resume=asked.resume, eval_every=every, n_threads=threads)


@in_python
def train(run: str | None = None, **asked: Any) -> Path:
    """Train a policy with Stable-Baselines3; return the folder of the best one.

    Args:
        run: A name of `training_runs.RUNS`, or a file NAME.toml; or `environment` is given.
        asked: Further fields of `Asked`: environment, options, steps, seed, out, resume and others.

    Raises:
        ValueError: If it cannot be trained there; the sentence says why.
        OSError: If a file cannot be read or written.
        KeyboardInterrupt: If Ctrl-C ended it; `resume=True` goes on.
    """
    for name in asked:
        check_name("argument of train", name, [entry.name for entry in fields(Asked)])
    wanted = Asked(run, **asked)
    wanted = replace(wanted, out=Path(wanted.out))
    plan = planned(wanted)
    if carried_out(plan, wanted) < plan.total_steps:
        raise KeyboardInterrupt
    return wanted.folder / "best"
