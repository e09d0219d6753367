"""SLIP running on the articulated leg: one controller for the hybrid model, for MuJoCo, and for the environment.

`slip` declares phases, events and laws once: the hybrid model makes guards of them, `sampled` looks at them at the
samples of a simulator or robot, and `policy` does that in the action space of `SlipLeg-v0`.
"""

from __future__ import annotations

import numpy as np

from ..analytic.hybrid.automaton import Automaton
from ..analytic.hybrid.sampled import Sampled
from ..analytic.models import slip_leg_hybrid
from ..analytic.models.ground_line import level
from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.models.slip_leg_hybrid import com_rise
from . import slip_laws as laws
from .sampled import SampledPolicy
from .slip_parameters import MEMORY, SlipControl


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


def policy(
    params: SlipLegParams, scale: np.ndarray, control: SlipControl | None = None, hold: float = 0.0
) -> SampledPolicy:
    """Return the controller as a policy of `SlipLeg-v0`.

    Args:
        params: The environment's leg.
        scale: Its `action_scale`: torques of an action of 1, shape (2,) [N m].
        control: As of `sampled`.
        hold: The environment's control period [s].
    """
    return SampledPolicy(sampled(params, control, hold), scale, believe)
