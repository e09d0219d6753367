"""Train a policy with Stable-Baselines3 on the native vector environment.

Usage: tarsus train RUN [--seed 0] [--steps N] [--out FOLDER] [--resume]. The runs and all their settings are in
scripts/learning/training_runs.py. Needs the extra: pip install 'tarsus[rl]'.
Runtime: a million steps take ten minutes on two cores.

Into FOLDER/RUN-SEED go `latest/` and `best/` (checkpoints, see scripts/learning/checkpoint.py), `progress.csv`,
`evaluations.npz`, and events for TensorBoard where that is installed. `latest/` is written with every evaluation and
when Ctrl-C ends the training; `--resume` goes on from it, or from `latest-previous/` if it is damaged.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.envs import SURROGATES
from tarsus.scripts import arguments, paths
from tarsus.scripts.learning import checkpoint, training_runs
from tarsus.scripts.learning.training_runs import TrainingRun
from tarsus.scripts.runs import interrupts, output

EVAL_ENVS = 8  # simulations, one episode each, in an evaluation


def environments(run: TrainingRun, num_envs: int, n_threads: int):
    """Return the run's vector environment as Stable-Baselines3 wants it, with episodes counted."""
    from stable_baselines3.common.vec_env import VecMonitor

    from tarsus.scripts.learning.stable import StableVectorEnv

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
    """Return the model and its normaliser, new or as the newest whole checkpoint has them.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If it was made for other settings; the differences are listed.
    """
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
        normaliser = VecNormalize(envs, gamma=run.settings.get("gamma", 0.99))
        model = algorithm("MlpPolicy", normaliser, seed=seed, device="cpu", **training_runs.for_algorithm(run.settings))
    formats = ["csv"] + (["tensorboard"] if importlib.util.find_spec("tensorboard") else [])
    log = saving.numbered(folder / f"log-{model.num_timesteps}")
    model.set_logger(configure(str(log), formats))
    return model, normaliser


def checkpoint_in(folder: Path) -> Path:
    """Return the newest whole checkpoint to go on from.

    Raises:
        FileNotFoundError: If there is none; the sentence says how to begin again.
    """
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
        evaluation.best_mean_reward = float(np.mean(evaluation.evaluations_results, axis=1).max())
    best = checkpoint.newest(folder / "best")
    if best.exists():  # it knows best: a process may have been killed between an evaluation and its checkpoint
        evaluation.best_mean_reward = checkpoint.settings(best).get("mean_reward", evaluation.best_mean_reward)


def callbacks(run: TrainingRun, seed: int, folder: Path, every: int, bar: tqdm, stop=lambda: False):
    """Return what happens while training: evaluations with the best policy kept, checkpoints, the bar's progress.

    Training ends when `stop()` says so.
    """
    from stable_baselines3.common.callbacks import BaseCallback

    class Latest(BaseCallback):
        """Show the steps done, and write `latest/` when an evaluation is due."""

        def _on_training_start(self) -> None:
            self.saved = self.num_timesteps

        def _on_step(self) -> bool:
            bar.update(self.training_env.num_envs)
            if self.num_timesteps - self.saved >= every:
                self.saved = self.num_timesteps
                checkpoint.save(folder / "latest", run, seed, self.model, self.model.get_vec_normalize_env())
            return not stop()

    return [evaluations(run, seed, folder, every), Latest()]


def evaluations(run: TrainingRun, seed: int, folder: Path, every: int):
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
        VecNormalize(environments(run, EVAL_ENVS, 0), training=False, norm_reward=False),
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
        watch = callbacks(run, seed, folder, eval_every, bar, asked)
        if resume:
            carry_over(watch[0], folder)
        try:
            model.learn(left, callback=watch, reset_num_timesteps=not resume)
        finally:
            Path(watch[0].log_path).unlink(missing_ok=True)
        checkpoint.save(folder / "latest", run, seed, model, normaliser)
    return int(model.num_timesteps)


def how_to_go_on(folder: Path) -> str:
    """Return how to go on with a training that was ended before its time, in words."""
    latest = checkpoint.newest(folder / "latest")
    if not latest.exists():
        return "there is no checkpoint yet, the training starts afresh"
    return f"--resume goes on from step {checkpoint.settings(latest)['steps']}, in {latest}"


def planned(args: argparse.Namespace) -> tuple[TrainingRun, Path]:
    """Return what to train, and its folder.

    Raises:
        ValueError: If it cannot be trained there; the sentence says why.
    """
    if importlib.util.find_spec("stable_baselines3") is None:
        raise ValueError("Stable-Baselines3 is needed: pip install 'tarsus[rl]'")
    changes = {"total_steps": args.steps, "num_envs": args.num_envs}
    run = replace(training_runs.find(args.run), **{name: value for name, value in changes.items() if value})
    folder = args.out / f"{args.run}-{args.seed}"
    if checkpoint.newest(folder / "latest").exists() and not args.resume:
        raise ValueError(f"{folder} exists; --resume goes on from it, another --out or --seed starts afresh")
    if args.resume:
        checkpoint.check(checkpoint_in(folder), run)
    output.check(folder / "evaluations.npz")
    return run, folder


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus train", description=__doc__.partition("\n")[0])
    parser.add_argument("run", choices=training_runs.RUNS, help="what to train")
    steps = arguments.integer(1, 10**12)
    parser.add_argument("--seed", type=arguments.seed, default=0)
    parser.add_argument("--steps", type=steps, help="of all simulations together; by default the run's own")
    parser.add_argument("--num-envs", type=arguments.simulations, help="simulations; by default the run's own")
    parser.add_argument("--out", type=paths.folder_to_write, default=Path("runs"))
    parser.add_argument("--resume", action="store_true", help="go on from the latest checkpoint")
    parser.add_argument("--eval-every", type=steps, default=50_000, help="steps between evaluations and checkpoints")
    parser.add_argument(
        "--threads", type=arguments.threads, default=0, help="of physics and learning; 0 is one for each processor"
    )
    with arguments.read(parser, argv) as args:
        run, folder = planned(args)
    import torch

    if args.threads:
        torch.set_num_threads(args.threads)
    try:
        least = run.settings.get("n_steps", 1) * run.num_envs  # of PPO, which never does less
        every = max(least, min(args.eval_every, run.total_steps))  # a short run is judged once, at its end
        done = train(run, args.seed, folder, resume=args.resume, eval_every=every, n_threads=args.threads)
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus train: {problem}", file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"tarsus train: {problem.strerror or problem}; {how_to_go_on(folder)}", file=sys.stderr)
        return 1
    if done < run.total_steps:
        print(f"tarsus train: interrupted at step {done}; {how_to_go_on(folder)}", file=sys.stderr)
        return interrupts.EXIT_STATUS
    print(f"{folder}/best is the best policy; tarsus evaluate {folder}/best shows what it does")
    return 0
