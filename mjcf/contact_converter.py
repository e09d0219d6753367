"""`solref` and `solimp` from what one knows of a contact: stiffness, damping, restitution, depth at rest.

They are of a constant impedance d, for then the contact is a linear spring and damper: a stiffness K and a depth p at
rest go together as K p = (1 - s) m g, s being d where MuJoCo's estimate of the mass is right. Without gravity and with
small steps a restitution e is a damping ratio D alone, e = exp(-D / c (pi - 2 arcsin D)), c = sqrt(1 - D^2), since the
force is let go at zero, before the depth is (Schwager and Poeschel 2007, eq. 20); here it is found with gravity and
timestep.
"""

import numpy as np
from scipy.optimize import brentq

from .contact_law import IMPEDANCE, ContactLaw

WITHIN = 0.015  # of restitution: how far it may be off, by where within a step the body meets the ground
STEPS = 16  # of a contact, from which on by default it is made softer until its restitution does not scatter
IMPEDANCE_BY_DEFAULT = 0.95
UNKNOWN = "a contact is made from a stiffness, a depth at rest or a restitution, and damping or restitution besides"


def law_of(
    mass: float,
    timestep: float,
    integrator: str = "Euler",
    *,
    stiffness: float | None = None,
    damping: float | None = None,
    restitution: float | None = None,
    depth: float | None = None,
    gravity: float = 9.81,
    load: float | None = None,
    speed: float = 1.0,
    estimate: float = 1.0,
    within: float = WITHIN,
) -> ContactLaw:
    """Return the contact of a body that has some of these properties; `solref` and `solimp` are the law's.

    Args:
        mass: Of the body, or what the contact moves of it [kg].
        timestep: Of the simulation [s].
        integrator: Of the simulation, one of `presets.INTEGRATORS`.
        stiffness: Force over depth [N/m]. Without it and a depth, as stiff as the restitution allows.
        damping: Force over speed [N s/m]; 0 by default unless a restitution is given.
        restitution: From 0.1 to 0.99, in a fall at the speed.
        depth: At rest under the load [m]; without it that of the impedance 0.95.
        gravity: Under which the body falls [m/s^2].
        load: That presses it into the contact at rest [N]; its weight by default.
        speed: At which the restitution holds [m/s].
        estimate: Mass over the one that MuJoCo estimates.
        within: Of the restitution, how far it may be off by where within a step the body meets the ground; longer
            steps, and stiffer contacts, need more.

    Raises:
        ValueError: If there is no such contact, or the timestep is too long for it; the sentence says what is allowed.
    """
    given = dict(mass=mass, timestep=timestep, stiffness=stiffness, depth=depth, speed=speed, within=within)
    for name, value in (given | {"gravity": gravity, "load": load}).items():
        if value is not None and not 0 < value < np.inf:
            raise ValueError(f"{name} must be positive and finite, got {value}")
    if damping is not None and restitution is not None:
        raise ValueError("damping and restitution determine each other: give one of them")
    if restitution is not None and not 0.1 <= restitution <= 0.99:
        raise ValueError(f"restitution must be from 0.1 to 0.99, got {restitution}; below, damp critically")
    if damping is not None and not 0 <= damping < np.inf:
        raise ValueError(f"damping must not be negative, got {damping} N s/m")
    if stiffness is None and depth is None and restitution is None:
        raise ValueError(UNKNOWN)
    load = mass * gravity if load is None else load
    share = _share(load, stiffness, depth, estimate)
    impedance = 1.0 / (1.0 + (1.0 / share - 1.0) / estimate)
    solimp = (impedance, impedance, 1e-3, 0.5, 2.0)
    whole = ContactLaw(timestep, (-1.0, 0.0), solimp, integrator, mass, estimate)
    scale = mass * share / impedance  # newtons per metre of a unit of `solref`'s stiffness
    if stiffness is None and depth is None:
        return _softened(whole, restitution, speed, gravity, within)
    k = (stiffness if stiffness is not None else (1.0 - share) * load / depth) / scale
    if restitution is not None:
        bouncing = _bouncing(whole, k, restitution, speed, gravity)
        if why := _excuse(bouncing, restitution, speed, gravity, within):
            raise ValueError(f"no contact of this stiffness bounces by {restitution}: {why}")
        return bouncing
    made = _with(whole, k, (damping or 0.0) / scale)
    if not made.is_stable:
        raise ValueError(
            f"timestep {timestep:g} s is too long for this spring and damper with the integrator {integrator!r}: "
            f"it must be under {_longest(made):.3g} s, or the integrator 'discrete'"
        )
    return made


def time_constant(law: ContactLaw) -> tuple[float, float] | None:
    """Return a direct `solref` as time constant [s] and damping ratio; None without damping, or where it is lengthened.

    For them MuJoCo has the stiffness 1 / (T D)^2 and the damping 2 / T.
    """
    if not law.is_direct or not law.solref[1] or not law.solref[0]:
        return None
    constant = 2.0 / -law.solref[1]
    ratio = float(1.0 / (constant * np.sqrt(-law.solref[0])))
    plain = ContactLaw(law.timestep, (constant, ratio), law.solimp, law.integrator)
    return plain.solref if float(plain.time_constant()) <= constant * (1 + 1e-9) else None


def _share(weight: float, stiffness: float | None, depth: float | None, estimate: float) -> float:
    by_default = 1.0 / (1.0 + (1.0 / IMPEDANCE_BY_DEFAULT - 1.0) * estimate)
    if stiffness is None or depth is None:
        return by_default
    share = 1.0 - stiffness * depth / weight
    low, high = (1.0 / (1.0 + (1.0 / d - 1.0) * estimate) for d in IMPEDANCE)
    if not low <= share <= high:
        most, least = ((1.0 - s) * weight / stiffness for s in (low, high))
        raise ValueError(
            f"depth {depth:g} m does not go with the stiffness {stiffness:g} N/m under {weight:.4g} N: "
            f"it must be from {least:.3g} to {most:.3g} m"
        )
    return share


def _with(law: ContactLaw, stiffness: float, damping: float) -> ContactLaw:
    return ContactLaw(
        law.timestep, (-float(stiffness), -float(damping)), law.solimp, law.integrator, law.mass, law.estimate
    )


def closed_form(ratio: float) -> float:
    """Return the restitution of a damping ratio without gravity, in steps that are short."""
    if ratio >= 1.0:
        return float(np.exp(-2.0))  # the limit; beyond, it falls on slowly
    root = np.sqrt(1.0 - ratio * ratio)
    return float(np.exp(-ratio / root * (np.pi - 2.0 * np.arcsin(ratio))))


def _bouncing(law: ContactLaw, stiffness: float, restitution: float, speed: float, gravity: float) -> ContactLaw:
    """Return the law with the damping of a restitution; where there is none, one that bounces otherwise."""

    def with_ratio(ratio: float) -> ContactLaw:
        return _with(law, stiffness, 2.0 * ratio * np.sqrt(stiffness))

    def excess(ratio: float) -> float:
        made = with_ratio(ratio)
        return (made.drop(speed, gravity).restitution if made.is_stable else 0.0) - restitution

    near = brentq(lambda ratio: closed_form(ratio) - restitution, 0.0, 1.0) if restitution > closed_form(1.0) else 1.0
    low, high = 0.5 * near, min(1.5 * near, near + 0.1)
    low, high = low if excess(low) > 0 else 0.0, high if excess(high) < 0 else 2.0
    if excess(low) < 0 or excess(high) > 0:
        return with_ratio(near)
    return with_ratio(float(brentq(excess, low, high, xtol=1e-5 * near, rtol=1e-5)))


def _softened(law: ContactLaw, restitution: float, speed: float, gravity: float, within: float) -> ContactLaw:
    """Return the stiffest law of a restitution that does not depend on where within a step the body lands."""
    stiffness, why = (np.pi / (STEPS * law.timestep)) ** 2, "in as many steps as it takes, gravity stops the body"
    while np.pi / np.sqrt(stiffness) < 2.0 * speed / gravity:  # how long it would fly as fast
        made = _bouncing(law, stiffness, restitution, speed, gravity)
        if not (why := _excuse(made, restitution, speed, gravity, within)):
            return made
        stiffness /= 2.0
    raise ValueError(f"no contact bounces by {restitution} at {speed:g} m/s: {why}")


def _excuse(law: ContactLaw, restitution: float, speed: float, gravity: float, within: float) -> str:
    """Return the reason why a law has not this restitution, or an empty string."""
    found = law.drop(speed, gravity)
    if abs(found.restitution / restitution - 1.0) > 2e-3:
        return f"it bounces by {found.restitution:.3g} at {speed:g} m/s; gravity or the timestep takes the rest"
    if found.scatter > within * restitution:
        steps = found.duration / law.timestep
        return (
            f"the contact lasts {steps:.1f} steps, and where within a step it begins changes restitution by "
            f"{100 * found.scatter / restitution:.2g} %; take shorter steps, less stiffness or a wider `within`"
        )
    return ""


def _longest(law: ContactLaw) -> float:
    """Return the longest stable timestep of a law [s]."""
    share = law.share()
    damp, stiff = share * float(law.gains()[1]), share * float(law.gains()[0]) * law.solimp[1]
    return (np.sqrt(damp * damp + 4.0 * stiff) - damp) / stiff
