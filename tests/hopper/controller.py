"""Hopping to a height: from the lowest point of a stance the motor pushes, the more the lower the last apex was."""

from __future__ import annotations

from dataclasses import dataclass

from hopper.model import P, X, table
from tarsus.analytic.finite import check_finite
from tarsus.analytic.hybrid import Automaton, indices
from tarsus.analytic.hybrid.names import items

MEMORY = {"thrust": 0.0, "apex_height": 0.0}  # of the next stance [N]; of the body over the ground at the last apex [m]


@dataclass(frozen=True)
class HopperGains:
    """Height wanted and thrust."""

    height: float = 0.55  # of the body over the ground at an apex [m]
    thrust: float = 39.3  # of a stance after an apex at that height [N]
    gain: float = 200.0  # thrust for every metre that an apex lacks [N/m]

    def __post_init__(self) -> None:
        check_finite(self)


K, D = indices(table() | items(HopperGains)), indices(MEMORY)


def rest(t, x, d, p, u):
    """Write that the motor does nothing."""
    u[0] = 0.0


def thrust(t, x, d, p, u):
    """Write this stance's thrust [N]."""
    u[0] = d[D.thrust]


def rising(t, x, d, p):
    """Return the velocity of the body [m/s]: zero at an apex."""
    return x[X.z_rate]


def sinking(t, x, d, p):
    """Return the velocity downward [m/s]: zero at the lowest point."""
    return -x[X.z_rate]


def on_apex(t, x, d, p):
    """Note the height, and the thrust that makes up for what it lacks."""
    d[D.apex_height] = x[X.z] - p[P.ground]
    d[D.thrust] = p[K.thrust] + p[K.gain] * (p[K.height] - d[D.apex_height])


def first_phase(t, x, d, p):
    """Begin in flight, falling as from an apex."""
    on_apex(t, x, d, p)
    return 0 if x[X.z_rate] > 0.0 else 1


def hopping(gains: HopperGains | None = None) -> Automaton:
    """Return the controller."""
    phases, down = ("ascent", "descent", "compression", "extension"), ("compression", "extension")
    params = gains or HopperGains()
    a = Automaton("hopping", phases=phases, contact=down, memory=MEMORY, params=params, n_commands=1)
    a.begin(first_phase)
    a.command("ascent", "descent", "compression")(rest)
    a.command("extension")(thrust)
    a.event("ascent", name="apex", to="descent", law=on_apex)(rising)
    a.contact("descent", name="touchdown", to="compression")
    a.event("compression", name="lowest", to="extension")(sinking)
    a.contact("extension", name="liftoff", to="ascent")
    return a
