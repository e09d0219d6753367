"""Proximal policy optimisation in one file, on tensors, on the processor or a GPU: read it, copy it, change it.

Usage: python ppo.py [--env Hexapod-v0] [--num-envs 64] [--n-steps 64] [--total-steps 1000000] [--seed 0]
[--device cuda:0] [--out FOLDER]. Needs torch, and on a GPU the extra `warp`. The policy is FOLDER/policy.npz, which
`tarsus evaluate`, `certify` and `export` take.
After Schulman et al. 2017 (arXiv:1707.06347), with generalised advantages (arXiv:1506.02438).
"""

import argparse
import json
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

import tarsus  # noqa: F401  registers the environments
from tarsus.learning import TensorVectorEnv

GAMMA, LAMBDA, CLIP, EPOCHS, N_MINIBATCHES, RATE = 0.98, 0.95, 0.2, 8, 4, 1e-3


class Agent(nn.Module):
    """Mean of the action, its noise, and the value of an observation, which is normalised by its running moments."""

    def __init__(self, n_observations: int, n_actions: int):
        super().__init__()

        def network(n: int) -> nn.Sequential:
            return nn.Sequential(
                nn.Linear(n_observations, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, n)
            )

        self.actor, self.critic = network(n_actions), network(1)
        with torch.no_grad():
            self.actor[-1].weight *= 0.01  # begin with the action zero and its noise
        self.log_std = nn.Parameter(torch.full((n_actions,), -1.0))
        self.register_buffer("moments", torch.stack([torch.zeros(n_observations), torch.ones(n_observations)]))
        self.count = 1e-4

    def see(self, observations: torch.Tensor) -> None:
        """Take observations (n, size) into the running mean and variance."""
        n, (mean, variance) = len(observations), self.moments
        share, shift = n / (self.count + n), observations.mean(0) - mean
        spread = (1 - share) * variance + share * observations.var(0, correction=0) + share * (1 - share) * shift**2
        self.moments.copy_(torch.stack([mean + share * shift, spread]))
        self.count += n

    def forward(self, observations: torch.Tensor) -> tuple[torch.distributions.Normal, torch.Tensor]:
        """Return the distribution of the actions, and the values."""
        x = ((observations - self.moments[0]) / (self.moments[1] + 1e-8).sqrt()).clamp(-10, 10)
        return torch.distributions.Normal(self.actor(x), self.log_std.exp(), validate_args=False), self.critic(x)[:, 0]

    def save(self, folder: Path, **about) -> None:
        """Write policy.npz, what `tarsus evaluate` takes."""
        (mean, variance), layers = self.moments.cpu().numpy().astype(float), [*self.actor][::2]
        arrays = {"mean": mean, "scale": np.sqrt(variance + 1e-8), "clip": 10.0, "activation": "tanh", "squash": False}
        for k, layer in enumerate(layers):
            arrays |= {
                f"weight_{k}": layer.weight.detach().cpu().numpy(),
                f"bias_{k}": layer.bias.detach().cpu().numpy(),
            }
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(folder / "policy.npz", about=json.dumps(about), **arrays)


def make(name: str, num_envs: int, device: str | None, **options):
    """Return environments on tensors: on the device, where one is named, in MuJoCo Warp."""
    if device is not None:
        return gymnasium.make_vec(name, num_envs, engine="warp", device=device, **options).unwrapped
    plain = gymnasium.make_vec(
        name, num_envs, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options
    )
    return TensorVectorEnv(plain)


def advantages(rewards, values, next_values, ended):
    """Return generalised advantages, shape (n_steps, n_envs); `next_values` are 0 where an episode terminated."""
    found, last = torch.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        last = rewards[t] + GAMMA * next_values[t] - values[t] + GAMMA * LAMBDA * (1 - ended[t]) * last
        found[t] = last
    return found


def collect(envs, agent: Agent, n_steps: int):
    """Return what so many steps of all simulations gave, each (n_steps, n_envs, ...)."""
    rows = []
    for _ in range(n_steps):
        seen = envs.observation
        agent.see(seen)
        with torch.no_grad():
            policy, value = agent(seen)
            action = policy.sample()
            observation, reward, terminated, truncated, extras = envs.step(action.clamp(-1, 1))
            last = extras.get("final_obs", observation)  # where an episode ended, `observation` is the next one's first
            next_value = agent(last)[1] * ~terminated
        rows.append(
            (seen, action, policy.log_prob(action).sum(1), value, next_value, reward, (terminated | truncated).float())
        )
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def improve(agent: Agent, optimiser, batch) -> None:
    """Take steps up the clipped objective."""
    seen, action, log_prob, value, next_value, reward, ended = batch
    gain = advantages(reward, value, next_value, ended)
    flat = [x.flatten(0, 1) for x in (seen, action, log_prob, gain, gain + value)]
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(flat[0]), device=seen.device).chunk(N_MINIBATCHES):
            seen, action, log_prob, gain, target = (x[rows] for x in flat)
            policy, value = agent(seen)
            ratio = (policy.log_prob(action).sum(1) - log_prob).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            surrogate = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            loss = -surrogate + 0.5 * (value - target).square().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()


def train(name: str, num_envs: int, total_steps: int, seed: int, n_steps: int = 64, device=None, **options) -> Agent:
    """Return the trained agent; print the mean reward of a step after every update."""
    torch.manual_seed(seed)
    envs = make(name, num_envs, device, **options)
    agent = Agent(envs.single_observation_space.shape[0], envs.num_actions).to(envs.device)
    optimiser = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    envs.reset(seed=seed)
    envs.episode_length_buf = torch.arange(num_envs) % envs.max_episode_length  # so that not all end at once
    n_updates = total_steps // (n_steps * num_envs)
    for update in range(1, n_updates + 1):
        optimiser.param_groups[0]["lr"] = RATE * (1 - (update - 1) / n_updates)
        batch = collect(envs, agent, n_steps)
        improve(agent, optimiser, batch)
        print(f"{update * n_steps * num_envs:9d} steps   reward of a step {batch[5].mean():.4f}", flush=True)
    envs.close()
    return agent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--env", default="Hexapod-v0")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--n-steps", type=int, default=64, help="of each simulation in an update")
    parser.add_argument("--total-steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", help="such as cuda:0")
    parser.add_argument("--out", type=Path, default=Path("ppo"))
    args = parser.parse_args()
    agent = train(args.env, args.num_envs, args.total_steps, args.seed, args.n_steps, args.device)
    agent.save(args.out, environment=args.env, options={})
    print(f"tarsus evaluate {args.out}")
