"""The option `engine="exact"`: simulations in the exact engine that offer a task the arrays that MuJoCo's data offers.

So observation, action, reward and terminations are the task's own, with either engine; MuJoCo's model only draws the
pictures. A machine (`machine.ExactMachine`) says how states, commands and sensors convert.
"""

from .simulations import ExactSimulation, ExactSimulations

__all__ = ["ExactSimulation", "ExactSimulations"]
