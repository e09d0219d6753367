"""Training with Stable-Baselines3: environments, model, checkpoints and evaluations of a run.

Into a run's folder go `latest/` and `best/` (checkpoints, see `checkpoint.py`), `progress.csv`, `evaluations.npz`, and
events for TensorBoard where that is installed. `latest/` is written with every evaluation and when Ctrl-C ends the
training. Needs the extra `rl`.
"""

import importlib.util
import os
from pathlib import Path

import gymnasium
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.envs import SURROGATES
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.learning import checkpoint, starting, training_runs
from tarsus.scripts.library.learning.training_runs import TrainingRun

EVAL_ENVS = 8  # simulations, one episode each, in an evaluation


def idle_processors(most: int) -> int:
    """Return the number of threads to use: one for each idle processor, from 1 to `most`."""
    busy = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(here - busy, most))


def environments(run: TrainingRun, num_envs: int, n_threads: int):
    """Return the run's vector environment as Stable-Baselines3 wants it, with episodes counted."""
    from stable_baselines3.common.vec_env import VecMonitor

    from tarsus.scripts.library.learning.stable import StableVectorEnv

    envs = gymnasium.make_vec(
        run.environment,
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        **({} if run.environment in SURROGATES else {"n_threads": n_threads}),  # they have no physics to spread
        **run.options,
    )
    return VecMonitor(StableVectorEnv(envs))


def build(run: TrainingRun, seed: int, folder: Path, resume: bool, n_threads: int):
    """Return the model and its normaliser, new or of the newest whole checkpoint; FileNotFoundError or ValueError."""
    import stable_baselines3
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.vec_env import VecNormalize

    algorithm = getattr(stable_baselines3, run.algorithm)
    source = checkpoint_in(folder) if resume else None
    envs = environments(run, run.num_envs, n_threads)
    if source:
        made = checkpoint.check(source, run)
        if source != folder / "latest":
            print(f"{folder / 'latest'} is damaged or missing; going on from {source}, step {made['steps']}")
        normaliser = VecNormalize.load(str(source / "normaliser.pkl"), envs)
        model = algorithm.load(source / "model.zip", env=normaliser, device="cpu")
    else:
        gamma, on = run.settings.get("gamma", 0.99), run.normalise
        normaliser = VecNormalize(envs, norm_obs=on, norm_reward=on, gamma=gamma)
        model = algorithm("MlpPolicy", normaliser, seed=seed, device="cpu", **training_runs.for_algorithm(run.settings))
        if policy := starting.policy_of(run):
            starting.begin_with(policy, model, normaliser)
    formats = ["csv"] + (["tensorboard"] if importlib.util.find_spec("tensorboard") else [])
    log = saving.numbered(folder / f"log-{model.num_timesteps}")
    model.set_logger(configure(str(log), formats))
    return model, normaliser


def checkpoint_in(folder: Path) -> Path:
    """Return the newest whole checkpoint to go on from; FileNotFoundError says how to begin again."""
    try:
        return checkpoint.whole(folder / "latest")
    except FileNotFoundError as error:
        damaged = checkpoint.newest(folder / "latest").exists()
        again = "another --out or --seed starts afresh" if damaged else "without --resume the training starts afresh"
        raise FileNotFoundError(f"{error}; {again}") from None


def carry_over(evaluation, folder: Path) -> None:
    """Give an evaluation those that a run had before it was stopped, so that only a better policy replaces `best/`."""
    path = folder / "evaluations.npz"
    if path.exists():
        with np.load(path) as before:
            evaluation.evaluations_timesteps = before["timesteps"].tolist()
            evaluation.evaluations_results = before["results"].tolist()
            evaluation.evaluations_length = before["ep_lengths"].tolist()
        means = np.mean(evaluation.evaluations_results, axis=1)
        evaluation.best_mean_reward, evaluation.last_mean_reward = float(means.max()), float(means[-1])
    best = checkpoint.newest(folder / "best")
    if best.exists():  # it knows best: a process may have been killed between an evaluation and its checkpoint
        evaluation.best_mean_reward = checkpoint.settings(best).get("mean_reward", evaluation.best_mean_reward)


def watching(run: TrainingRun, seed: int, folder: Path, every: int, bar: tqdm, stop, judge):
    """Return the callback that shows progress, writes `latest/`, and ends the training when `stop()` says so.

    The bar's return is that of the last evaluation, by `judge`; of training, where actions have noise, it shows the
    mean return and length [steps] of the last episodes that ended.
    """
    from stable_baselines3.common.callbacks import BaseCallback

    class Latest(BaseCallback):
        """Show steps and returns; write `latest/` every so many steps."""

        def _on_training_start(self) -> None:
            self.saved = self.num_timesteps

        def _on_step(self) -> bool:
            bar.update(self.training_env.num_envs)
            if self.num_timesteps - self.saved >= every:
                self.saved = self.num_timesteps
                checkpoint.save(folder / "latest", run, seed, self.model, self.model.get_vec_normalize_env())
            return not stop()

        def _on_rollout_end(self) -> None:
            known = bool(judge.evaluations_timesteps)
            shown = {"return": f"{judge.last_mean_reward:.1f}"} if known else {"first evaluation": f"{every:,}"}
            if last := self.model.ep_info_buffer:
                mean = {name: np.mean([episode[name] for episode in last]) for name in "rl"}
                shown |= {"with noise": f"{mean['r']:.1f}", "length": f"{mean['l']:.0f}"}
            bar.set_postfix(shown, refresh=False)

    return Latest()


def evaluations(run: TrainingRun, seed: int, folder: Path, every: int, n_threads: int):
    """Return the callback that evaluates the policy, and writes the best one into `best/`."""
    from stable_baselines3.common.callbacks import ConvertCallback, EvalCallback
    from stable_baselines3.common.vec_env import VecNormalize

    def save(*_) -> bool:
        normaliser = made.model.get_vec_normalize_env()
        checkpoint.save(folder / "best", run, seed, made.model, normaliser, mean_reward=made.best_mean_reward)
        return True

    def keep(*_) -> bool:
        os.replace(made.log_path, folder / "evaluations.npz")
        return True

    made = EvalCallback(
        VecNormalize(
            environments(run, EVAL_ENVS, n_threads), training=False, norm_obs=run.normalise, norm_reward=False
        ),
        callback_on_new_best=ConvertCallback(save),
        callback_after_eval=ConvertCallback(keep),
        n_eval_episodes=EVAL_ENVS,
        eval_freq=max(1, every // run.num_envs),
        log_path=str(folder),
        verbose=0,
    )
    made.log_path = str(saving.partial(folder / "evaluations.npz"))
    return made


def train(
    run: TrainingRun, seed: int, folder: Path, *, resume=False, eval_every=50_000, n_threads=0, progress=True
) -> int:
    """Train until `run.total_steps` or Ctrl-C, from the start or from `latest/`; return the steps done by then."""
    model, normaliser = build(run, seed, folder, resume, n_threads)
    left = run.total_steps - model.num_timesteps
    if left <= 0:
        raise ValueError(f"{folder} has {model.num_timesteps} steps already, and {run.total_steps} were asked for")
    if not resume:
        model.get_env().seed(seed)
    total, done = run.total_steps, model.num_timesteps
    with (
        interrupts.heeded("what is being learned") as asked,
        tqdm(total=total, initial=done, unit="step", disable=not progress, mininterval=1.0) as bar,
    ):
        judge = evaluations(run, seed, folder, eval_every, n_threads)
        if resume:
            carry_over(judge, folder)
        try:
            watch = watching(run, seed, folder, eval_every, bar, asked, judge)
            first = [starting.warming(run)] if run.start else []
            model.learn(left, callback=[*first, judge, watch], reset_num_timesteps=not resume)
            if not asked() and judge.evaluations_timesteps[-1:] != [model.num_timesteps]:
                judge.eval_freq = 1  # what was learned since the last evaluation is judged, too
                judge.on_step()
        finally:
            Path(judge.log_path).unlink(missing_ok=True)
        checkpoint.save(folder / "latest", run, seed, model, normaliser)
    return int(model.num_timesteps)
