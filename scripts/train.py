"""Train a policy with Stable-Baselines3 on the native vector environment.

Usage: tarsus train RUN [--seed 0] [--steps N] [--out FOLDER] [--resume]. The runs and all their settings are in
scripts/learning/training_runs.py. Needs the extra: pip install 'tarsus[rl]'.
Runtime: a million steps take ten minutes on two cores.

Into FOLDER/RUN-SEED go `latest/` and `best/` (checkpoints, see scripts/learning/checkpoint.py), `progress.csv`,
`evaluations.npz`, and events for TensorBoard where that is installed. `--resume` goes on from `latest/`.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import SURROGATES
from tarsus.scripts import arguments, paths
from tarsus.scripts.learning import checkpoint, training_runs
from tarsus.scripts.learning.training_runs import Run

EVAL_ENVS = 8  # simulations, one episode each, in an evaluation


def environments(run: Run, num_envs: int, n_threads: int):
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


def build(run: Run, seed: int, folder: Path, resume: bool, n_threads: int):
    """Return the model and its normaliser, new or as `latest/` has them.

    Raises:
        ValueError: If `latest/` was made for other settings; the differences are listed.
    """
    import stable_baselines3
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.vec_env import VecNormalize

    algorithm, latest = getattr(stable_baselines3, run.algorithm), folder / "latest"
    envs = environments(run, run.num_envs, n_threads)
    if resume:
        checkpoint.check(latest, run)
        normaliser = VecNormalize.load(str(latest / "normaliser.pkl"), envs)
        model = algorithm.load(latest / "model.zip", env=normaliser, device="cpu")
    else:
        normaliser = VecNormalize(envs, gamma=run.settings.get("gamma", 0.99))
        model = algorithm("MlpPolicy", normaliser, seed=seed, device="cpu", **training_runs.for_algorithm(run.settings))
    formats = ["csv"] + (["tensorboard"] if importlib.util.find_spec("tensorboard") else [])
    log = folder / f"log-{model.num_timesteps}"
    model.set_logger(configure(str(log), formats))
    return model, normaliser


def carry_over(evaluation, folder: Path) -> None:
    """Give an evaluation those that a run had before it was stopped, so that only a better policy replaces `best/`."""
    path = folder / "evaluations.npz"
    if path.exists():
        with np.load(path) as before:
            evaluation.evaluations_timesteps = before["timesteps"].tolist()
            evaluation.evaluations_results = before["results"].tolist()
            evaluation.evaluations_length = before["ep_lengths"].tolist()
        evaluation.best_mean_reward = float(np.mean(evaluation.evaluations_results, axis=1).max())


def callbacks(run: Run, seed: int, folder: Path, every: int, total: int, progress: bool):
    """Return what happens while training: a progress bar, checkpoints, evaluations, the best policy kept."""
    from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
    from stable_baselines3.common.vec_env import VecNormalize

    class Save(BaseCallback):
        """Write a checkpoint into `best/`."""

        def _on_step(self) -> bool:
            checkpoint.save(folder / "best", run, seed, self.model, self.model.get_vec_normalize_env())
            return True

    class Bar(BaseCallback):
        """Show the steps done, and write `latest/` when an evaluation is due."""

        def _on_training_start(self) -> None:
            self.bar = tqdm(total=total, initial=self.num_timesteps, unit="step", disable=not progress, mininterval=1.0)
            self.saved = self.num_timesteps

        def _on_step(self) -> bool:
            self.bar.update(self.training_env.num_envs)
            if self.num_timesteps - self.saved >= every:
                self.saved = self.num_timesteps
                checkpoint.save(folder / "latest", run, seed, self.model, self.model.get_vec_normalize_env())
            return True

        def _on_training_end(self) -> None:
            self.bar.close()

    judged = VecNormalize(environments(run, EVAL_ENVS, 0), training=False, norm_reward=False)
    evaluation = EvalCallback(
        judged,
        callback_on_new_best=Save(),
        n_eval_episodes=EVAL_ENVS,
        eval_freq=max(1, every // run.num_envs),
        log_path=str(folder),
        verbose=0,
    )
    return [evaluation, Bar()]


def train(run: Run, seed: int, folder: Path, *, resume=False, eval_every=50_000, n_threads=0, progress=True) -> None:
    """Train until `run.total_steps`, from the start or from `latest/`."""
    model, normaliser = build(run, seed, folder, resume, n_threads)
    left = run.total_steps - model.num_timesteps
    if left <= 0:
        raise ValueError(f"{folder} has {model.num_timesteps} steps already, and {run.total_steps} were asked for")
    if not resume:
        model.get_env().seed(seed)
    watch = callbacks(run, seed, folder, eval_every, run.total_steps, progress)
    if resume:
        carry_over(watch[0], folder)
    model.learn(left, callback=watch, reset_num_timesteps=not resume)
    checkpoint.save(folder / "latest", run, seed, model, normaliser)


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
        if importlib.util.find_spec("stable_baselines3") is None:
            raise ValueError("Stable-Baselines3 is needed: pip install 'tarsus[rl]'")
        run = training_runs.find(args.run)
        changes = {"total_steps": args.steps, "num_envs": args.num_envs}
        run = replace(run, **{name: value for name, value in changes.items() if value})
        folder = args.out / f"{args.run}-{args.seed}"
        if (folder / "latest").exists() and not args.resume:
            raise ValueError(f"{folder} exists; --resume goes on from it, another --out or --seed starts afresh")
        if args.resume:
            checkpoint.check(folder / "latest", run)
    import torch

    if args.threads:
        torch.set_num_threads(args.threads)
    try:
        least = run.settings.get("n_steps", 1) * run.num_envs  # of PPO, which never does less
        every = max(least, min(args.eval_every, run.total_steps))  # a short run is judged once, at its end
        train(run, args.seed, folder, resume=args.resume, eval_every=every, n_threads=args.threads)
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus train: {problem}", file=sys.stderr)
        return 2
    print(f"{folder}/best is the best policy; tarsus evaluate {folder}/best shows what it does")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
