"""Episodes of a policy: return, speed, cost of transport and falls, mean and spread over seeds; and a film of one."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import TASKS, frozen
from tarsus.scripts.command import output
from tarsus.scripts.library.base import parallel, stamp
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.learning.scores import Trace, interquartile, score
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers, with_friction
from tarsus.scripts.library.views import rendering

if TYPE_CHECKING:  # else only functions import it: OpenGL is chosen before MuJoCo is imported
    from tarsus.scripts.library.learning.loading import Candidate

FILES = ("table.md", "episodes.csv", "policy.npz", "policy.onnx")  # of an evaluation, of a frozen task with its policy
STILL = 0.1  # a shorter way has no cost of transport [m]
SEEDS = 1000  # of an evaluation at most: the seeds of its further episodes begin behind them
FPS = rendering.FPS  # of a film, at most: a picture takes longer than a control period


@dataclass(frozen=True)
class Episode:
    """The numbers of an episode; NaN where an environment does not say."""

    total: float  # return
    length: float  # [s]
    speed: float  # along the world's forward axis, mean [m/s]
    cost_of_transport: float  # positive work of the joints over weight and way; sampled once a control period
    fell: float  # 1 if the episode was terminated, but by an end of the user's own
    end: str = ""  # what else ended it before its time, such as the edge of the terrain
    score: float = np.nan  # of a frozen task


COLUMNS = {
    "total": "return",
    "length": "length [s]",
    "speed": "speed [m/s]",
    "cost_of_transport": "CoT",
    "fell": "falls",
}


def steps(env: gymnasium.Env, act: Callable, seed: int) -> Iterator[tuple[float, bool, Mapping[str, Any]]]:
    """Play an episode; yield reward, whether it was terminated, and `info` of every step."""
    (observation, info), over = env.reset(seed=seed), False
    while not over:
        observation, reward, terminated, truncated, info = env.step(act(observation, info))
        over = terminated or truncated
        yield float(reward), bool(terminated), info


def run_episode(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    seed: int,
    stochastic: bool = False,
    wrappers: Wrappers = UNSAID,
) -> Episode:
    from tarsus.scripts.library.learning import playing  # not above: OpenGL is chosen before MuJoCo is imported

    env, act = playing.start(policy, environment, options, seed, stochastic, wrappers)
    base, task = env.unwrapped, TASKS.get(env.spec.id)
    rewards, way, power, followed = [], [], [], []
    for reward, terminated, info in steps(env, act, seed):  # noqa: B007  the last ones are used behind the loop
        rewards.append(reward)
        way.append(float(info.get("distance", np.nan)))
        power.append(positive_power(base, info))
        if task and hasattr(base.task, "pace"):
            followed.append((base.task.pace.copy(), info["command"]))
    length, seconds = len(rewards) * base.ctrl_dt, env.spec.max_episode_steps * base.ctrl_dt
    env.close()
    work = sum(power) * base.ctrl_dt
    cost = work / (weight(base.model) * way[-1]) if work > 0 and way[-1] > STILL else np.nan
    why = info.get("termination") or info.get("truncation", "")
    fell = terminated and why not in getattr(base.config, "terminate", {})
    scored = np.nan
    if task:
        n = max(1, len(way) - why.startswith("diverged"))  # the step in which physics diverged is no motion
        moved = (np.array(values)[:n] for values in (way, power, *zip(*followed, strict=True)))
        scored = score(task, Trace(base.ctrl_dt, seconds, weight(base.model), *moved))
    return Episode(sum(rewards), length, way[-1] / length, cost, float(fell), "" if fell else why, scored)


def positive_power(env: gymnasium.Env, info: Mapping[str, Any]) -> float:
    """Return the positive power of the driven joints [W]; NaN if `info` has no `torque`, one for each actuator."""
    if "torque" not in info:
        return np.nan
    driven = env.model.jnt_dofadr[env.model.actuator_trnid[:, 0]]
    return float(np.maximum(info["torque"] * env.data.qvel[driven], 0.0).sum())


def weight(model) -> float:
    """Return the weight of everything in a MuJoCo model [N]."""
    return float(model.body_mass.sum() * np.linalg.norm(model.opt.gravity))


def check_film(path: Path, force: bool) -> None:
    """Refuse a film that cannot be drawn or written; nothing has imported MuJoCo before."""
    if not rendering.choose_opengl():
        raise ValueError(rendering.NO_OPENGL)
    output.new_file(path, force)


def film_episode(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    seed: int,
    path: Path,
    stochastic: bool = False,
    wrappers: Wrappers = UNSAID,
) -> int:
    """Film one episode of a policy in real time; return the number of pictures."""
    from tarsus.scripts.library.learning import playing

    env, act = playing.start(policy, environment, options, seed, stochastic, wrappers, render_mode="rgb_array")
    n = rendering.film_steps(env, steps(env, act, seed), path, env.spec.max_episode_steps)
    env.close()
    return n


@in_python
def evaluate(
    policy: str,
    environment: str | None = None,
    options: Mapping[str, Any] | None = None,
    n_seeds: int = 5,
    n_episodes: int = 1,
    n_jobs: int = 1,
    stochastic: bool = False,
    normaliser: str | None = None,
    stack: int | None = None,
    friction: float | None = None,
) -> Iterator[Episode]:
    """Yield the episodes of seeds 0 to n_seeds - 1 one by one, on joblib's active backend; a frozen task has its own.

    Args:
        policy: A name, the folder of a checkpoint, a .zip of Stable-Baselines3, an .onnx, or MODULE:FUNCTION.
        environment: By default Hexapod-v0, or the policy's own.
        options: Of the environment.
        n_seeds: How many; not of a frozen task.
        n_episodes: Of each seed; not of a frozen task.
        n_jobs: Processes; -1 takes every core.
        stochastic: Whether actions are drawn as in training, and not the most likely ones.
        normaliser: File of a .zip's `VecNormalize`, or "none"; by default what belongs to it and lies beside it.
        stack: How many observations a .zip sees together; by default what its observation says.
        friction: Coefficient of the ground of a robot's file; by default the file's, or the policy's own.

    Raises:
        ValueError: If there is no such policy or environment, or they do not go together; at once, before an episode.
    """
    from tarsus.scripts.library.learning import loading, robot_files  # not above, as in `run_episode`

    asked = (policy, environment, with_friction(options, friction))
    more = stochastic, Wrappers(normaliser, stack)
    loading.load(*asked, *more)
    robots = robot_files.files() if n_jobs != 1 else {}
    cases = [(robots, *asked, seed, *more) for seed in seeds_of(n_seeds, n_episodes, environment)]
    return parallel.stream(_run_episode, cases, n_jobs, unit="episode")


def _run_episode(robots: Mapping[str, Any], *case: Any) -> Episode:
    """Run an episode in any process, with the robots that are registered in the caller's."""
    from tarsus.scripts.library.learning import robot_files

    robot_files.adopt(robots)
    return run_episode(*case)


def seeds_of(n_seeds: int, n_episodes: int, environment: str | None = None) -> list[int]:
    """Return the seed of each episode, in their order; a frozen task has its own."""
    if environment in TASKS:
        return list(frozen.SEEDS)
    return [SEEDS * episode + seed for seed in range(n_seeds) for episode in range(n_episodes)]


def cells(episodes: list[Episode]) -> list[str]:
    """Return mean and standard deviation of every number; behind the falls, what else ended episodes early."""
    shown, ends = [], Counter(episode.end for episode in episodes if episode.end)
    for name in COLUMNS:
        values = np.array([getattr(episode, name) for episode in episodes])
        if name == "fell":
            others = "".join(f"; {n} {why}" for why, n in sorted(ends.items()))
            shown.append(f"{int(values.sum())} of {len(values)}{others}")
        elif np.isnan(values).all():
            shown.append("-")
        else:
            mean, spread = np.nanmean(values), np.nanstd(values)
            digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean), 1e-9)))))
            shown.append(f"{mean:.{min(digits, 4)}f} ± {spread:.{min(digits, 4)}f}")
    return shown


def table(policy: str, episodes: list[Episode], asked: int) -> str:
    """Return the numbers of the episodes that were finished, of so many that were asked for, and what made them."""
    n = f"{len(episodes)} episodes" if len(episodes) == asked else f"{len(episodes)} of {asked} episodes"
    rows = stamp.markdown_table(["policy", *COLUMNS.values()], [[policy, *cells(episodes)]])
    return f"{rows}\nmean ± standard deviation of {n}; {stamp.versions('tarsus', 'mujoco', 'gymnasium')}"


def report(files: output.Output, policy: Candidate, finished: Mapping[int, Episode], asked: int) -> None:
    """Write the table and a row for every finished episode, at least one of those asked for; print the table."""
    entry = entered(policy, finished)
    lines = (*policy.lines, entry["text"]) if entry else policy.lines
    shown = "\n".join([table(policy.name, list(finished.values()), asked), *lines])
    rows = [{"seed": seed} | asdict(episode) for seed, episode in finished.items()]
    with files.writing(*FILES[:2]) as (text, episodes):
        text.write_text(shown + "\n", encoding="utf-8")
        with episodes.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    told = {"policy": policy.name, "used": dict(policy.used), "lines": list(policy.lines)}
    told |= {"task": entry} if entry else {}
    for name, content in policy.stored().items() if entry else ():
        with files.writing(name) as (part,):
            part.write_bytes(content)
    files.report("tarsus evaluate", shown, **told, asked=asked, episodes=rows)


def entered(policy: Candidate, finished: Mapping[int, Episode]) -> dict[str, Any]:
    """Return the fields of an entry of a frozen task beside its episodes, {} of other environments and parts of one."""
    if policy.environment not in TASKS or list(finished) != list(frozen.SEEDS):
        return {}
    from tarsus.scripts.library.learning import entering

    task, scored = TASKS[policy.environment], np.array([episode.score for episode in finished.values()])
    mean, low, high = interquartile([scored])
    text = f"score {mean:.3f} ({low:.3f} to {high:.3f}), the interquartile mean of {len(scored)} episodes and its 95 % "
    text += f"interval; 0: {task.zero_is}; 1: {task.one_is}"
    printed = entering.fingerprint(policy.environment)
    about = {"id": policy.environment, "digest": entering.digest_of(printed), "fingerprint": printed}
    return about | {"options": dict(policy.options), "score": [mean, low, high], "text": text}
