"""SLIP running on the articulated leg: one controller for the hybrid model, for MuJoCo, and for the environment."""

from __future__ import annotations

from ..analytic.models.slip_leg_hybrid import Control
from . import slip_laws
from .slip_parameters import MEMORY, SlipControl


def laws(control: SlipControl | None = None) -> Control:
    """Return the controller as the functions that the hybrid model is built with."""
    return Control(
        params=control or SlipControl(),
        memory=MEMORY,
        flight_torque=slip_laws.flight_torque,
        stance_torque=slip_laws.stance_torque,
        spring=slip_laws.spring,
        reach=slip_laws.reach,
        clearance=slip_laws.clearance,
        on_clear=slip_laws.on_clear,
        on_apex=slip_laws.on_apex,
        on_touchdown=slip_laws.on_touchdown,
        on_liftoff=slip_laws.on_liftoff,
    )
