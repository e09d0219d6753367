"""Proximal policy optimisation by rsl_rl, on many hexapods whose critic sees more than the policy.

The policy is exported as ONNX, which `tarsus evaluate`, `certify` and `export` take:

    python rsl_rl_ppo.py --num-envs 64 --iterations 150
    tarsus evaluate policy.onnx --env Hexapod-v0 --option action_mode=gait

Needs the extras `rl` and `onnx`, rsl-rl-lib, and for --device cuda:0 --num-envs 4096 the extra `warp`.
"""

import argparse
from pathlib import Path

import gymnasium
import torch
from rsl_rl.runners import OnPolicyRunner

import tarsus  # noqa: F401  registers the environments
from tarsus.learning import TensorVectorEnv

N_STEPS = 64  # of each simulation in an iteration
NETWORK = {"class_name": "MLPModel", "hidden_dims": [64, 64], "activation": "elu", "obs_normalization": True}
PPO = {
    "class_name": "PPO",
    "num_learning_epochs": 5,
    "num_mini_batches": 4,
    "learning_rate": 1e-3,
    "schedule": "adaptive",
    "desired_kl": 0.01,
    "gamma": 0.98,
    "lam": 0.95,
    "clip_param": 0.2,
    "entropy_coef": 0.0,
    "value_loss_coef": 1.0,
    "use_clipped_value_loss": True,
    "max_grad_norm": 1.0,
}


def train(
    name: str, num_envs: int, iterations: int, log_dir: Path | None, seed: int, device: str | None = None, **options
) -> OnPolicyRunner:
    """Return the runner after so many iterations; `options` are the environment's."""
    torch.manual_seed(seed)
    if device is not None:  # in MuJoCo Warp, where nothing is copied
        envs = gymnasium.make_vec(name, num_envs, engine="warp", device=device, **options).unwrapped
    else:
        plain = gymnasium.make_vec(
            name, num_envs, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options
        )
        envs = TensorVectorEnv(plain)
    critic = ["policy", "critic"] if options.get("privileged") else ["policy"]
    noise = {"class_name": "GaussianDistribution", "init_std": 0.5}
    settings = {
        "num_steps_per_env": N_STEPS,
        "save_interval": 50,
        "obs_groups": {"actor": ["policy"], "critic": critic},
        "actor": NETWORK | {"distribution_cfg": noise},
        "critic": dict(NETWORK),
        "algorithm": dict(PPO),
    }
    runner = OnPolicyRunner(envs.rsl_rl(seed), settings, log_dir and str(log_dir), device=str(envs.device))
    runner.learn(iterations, init_at_random_ep_len=True)  # so that episodes do not end all at once
    return runner


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--device", help="such as cuda:0")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    more = {"action_mode": "gait", "device": args.device, "privileged": ("velocity", "foot_force")}
    done = train("Hexapod-v0", args.num_envs, args.iterations, Path("runs/rsl_rl"), args.seed, **more)
    done.export_policy_to_onnx(".", "policy.onnx")
    print("tarsus evaluate policy.onnx --env Hexapod-v0 --option action_mode=gait")
