"""tarsus: legged machines and their feet on the ground, simulated in MuJoCo and exactly.

Importing the package registers its Gymnasium environments and imports nothing heavy.
"""

from .envs import register_envs

register_envs()


def __getattr__(name: str) -> str:
    """Return `__version__`; looking it up takes longer than all else here."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tarsus")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
