"""The option `engine="warp"`: many simulations in MuJoCo Warp, single precision, that offer a task MuJoCo's arrays.

So observation, action, reward and terminations are the task's own, with any engine. MuJoCo itself computes the start of
an episode and draws the pictures. What this engine lacks is in `warp_refusals`, which does not import it.
"""

from .simulations import WarpSimulations

__all__ = ["WarpSimulations"]
