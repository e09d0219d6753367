"""TorchRL takes the environments as they are, by name and as many; skipped where it is not installed."""

import gymnasium
import pytest

from tarsus.envs import ENVIRONMENTS, SURROGATES

pytest.importorskip("torchrl", reason="TorchRL is not installed: pip install torchrl")
from torchrl.envs import GymEnv, GymWrapper  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

ALL = [*ENVIRONMENTS, *SURROGATES]


@pytest.mark.parametrize("name", ALL)
def test_an_environment_is_made_by_its_name(name):
    env = GymEnv(f"tarsus:{name}")
    check_env_specs(env)
    assert env.rollout(5)["next", "reward"].shape == (5, 1)
    assert GymEnv(f"tarsus:{name}", frame_skip=2).rollout(5)["next", "reward"].shape == (5, 1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'bogus'"):
        GymEnv(f"tarsus:{name}", bogus=1)


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
@pytest.mark.parametrize("name", ALL)
def test_a_vector_environment_is_wrapped(name, mode):
    envs = gymnasium.make_vec(
        name, 3, vectorization_mode="vector_entry_point", autoreset_mode=mode, max_episode_steps=4
    )
    wrapped = GymWrapper(envs)
    check_env_specs(wrapped)
    run = wrapped.rollout(12, break_when_any_done=False)
    assert run["next", "reward"].shape == (3, 12, 1) and run["next", "truncated"].any(dim=1).all()
