"""tarsus: legged machines and their feet on the ground, simulated in MuJoCo and exactly.

Importing the package registers its Gymnasium environments and imports nothing heavy.
"""

from importlib.metadata import version

from .envs import register_envs

__version__ = version("tarsus")

register_envs()
