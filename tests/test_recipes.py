"""docs/recipes/ppo.py runs, and its advantages are those of the definition."""

import importlib.util
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="it needs the extra: pip install 'tarsus[rl]'")
PATH = Path(__file__).parents[1] / "docs" / "recipes" / "ppo.py"


@pytest.fixture(scope="module")
def ppo():
    spec = importlib.util.spec_from_file_location("ppo", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_few_updates_change_the_policy(ppo, capsys, monkeypatch):
    monkeypatch.setattr(ppo, "N_STEPS", 16)
    agent = ppo.train("HoppingLeg-v0", 4, 3 * 64, seed=0, max_episode_steps=10)
    assert capsys.readouterr().out.count("reward of a step") == 3
    assert agent.count == pytest.approx(3 * 64, rel=1e-3)
    assert not torch.allclose(agent.log_std, torch.tensor(-1.0)) and torch.isfinite(agent.moments).all()


def test_moments_are_those_of_all_observations(ppo):
    agent, generator = ppo.Agent(3, 2), torch.Generator().manual_seed(0)
    agent.count = 0.0
    parts = [5.0 + 2.0 * torch.randn(n, 3, generator=generator) for n in (4, 50, 7)]
    for part in parts:
        agent.see(part)
    everything = torch.cat(parts)
    expected = torch.stack([everything.mean(0), everything.var(0, correction=0)])
    torch.testing.assert_close(agent.moments, expected)


def test_advantages_are_discounted_sums_within_an_episode(ppo):
    rewards, values = torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([[0.5], [1.5], [2.5]])
    ended, next_values = (
        torch.tensor([[0.0], [1.0], [0.0]]),
        torch.tensor([[1.5], [0.0], [3.0]]),
    )  # the second terminated
    found = ppo.advantages(rewards, values, next_values, ended)
    second, third = 2.0 - 1.5, 4.0 + ppo.GAMMA * 3.0 - 2.5
    first = 1.0 + ppo.GAMMA * 1.5 - 0.5 + ppo.GAMMA * ppo.LAMBDA * second
    torch.testing.assert_close(found, torch.tensor([[first], [second], [third]]))
