r"""Impacts at one point with Coulomb friction, in a plane: how rigid bodies leave one another.

The contact moves at v = (tangential, normal), normal positive apart; an impulse P = (tangential, normal) changes that
by W P, with W = J M^-1 J^T the contact's mobility. Two families of laws say which impulse it is.

Along Routh's path the normal impulse p grows, and friction opposes the slip of that instant:

.. math:: \mathrm dv / \mathrm dp = W (-\mu \,\mathrm{sign}\, v_t,\ 1).

The path has one corner at most, where slip stops; from there the contact sticks if mu allows it, or slips back. So
the path is known exactly, and the laws differ in where it ends (Routh 1905; Wang and Mason 1992; Stronge 1990).

Algebraic laws know velocities before and after alone (Anitescu and Potra 1997; plastic: Moreau's).

All functions take any number of impacts at once.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Law = Callable[[np.ndarray, np.ndarray, float, float], np.ndarray]


@dataclass(frozen=True)
class RouthPath:
    """Routh's path: for each impact, two straight pieces that meet at the normal impulse `corner`."""

    velocity: np.ndarray  # of the contact before, shape (n, 2) [m/s]
    corner: np.ndarray  # infinite where slip never stops, shape (n,) [N s]
    directions: np.ndarray  # impulse over normal impulse in each piece, shape (2, n, 2)
    rates: np.ndarray  # change of velocity over normal impulse in each piece, shape (2, n, 2) [1/kg]

    def impulse(self, p: np.ndarray) -> np.ndarray:
        """Return the impulse when its normal part is p, shape (n, 2) [N s]."""
        return _along(self.directions, self.corner, p)

    def velocity_at(self, p: np.ndarray) -> np.ndarray:
        """Return the contact's velocity when the normal impulse is p, shape (n, 2) [m/s]."""
        return self.velocity + _along(self.rates, self.corner, p)

    def reaching(self, normal_velocity: np.ndarray) -> np.ndarray:
        """Return the normal impulse at which the contact parts so fast, not slower than before, shape (n,) [N s]."""
        first, second = self.rates[..., 1]
        start = self.velocity[:, 1]
        with np.errstate(all="ignore"):
            straight = np.where(first > 0.0, (normal_velocity - start) / first, np.inf)
            at_corner = start + first * np.where(np.isfinite(self.corner), self.corner, 0.0)
            bent = self.corner + (normal_velocity - at_corner) / second
        return np.where(straight <= self.corner, straight, bent)

    def work(self, p: np.ndarray) -> np.ndarray:
        """Return the work of the normal impulse up to p, shape (n,) [J]."""
        before = np.minimum(p, self.corner)
        at_corner = self.velocity[:, 1] + self.rates[0, :, 1] * before
        after = p - before
        first = before * (self.velocity[:, 1] + at_corner) / 2.0
        return first + after * (at_corner + self.rates[1, :, 1] * after / 2.0)


def path(mobility: np.ndarray, velocity: np.ndarray, mu: float) -> RouthPath:
    """Return Routh's path of impacts.

    Args:
        mobility: W, positive definite, shape (n, 2, 2) [1/kg].
        velocity: Of the contact before, shape (n, 2) [m/s].
        mu: Coefficient of friction.
    """
    _check(mobility, velocity, mu)
    W, v = np.asarray(mobility, float), np.asarray(velocity, float)
    tangential, coupling = W[:, 0, 0], W[:, 0, 1]
    normal = np.ones(len(v))
    slipping = np.stack([-mu * np.sign(v[:, 0]), normal], -1)  # (n, 2)
    rate = np.einsum("nij,nj->ni", W, slipping)
    with np.errstate(all="ignore"):
        stops = np.where(rate[:, 0] * v[:, 0] < 0.0, -v[:, 0] / rate[:, 0], np.inf)
    corner = np.where(v[:, 0] == 0.0, 0.0, stops)
    needed = -coupling / tangential  # friction over load that holds the contact
    holding = np.stack([np.clip(needed, -mu, mu), normal], -1)  # where it cannot, friction opposes the slip that begins
    directions = np.stack([slipping, holding])
    rates = np.einsum("nij,knj->kni", W, directions)
    return RouthPath(v, corner, directions, rates)


def newton(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> np.ndarray:
    """Return the impulse on Routh's path after which the contact parts e times as fast as it met, shape (n, 2) [N s].

    Newton's restitution with friction may gain energy.

    Args:
        mobility: W, shape (n, 2, 2) [1/kg].
        velocity: Of the contact before, shape (n, 2) [m/s]; where it parts already, the impulse is zero.
        mu: Coefficient of friction.
        restitution: e, from 0 to 1.

    Raises:
        ValueError: If shapes, friction or restitution are none.
    """
    whole, meets = _begin(mobility, velocity, mu, restitution)
    return _where(meets, whole.impulse(whole.reaching(-restitution * whole.velocity[:, 1])))


def poisson(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> np.ndarray:
    """Return the impulse on Routh's path whose normal part is 1 + e times that of compression; see `newton`.

    Source: Y. Wang, M. T. Mason, J. Appl. Mech. 59 (1992), who solve it by the kinds of path.
    """
    whole, meets = _begin(mobility, velocity, mu, restitution)
    return _where(meets, whole.impulse((1.0 + restitution) * whole.reaching(np.zeros(len(meets)))))


def stronge(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> np.ndarray:
    """Return the impulse on Routh's path that gives back e^2 of the normal work of compression; see `newton`.

    It never gains energy. Mirtich (1996) integrates the same path to the same end.

    Source: W. J. Stronge, Proc. R. Soc. A 431 (1990).
    """
    whole, meets = _begin(mobility, velocity, mu, restitution)
    turn = whole.reaching(np.zeros(len(meets)))  # where compression ends
    wanted = -(restitution**2) * whole.work(turn)
    at_corner = np.maximum(whole.corner, turn)
    with np.errstate(all="ignore"):
        finite = np.isfinite(at_corner)
        given = np.where(finite, whole.work(np.where(finite, at_corner, turn)) - whole.work(turn), np.inf)
        first = turn + np.sqrt(2.0 * wanted / whole.rates[0, :, 1])
        speed = whole.velocity_at(np.where(finite, at_corner, turn))[:, 1]
        slope, left = whole.rates[1, :, 1], np.maximum(wanted - given, 0.0)
        second = at_corner + (np.sqrt(speed**2 + 2.0 * slope * left) - speed) / slope
    return _where(meets, whole.impulse(np.where(given >= wanted, first, second)))


def anitescu_potra_newton(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> np.ndarray:
    """Return the impulse after which the contact parts e times as fast as it met, friction opposing its last slip.

    As time stepping with complementarity has it; see `newton` for the arguments.
    """
    _check(mobility, velocity, mu, restitution)
    W, v = np.asarray(mobility, float), np.asarray(velocity, float)
    return _where(v[:, 1] < 0.0, _ending(W, v, mu, -restitution * v[:, 1]))


def anitescu_potra_poisson(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> np.ndarray:
    """Return the impulse of compression and of expansion, which has e times its normal part; see `newton`.

    Each is a complementarity problem whose friction opposes the slip at its own end; expansion is stronger where the
    contact would sink again.

    Source: M. Anitescu, F. A. Potra, Nonlinear Dynamics 14 (1997), section 4.
    """
    _check(mobility, velocity, mu, restitution)
    W, v = np.asarray(mobility, float), np.asarray(velocity, float)
    compression = _ending(W, v, mu, np.zeros(len(v)))
    turned = v + np.einsum("nij,nj->ni", W, compression)
    normal = restitution * compression[:, 1]
    needed = -(turned[:, 0] + W[:, 0, 1] * normal) / W[:, 0, 0]
    expansion = np.stack([np.clip(needed, -mu * normal, mu * normal), normal], -1)
    sinks = (turned + np.einsum("nij,nj->ni", W, expansion))[:, 1] < 0.0
    stronger = _ending(W, turned, mu, np.zeros(len(v)))
    return _where(v[:, 1] < 0.0, compression + np.where(sinks[:, None], stronger, expansion))


def plastic(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float = 0.0) -> np.ndarray:
    """Return the impulse that stops the contact, or its normal part where friction cannot; see `newton`.

    Args:
        mobility: W, shape (n, 2, 2) [1/kg].
        velocity: Of the contact before, shape (n, 2) [m/s].
        mu: Coefficient of friction.
        restitution: Nothing bounces, so it must be zero.

    Raises:
        ValueError: If shapes or friction are none, or restitution is not zero.
    """
    if restitution:
        raise ValueError(f"a plastic impact has no restitution, got {restitution}")
    return anitescu_potra_newton(mobility, velocity, mu, 0.0)


_LAWS = (newton, poisson, stronge, anitescu_potra_newton, anitescu_potra_poisson, plastic)
LAWS: dict[str, Law] = {law.__name__: law for law in _LAWS}


def _begin(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float) -> tuple[RouthPath, np.ndarray]:
    _check(mobility, velocity, mu, restitution)
    whole = path(mobility, velocity, mu)
    return whole, whole.velocity[:, 1] < 0.0


def _along(slopes: np.ndarray, corner: np.ndarray, p: np.ndarray) -> np.ndarray:
    before = np.minimum(p, corner)[:, None]
    return slopes[0] * before + slopes[1] * (p[:, None] - before)


def _where(meets: np.ndarray, impulse: np.ndarray) -> np.ndarray:
    return np.where(meets[:, None], impulse, 0.0)


def _ending(W: np.ndarray, v: np.ndarray, mu: float, normal_velocity: np.ndarray) -> np.ndarray:
    """Return the impulse that ends at a normal velocity, and sticks, or slips against its friction."""
    wanted = np.stack([np.zeros(len(v)), normal_velocity], -1) - v
    sticking = np.linalg.solve(W, wanted[..., None])[..., 0]
    side = np.sign(sticking[:, 0])  # of friction, where it cannot hold
    with np.errstate(all="ignore"):
        normal = wanted[:, 1] / (W[:, 1, 1] + mu * side * W[:, 0, 1])
        slipping = np.stack([mu * side * normal, normal], -1)
    holds = np.abs(sticking[:, 0]) <= mu * sticking[:, 1]
    return np.where(holds[:, None], sticking, slipping)


def _check(mobility: np.ndarray, velocity: np.ndarray, mu: float, restitution: float = 0.0) -> None:
    shapes = np.shape(mobility), np.shape(velocity)
    if shapes[1][1:] != (2,) or shapes[0] != (*shapes[1][:1], 2, 2):
        raise ValueError(f"mobility and velocity have the shapes (n, 2, 2) and (n, 2), got {shapes[0]} and {shapes[1]}")
    if not 0.0 <= mu < np.inf:
        raise ValueError(f"mu must be finite and not negative, got {mu}")
    if not 0.0 <= restitution <= 1.0:
        raise ValueError(f"restitution must lie from 0 to 1, got {restitution}")
