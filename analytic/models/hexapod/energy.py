"""The energy balance of the exact hexapod.

    d(energy)/dt = motor power - damper losses - sliding losses,

and a touchdown, or a toe that stops sliding, adds to `impact_loss`. Along a run (record `x`, memory `d`) the sum
`balance` is constant, if legs in flight push the body (`Variants.third_law`) and toes slide with their mass.
"""

import numpy as np

from .layout import Variants
from .parameters import HexapodParams
from .state import ANGULAR_VELOCITY, QUATERNION, TOES, VELOCITY, WORK, joints_of, toes_of


def kinetic_energy(params: HexapodParams, x) -> np.ndarray:
    """Return the kinetic energy of body and toes [J] of states (..., n), shape (...)."""
    x = np.asarray(x, float)
    velocity, spin = x[..., VELOCITY:ANGULAR_VELOCITY], x[..., ANGULAR_VELOCITY:TOES]
    toes = np.sum(toes_of(x)[1] ** 2, axis=(-2, -1))
    body = params.body_mass * np.sum(velocity**2, axis=-1) + np.einsum("...i,ij,...j", spin, params.J, spin)
    return 0.5 * (body + params.leg_mass * toes)


def gravity_energy(params: HexapodParams, x) -> np.ndarray:
    """Return the potential energy of body and toes above z = 0 [J] of states (..., n), shape (...)."""
    x = np.asarray(x, float)
    toes = np.sum(toes_of(x)[0][..., 2], axis=-1)
    return params.g * (params.body_mass * x[..., QUATERNION - 1] + params.leg_mass * toes)


def spring_energy(params: HexapodParams, x, variants: Variants | None = None) -> np.ndarray:
    """Return the energy in the legs' springs, and end stops if there are any [J], of states (..., n), shape (...)."""
    variants = Variants() if variants is None else variants
    _, theta, rho = np.moveaxis(joints_of(params, x)[0], -1, 0)
    radial = params.rho_k * (rho - params.rho_r0) ** 2
    splay = params.theta_k * (theta - params.theta_r0) ** 2
    over = np.maximum(rho - params.rho_r0, 0.0) / variants.stop_length
    stop = variants.stop_force * variants.stop_length * (np.expm1(over) - over)
    return np.sum(0.5 * (radial + splay) + stop, axis=-1)


def energy(params: HexapodParams, x, variants: Variants | None = None) -> np.ndarray:
    """Return the mechanical energy [J] of states (..., n), shape (...)."""
    return kinetic_energy(params, x) + gravity_energy(params, x) + spring_energy(params, x, variants)


def motor_work(x) -> np.ndarray:
    """Return the work of the six motors since the start [J] of states (..., n), shape (...)."""
    return np.asarray(x)[..., WORK]


def damper_loss(x) -> np.ndarray:
    """Return the energy dissipated by the legs' dampers since the start [J] of states (..., n), shape (...)."""
    return np.asarray(x)[..., WORK + 1]


def slide_loss(x) -> np.ndarray:
    """Return the energy dissipated by sliding friction since the start [J] of states (..., n), shape (...)."""
    return np.asarray(x)[..., WORK + 2]


def impact_loss(d) -> np.ndarray:
    """Return the energy lost at touchdowns and ends of sliding since the start [J] of memories (..., m)."""
    return np.asarray(d)[..., 0]


def balance(params: HexapodParams, x, d, variants: Variants | None = None) -> np.ndarray:
    """Return energy plus losses minus motor work [J], shape (...): constant along a run."""
    return energy(params, x, variants) + damper_loss(x) + slide_loss(x) + impact_loss(d) - motor_work(x)
