"""The option `engine="warp"`: many simulations in MuJoCo Warp, in single precision, that offer a task MuJoCo's arrays.

So observation, action, reward and terminations are the task's own, with any engine. MuJoCo in C places the robots at the
start of an episode and draws the pictures. `refusals` says what this engine lacks, and does not import it.
"""

from .simulations import WarpSimulations

__all__ = ["WarpSimulations"]
