"""Training with RLlib on Ray: on this machine, or on the cluster of which it is the head.

Ray's runners are processes, each with simulations of its own; they find the environment as `tarsus:Hexapod-v0`.
"""

from typing import Any

NAME = "tarsus:Hexapod-v0"


def make_env(config: dict[str, Any]):
    """Return the environment, in whatever process Ray wants it."""
    import gymnasium

    return gymnasium.make(NAME, **config)


def algorithm(options: dict[str, Any], n_runners: int, n_envs: int, batch: int):
    """Return RLlib's PPO with that many runners (0 simulates here) of n_envs each, and steps in an iteration."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.tune.registry import register_env

    register_env(NAME, make_env)
    config = (
        PPOConfig()
        .environment(NAME, env_config=options)
        .env_runners(num_env_runners=n_runners, num_envs_per_env_runner=n_envs)
        .learners(num_learners=0)
        .training(lr=3e-4, gamma=0.98, train_batch_size_per_learner=batch, minibatch_size=min(batch, 512), num_epochs=8)
        .debugging(seed=0, log_level="ERROR")
    )
    return config.build_algo()


def train(options: dict[str, Any], n_iterations: int, n_runners=2, n_envs=8, batch=4096, address=None) -> list[float]:
    """Return the mean return of an episode after each iteration; NaN before the first has ended."""
    import ray

    ray.init(address=address, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    algo = algorithm(options, n_runners, n_envs, batch)
    try:
        returns = []
        for k in range(n_iterations):
            result = algo.train()["env_runners"]
            returns.append(float(result.get("episode_return_mean", float("nan"))))
            print(f"iteration {k + 1}: {result['num_env_steps_sampled_lifetime']:.0f} steps, return {returns[-1]:.1f}")
        return returns
    finally:
        algo.stop()
        ray.shutdown()
