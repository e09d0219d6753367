"""The vertical hopper: a body over a foot, between them a spring, a damper and a motor that pushes them apart.

State x: height of the body z and length of the leg l, then their rates; the foot is a point at z - l. Charts are the
controller's phases. A run ends with a status that names the guard: scuff (the foot touches in ascent), crushed (the leg
has no length left).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tarsus.analytic.finite import check_finite
from tarsus.analytic.hybrid import Automaton, Model, Plant, close, indices
from tarsus.analytic.hybrid.closing import forces
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.terrain import Flat, Terrain


@dataclass(frozen=True)
class HopperParams:
    """Masses and leg. Raises ValueError if a mass or the stiffness is not positive."""

    body_mass: float = 3.0  # [kg]
    foot_mass: float = 0.3  # [kg]
    stiffness: float = 2000.0  # [N/m]
    damping: float = 10.0  # [N s/m]
    leg_length: float = 0.4  # at which the spring is at rest [m]
    g: float = 9.81  # [m/s^2]

    def __post_init__(self) -> None:
        check_finite(self)
        for name in ("body_mass", "foot_mass", "stiffness"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")


STATE = {"z": 0.55, "length": 0.4, "z_rate": 0.0, "length_rate": 0.0}
AUX = ("thrust", "force_x", "force_z")  # of the motor, and the ground's on the foot [N]


def table(params: HopperParams | None = None, ground: Terrain | None = None) -> dict[str, Any]:
    """Return the plant's parameters: those of the hopper, and the height of the ground where it hops, x = y = 0 [m]."""
    return items(params or HopperParams()) | {"ground": float((ground or Flat()).height(0.0, 0.0))}


P, X = indices(table()), indices(STATE)


def push(x, p, u):
    """Return the force with which the leg pushes its ends apart [N]."""
    return p[P.stiffness] * (p[P.leg_length] - x[X.length]) - p[P.damping] * x[X.length_rate] + u[0]


def fly(x, d, p, u, dx):
    """Write the rates of the state in flight."""
    force = push(x, p, u)
    dx[X.z], dx[X.length] = x[X.z_rate], x[X.length_rate]
    dx[X.z_rate] = force / p[P.body_mass] - p[P.g]
    dx[X.length_rate] = force / p[P.body_mass] + force / p[P.foot_mass]


def stand(x, d, p, u, dx, F):
    """Write the rates of the state while the foot stands, and the ground's force on it (x, z) [N]."""
    force = push(x, p, u)
    dx[X.z], dx[X.length] = x[X.z_rate], x[X.length_rate]
    dx[X.z_rate] = dx[X.length_rate] = force / p[P.body_mass] - p[P.g]
    F[0], F[1] = 0.0, force + p[P.foot_mass] * p[P.g]


def gap(x, p):
    """Return the height of the foot over the ground [m]."""
    return x[X.z] - x[X.length] - p[P.ground]


def strike(x, d, p):
    """Stop the foot; the spring lets the body go on."""
    x[X.length_rate] = x[X.z_rate]


def load(F, p):
    """Return the force that must push for the foot to stand [N]."""
    return F[1]


PLANT = Plant(fly, stand, gap, strike, load)


def build(control: Automaton) -> Model:
    """Return the hybrid model of the hopper under a controller."""
    params = table() | control.params
    model = Model("hopper", state=STATE, memory=control.memory, params=params, charts=control.phases, aux=AUX)
    close(model, control, PLANT)
    model.aux(forces(control, PLANT))

    @model.guard("ascent", invalid=True, on_entry="ignore")
    def scuff(t, x, d, p):
        return gap(x, p)

    @model.guard(*control.phases, invalid=True)
    def crushed(t, x, d, p):
        return x[X.length]

    return model
