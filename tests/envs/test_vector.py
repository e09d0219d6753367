"""The vector environment does what as many single ones do, to the bit, in every autoreset mode."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tarsus.envs import ENVIRONMENTS

N = 5
MODES = ("velocity", "torque", "gait")
VARIANTS = [
    *[("Hexapod-v0", {"action_mode": mode, "terrain": terrain}) for mode in MODES for terrain in ("flat", "rough")],
    ("Hexapod-v0", {"task": "commanded", "command_period": 0.1, "terrain": "sinusoid"}),
    ("Hexapod-v0", {"task": "commanded", "action_mode": "gait", "terrain": "sloped"}),
    ("Hexapod-v0", {"observations": ("height_scan", "foot_force", "accelerometer", "splay"), "terrain": "rough"}),
    ("Hexapod-v0", {"preset": "reference", "terrain": "slope"}),
    (
        "Hexapod-v0",
        {
            "randomise": {"body_mass": (0.8, 1.2), "max_torque": (0.5, 1.5), "KP": (0.5, 1.5), "rho_r0": (0.9, 1.1)},
            "terrain": "rough",
        },
    ),
]
variants = pytest.mark.parametrize(
    ("name", "options"), VARIANTS, ids=[f"{n}-{'-'.join(map(str, o.values()))}" for n, o in VARIANTS]
)


def pair(name, mode, n=N, steps=12, **options):
    """Return the native and Gymnasium's synchronous vector environment, with episodes of a few steps."""
    native = gymnasium.make_vec(
        name,
        n,
        vectorization_mode="vector_entry_point",
        max_episode_steps=steps,
        autoreset_mode=mode,
        **options,
    )
    sync = gymnasium.make_vec(
        name,
        n,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        max_episode_steps=steps,
        **options,
    )
    return native, sync


def assert_same_infos(native, sync):
    """Where the synchronous environment has an info, the native one has the same."""
    for name, value in sync.items():
        if name.startswith("_") or name == "final_obs":
            continue
        if isinstance(value, dict):
            assert_same_infos(native[name], value)
            continue
        mask = sync["_" + name]
        np.testing.assert_array_equal(native["_" + name], mask, err_msg=name)
        np.testing.assert_array_equal(native[name][mask], value[mask], err_msg=name)


def step_both(native, sync, actions):
    mine, theirs = native.step(actions), sync.step(actions)
    for a, b in zip(mine[:4], theirs[:4], strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype and a.shape == b.shape
    assert_same_infos(mine[4], theirs[4])
    return mine, theirs


@variants
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_every_step_is_the_single_environments_to_the_bit(name, options, mode):
    native, sync = pair(name, mode, **options)
    mine, theirs = native.reset(seed=11), sync.reset(seed=11)
    np.testing.assert_array_equal(mine[0], theirs[0])
    assert_same_infos(mine[1], theirs[1])
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = rng.uniform(-1, 1, native.action_space.shape)
        mine, theirs = step_both(native, sync, actions)
        if "final_obs" in theirs[4]:
            for a, b in zip(mine[4]["final_obs"], theirs[4]["final_obs"], strict=True):
                np.testing.assert_array_equal(a, b)
