"""Hopping on one leg after Raibert: ground force along a Bezier profile, foot placement, height and speed regulation.

`raibert` declares phases, events and laws once: the hybrid model makes guards of them, `sampled` looks at them at the
samples of a simulator or robot, `policy` does that in the action space of `HoppingLeg-v1`, and `baseline` is what an
action of `HoppingLeg-v1` corrects.

Source: Ding & Ramos, section 2.2; Raibert, Legged Robots That Balance (1986), chapter 2.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from ..analytic.compilation import compiled
from ..analytic.hybrid.automaton import Automaton
from ..analytic.hybrid.sampled import Sampled
from ..analytic.models import hopping_leg_hybrid
from ..analytic.models.hopping_leg import HoppingLegParams
from ..analytic.models.hopping_leg_mechanics import numbers
from . import raibert_laws as laws
from .corrected import Baseline, correcting
from .raibert_laws import RaibertGains
from .sampled import SampledPolicy

SETTLED = 0.02  # time after a touchdown or liftoff in which contact is ignored [s]


def raibert(gains: RaibertGains | None = None, params: HoppingLegParams | None = None) -> Automaton:
    """Return the controller of the hopping leg, which notices contact by measuring it.

    Args:
        gains: Its gains, with the commanded speed and height.
        params: The leg it controls.

    Raises:
        ValueError: If the leg cannot have the length that the gains require.
    """
    table = (gains or RaibertGains()).numbers(params or HoppingLegParams())
    a = Automaton("raibert", phases=laws.PHASES, contact=("stance",), memory=laws.MEMORY, params=table)
    a.begin(laws.first_phase)
    a.command("ascent", "descent")(laws.swing_torque)
    a.command("stance")(laws.stance_torque)
    a.contact("stance", name="liftoff", law=laws.leave)
    a.contact("ascent", "descent", name="touchdown", to="stance", law=laws.on_touchdown)
    a.event("ascent", name="apex", to="descent", law=laws.on_apex)(laws.rising)
    return a


def sampled(gains: RaibertGains | None = None, params: HoppingLegParams | None = None, fast: bool = True) -> Sampled:
    """Return the controller for sampled use: called with time, state (8,) and whether the foot is on the ground.

    Args:
        gains: As of `raibert`.
        params: As of `raibert`.
        fast: Whether to compile it.
    """
    automaton, plant = raibert(gains, params), hopping_leg_hybrid.plant()
    memory, beliefs = hopping_leg_hybrid.MEMORY | automaton.memory, numbers(params or HoppingLegParams())
    return Sampled(automaton, plant, memory, beliefs | automaton.params, settle=SETTLED, fast=fast)


def ask(p: np.ndarray, speed: float, height: float) -> None:
    """Write the speed [m/s] that is asked for into the controller's beliefs; the ground it notes by itself."""
    p[laws.K.speed] = speed


@cache
def correction() -> Callable:
    """Return the compiled function of `corrected.correcting`, which is the same for every leg."""
    return compiled(correcting(raibert(), hopping_leg_hybrid.plant(), ask))


def baseline(params: HoppingLegParams) -> Baseline:
    """Return the controller that an action of `HoppingLeg-v1` corrects.

    Raises:
        ValueError: If the leg cannot have the length that the gains require.
    """
    given = sampled(None, params, fast=False)
    return Baseline(given.automaton, correction, given.memory, given.beliefs, settle=SETTLED)


def policy(
    params: HoppingLegParams, scale: np.ndarray, gains: RaibertGains | None = None, fast: bool = True
) -> SampledPolicy:
    """Return the controller as a policy of `HoppingLeg-v1`, or of `HoppingLeg-v1` in the mode "torque".

    Args:
        params: The environment's leg.
        scale: Its `action_scale`: torques of an action of 1, shape (2,) [N m].
        gains: As of `raibert`.
        fast: Whether to compile it.
    """
    return SampledPolicy(sampled(gains, params, fast), scale)
