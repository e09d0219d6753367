"""What a registered environment is tested with before anyone wrote a variant for it: all that it can observe."""

import functools
import importlib

import gymnasium

from tarsus.envs import ENVIRONMENTS


@functools.cache
def everything(name):
    """Return options with every entry of the observation, in the last task and action mode, on rough ground."""
    module, _, env_class = gymnasium.spec(name).entry_point.partition(":")
    task_class = getattr(importlib.import_module(module), env_class).task_class
    config = task_class.config_class
    options = {"terrain": "rough", "task": list(config.REWARDS)[-1]}
    options |= {"action_mode": config.ACTION_MODES[-1]} if config.ACTION_MODES else {}
    known = task_class((), **options).known()
    seen = [
        key for key, entry in known.items() if not entry.needs or set(entry.needs.split(" or ")) & set(options.values())
    ]
    return options | {"observations": tuple(seen)}


def pytest_generate_tests(metafunc):
    """Give tests of `name` and `options` the module's VARIANTS, and everything of every registered environment."""
    if {"name", "options"} <= set(metafunc.fixturenames) and hasattr(metafunc.module, "VARIANTS"):
        variants = [*metafunc.module.VARIANTS, *((name, everything(name)) for name in ENVIRONMENTS)]
        ids = [
            f"{n}-everything" if n in ENVIRONMENTS and o == everything(n) else f"{n}-{'-'.join(map(str, o.values()))}"
            for n, o in variants
        ]
        metafunc.parametrize(("name", "options"), variants, ids=ids)
