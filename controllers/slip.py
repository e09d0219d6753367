"""SLIP running on the articulated leg: one controller for the hybrid model, for MuJoCo, and for the environment.

`slip` declares phases, events and laws once: the hybrid model makes guards of them, `sampled` looks at them at the
samples of a simulator or robot, `policy` does that in the action space of `SlipLeg-v1`, and `baseline` is what an
action of `SlipLeg-v1` corrects.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..analytic.compilation import compiled
from ..analytic.hybrid.automaton import Automaton
from ..analytic.hybrid.sampled import Sampled
from ..analytic.models import slip_leg_hybrid
from ..analytic.models.ground_line import level
from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.models.slip_leg_hybrid import com_rise
from . import slip_laws as laws
from .corrected import Baseline, correcting
from .sampled import SampledPolicy
from .slip_parameters import MEMORY, SlipControl

SPEED, STIFFNESS, ANGLE = SlipControl.speed, SlipControl.stiffness, SlipControl.angle_of_attack
SLOWEST = 1.9  # that is asked for, whatever is wished: at 1.8 m/s the leg falls [m/s]
STEEPNESS = 0.05  # by which the angle of attack falls with the speed asked for [rad s/m]


def slip(control: SlipControl | None = None) -> Automaton:
    """Return the controller; a touchdown is predicted, since its impact is over within milliseconds."""
    params = control or SlipControl()
    a = Automaton("slip", phases=laws.PHASES, contact=("stance",), memory=MEMORY, params=params)
    a.begin(laws.first_phase)
    a.command("hold", "retract", "extend")(laws.flight_torque)
    a.command("stance")(laws.stance_torque)
    a.event("hold", name="clear", to="retract", law=laws.on_clear)(laws.below_clearance)
    a.event("hold", "retract", name="apex", to="extend", law=laws.on_apex)(com_rise)
    a.contact("extend", name="touchdown", to="stance", law=laws.on_touchdown, seen="predicted")
    # Where the impact speeds the centre of mass up, compensation shortens the spring, and it pushes later.
    a.event("stance", name="liftoff", law=laws.leave, falling=True, releases=True)(laws.spring)
    return a


def sampled(
    params: SlipLegParams | None = None, control: SlipControl | None = None, hold: float = 0.0, fast: bool = True
) -> Sampled:
    """Return the controller for sampled use: called with time and state (8,).

    Its `beliefs` hold the ground, which is level at zero until they are told otherwise, by `believe` for one.

    Args:
        params: The controller's model of the leg.
        control: Its parameters; `energy_gain` of about 0.5 compensates the energy that sampling adds.
        hold: How long each torque will be held [s].
        fast: Whether to compile it.
    """
    automaton, beliefs = slip(control), slip_leg_hybrid.table(params)
    memory = slip_leg_hybrid.MEMORY | automaton.memory
    return Sampled(automaton, slip_leg_hybrid.PLANT, memory, beliefs | automaton.params, hold=hold, fast=fast)


def believe(beliefs: np.ndarray, height: float) -> None:
    """Write that the ground is level at the height [m] measured under the foot."""
    level(beliefs, slip_leg_hybrid.GROUND, height)


def ask(p: np.ndarray, speed: float, height: float) -> None:
    """Write the speed [m/s] and the height of level ground [m] into what the controller believes.

    A faster leg stands for less time, so its spring is stiffer in proportion, and it lands less steeply.
    """
    speed = max(speed, SLOWEST)
    p[laws.K.speed] = speed
    p[laws.K.stiffness] = STIFFNESS * speed / SPEED
    p[laws.K.angle_of_attack] = ANGLE - STEEPNESS * (speed - SPEED)
    p[laws.K.step_height] = height


@cache
def correction() -> Callable:
    """Return the compiled function of `corrected.correcting`, which is the same for every leg."""
    return compiled(correcting(slip(), slip_leg_hybrid.PLANT, ask))


def baseline(params: SlipLegParams, hold: float) -> Baseline:
    """Return the controller that an action of `SlipLeg-v1` corrects, whose torques are held for a time [s]."""
    given = sampled(params, SlipControl(energy_gain=0.5), fast=False)
    believe(given.beliefs, 0.0)  # level from everywhere on
    return Baseline(given.automaton, correction, given.memory, given.beliefs, hold=hold)


def policy(
    params: SlipLegParams, scale: np.ndarray, control: SlipControl | None = None, hold: float = 0.0
) -> SampledPolicy:
    """Return the controller as a policy of `SlipLeg-v1`, or of `SlipLeg-v1` in the mode "torque".

    Args:
        params: The environment's leg.
        scale: Its `action_scale`: torques of an action of 1, shape (2,) [N m].
        control: As of `sampled`.
        hold: The environment's control period [s].
    """
    return SampledPolicy(sampled(params, control, hold), scale, believe)
