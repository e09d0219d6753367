"""Feedback on a return map: once a period, what is left of a disturbance decides the controls of the next one.

A gait is a fixed point z* of its return map. With controls u, held for a period, near it

    z' - z* = A (z - z*) + B u,   u = -K (z - z*),

and the multipliers are the eigenvalues of A - B K. A and B are exact derivatives (`section_model`) or differences
(`from_differences`); K is that of a linear quadratic regulator (`lqr`), or acts on what a robot measures
(`output_feedback`). How far it holds is found by drawing disturbances (`basin`).

Source: Kuo, Stabilization of lateral motion in passive dynamic walking, IJRR 18 (1999), for LQR on a return map;
Anderson & Moore, Optimal Control: Linear Quadratic Methods (1990).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..compilation.rebuild import interpreted
from .derived_map import DerivedMap
from .directions import along
from .existence import Existence
from .expand import to_functions
from .sections import multipliers

UNIT_CIRCLE = 1.0 - 1e-6  # multipliers from here on have to be moved
UNMOVED = 1e-5  # of the test of Hautus, for derivatives that are differences
MOVES = 1e-8  # a control that changes the section's guard by less, per large step of it, does not move it
STEP = 1e-3  # of differences, in large steps of controls and coordinates
SPREAD = 0.5  # of gains to begin with, in their own size


@dataclass(frozen=True)
class SectionModel:
    """A return map with controls, linear about its fixed point; controls in large steps, `scale`."""

    a: np.ndarray  # (m, m)
    b: np.ndarray  # (m, k)
    z: np.ndarray  # (m,) the fixed point
    controls: tuple[str, ...]
    scale: np.ndarray  # (k,) a large step of each, in its unit

    @property
    def multipliers(self) -> np.ndarray:
        """Those without feedback, the largest first, shape (m,)."""
        return multipliers(self.a)


@dataclass(frozen=True)
class Feedback:
    """Controls from coordinates on the section: u = -K C (z - z*), within limits."""

    model: SectionModel
    gain: np.ndarray  # (k, q)
    measured: np.ndarray  # C, (q, m): of the coordinates; the unit matrix if all are known
    limit: float = np.inf  # of a control, in large steps

    @property
    def multipliers(self) -> np.ndarray:
        """Those with feedback, the largest first, shape (m,)."""
        return multipliers(self.model.a - self.model.b @ self.gain @ self.measured)

    def __call__(self, z: Any) -> np.ndarray:
        """Return the controls for the next period in their units, shape (k,), to be added to the nominal ones."""
        return self.of_measured(self.measured @ (np.asarray(z, dtype=float) - self.model.z))

    def of_measured(self, y: np.ndarray) -> np.ndarray:
        """Return the controls from what was measured, less its value on the gait, shape (q,)."""
        return np.clip(-self.gain @ y, -self.limit, self.limit) * self.model.scale

    def named(self, z: Any) -> dict[str, float]:
        """Return the controls by name."""
        return dict(zip(self.model.controls, self(z).tolist(), strict=True))

    def within(self, limit: float) -> "Feedback":
        """Return the same with controls limited to so many large steps.

        Raises:
            ValueError: If the limit is not positive.
        """
        if not limit > 0:
            raise ValueError(f"limit must be positive, got {limit}")
        return replace(self, limit=float(limit))


def section_model(
    stride: DerivedMap, z: Any, scale: Sequence[float], params: Any = None, d0: Any = None
) -> SectionModel:
    """Return the linear model of a return map at a fixed point, by exact derivatives.

    Args:
        stride: The map; its `wrt` are the controls, k memory entries or parameters.
        z: The fixed point, shape (m,).
        scale: A large step of each control, shape (k,).
        params: Nominal parameters, as in `Simulator.run`.
        d0: Nominal memory.

    Raises:
        ValueError: If there is no derivative, z is no fixed point, the scale is wrong, or a control moves the section's
            own event: a gait that is judged at an event of its clock must not shift this clock.
    """
    z, controls = np.atleast_1d(np.asarray(z, dtype=float)), stride.directions.names
    scale = _scale_of(scale, controls)
    made = stride.at(z, params, d0)
    if made.existence is not Existence.EXISTS:
        raise ValueError(f"the return map has no derivative: {made.message}")
    gap = float(np.abs(made.value - z).max())
    if gap > 1e-6 * (1.0 + float(np.abs(z).max())):
        raise ValueError(f"z is no fixed point, the map is {gap:.1e} off; find it by `stride.fixed_point`")
    _refuse_movers(stride, made, controls, scale)
    return SectionModel(made.jacobian, made.by * scale, z, controls, scale)


def from_differences(
    mapping: Callable, z: Any, controls: Sequence[str], scale: Sequence[float], step: float = STEP
) -> SectionModel:
    """Return the linear model of a map `mapping(z, u) -> z'`, u in units, by central differences.

    Args:
        mapping: Of coordinates (m,), scaled so that 1 is a large step, and controls (k,).
        z: The fixed point, shape (m,).
        controls: Names, k of them.
        scale: A large step of each control, shape (k,).
        step: Of the differences, in large steps: error about its square, and the map's own error over it.

    Raises:
        ValueError: If the map is not defined nearby, or the scale is wrong.
    """
    z = np.atleast_1d(np.asarray(z, dtype=float))
    scale, m = _scale_of(scale, controls), z.size
    columns = []
    for j in range(m + len(scale)):
        e = np.eye(m + len(scale))[j] * step
        ends = [np.asarray(mapping(z + s * e[:m], s * e[m:] * scale), dtype=float) for s in (1.0, -1.0)]
        columns.append((ends[0] - ends[1]) / (2.0 * step))
    whole = np.stack(columns, axis=1)
    if not np.isfinite(whole).all():
        raise ValueError("a run from near the fixed point did not come back to the section: take a smaller step")
    return SectionModel(whole[:, :m], whole[:, m:], z, tuple(controls), scale)


def lqr(model: SectionModel, state_cost: np.ndarray, control_cost: np.ndarray, limit: float = np.inf) -> Feedback:
    """Return the feedback that minimises the sum of z'Qz + u'Ru over all periods, u in large steps.

    Args:
        model: The linear model.
        state_cost: Q, shape (m, m), positive semidefinite.
        control_cost: R, shape (k, k), positive definite. Small: fast, by large controls.
        limit: Of a control, in large steps.

    Raises:
        ValueError: If a shape is wrong, or there is a multiplier on or outside the unit circle that the controls do not
            move: such a gait has no stabilising feedback by them.
    """
    from scipy.linalg import solve_discrete_are  # slow to import, and needed only here

    a, b = model.a, model.b
    q, r = np.asarray(state_cost, dtype=float), np.asarray(control_cost, dtype=float)
    if q.shape != a.shape or r.shape != (b.shape[1],) * 2:
        raise ValueError(f"costs must have shapes {a.shape} and {(b.shape[1],) * 2}, got {q.shape} and {r.shape}")
    for value in model.multipliers[np.abs(model.multipliers) >= UNIT_CIRCLE]:
        reach = np.linalg.svd(np.hstack([a - value * np.eye(len(a)), b]), compute_uv=False)
        if reach[-1] < UNMOVED * reach[0]:  # the test of Hautus
            raise ValueError(f"no feedback by {', '.join(model.controls)} moves the multiplier {value:.4g}")
    p = solve_discrete_are(a, b, q, r)
    gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
    return Feedback(model, gain, np.eye(len(a)), limit)


def output_feedback(
    model: SectionModel,
    measured: np.ndarray,
    *,
    gain: np.ndarray | None = None,
    about: np.ndarray | float = 0.0,
    price: float = 1e-4,
    starts: int = 1,
    limit: float = np.inf,
) -> Feedback:
    """Return the feedback from q measured numbers y = C (z - z*) with multipliers as small as they become.

    The p-norm of all multipliers, plus `price` times the squares of the gain's entries less those of `about`, is
    minimised for rising p (L-BFGS): towards the largest modulus, smoothly. It finds a local minimum; whether it is good
    enough `Feedback.multipliers` says. Small multipliers are not all: a gain far from LQR's can hold less far.

    Args:
        model: The linear model.
        measured: C, shape (q, m).
        gain: Where to begin, shape (k, q); None: LQR's with unit costs, seen through the measurements if it exists.
        about: Which gain costs nothing, shape (k, q).
        price: Of the squares, for controls in large steps. Too small: large gains for little.
        starts: From how many gains to begin, the first and others whose entries are drawn about it; of the minima that
            with the smallest modulus is returned.
        limit: Of a control, in large steps.

    Raises:
        ValueError: If a shape is wrong, or there is no start.
    """
    from scipy.optimize import minimize  # slow to import, and needed only here

    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    c = np.atleast_2d(np.asarray(measured, dtype=float))
    (m, k), q = model.b.shape, len(c)
    if c.shape != (q, m):
        raise ValueError(f"measured must have shape (q, {m}), got {c.shape}")
    if gain is None:
        try:
            gain = lqr(model, np.eye(m), np.eye(k)).gain @ np.linalg.pinv(c)
        except (ValueError, np.linalg.LinAlgError):
            gain = np.zeros((k, q))
    if np.shape(gain) != (k, q):
        raise ValueError(f"gain must have shape {(k, q)}, got {np.shape(gain)}")

    def cost(flat: np.ndarray, power: float) -> tuple[float, np.ndarray]:
        value, by = _spectral(model.a - model.b @ flat.reshape(k, q) @ c, power)
        away = flat - free
        return value + price * away @ away, (-model.b.T @ by @ c.T).ravel() + 2.0 * price * away

    def descended(flat: np.ndarray) -> Feedback:
        for power in (2.0, 4.0, 8.0, 16.0, 32.0):
            flat = minimize(cost, flat, (power,), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
        return Feedback(model, flat.reshape(k, q), c, limit)

    first, free = np.ravel(gain), np.broadcast_to(np.asarray(about, dtype=float), (k, q)).ravel()
    drawn = np.random.default_rng(0).standard_normal((starts - 1, first.size))
    found = [descended(flat) for flat in (first, *first * (1.0 + SPREAD * drawn))]
    return min(found, key=lambda law: float(np.abs(law.multipliers[0])))


def _spectral(matrix: np.ndarray, power: float) -> tuple[float, np.ndarray]:
    """Return the p-norm of the eigenvalues and its gradient by the matrix, shape (m, m)."""
    values, right = np.linalg.eig(matrix)
    try:
        left = np.linalg.inv(right)
    except np.linalg.LinAlgError:  # two eigenvectors are one
        left = np.linalg.pinv(right)
    size = np.maximum(np.abs(values), 1e-12)
    norm = float(size.max() * np.sum((size / size.max()) ** power) ** (1.0 / power))
    weight = (size / norm) ** (power - 1.0) * values.conj() / size
    return norm, np.real((left.T * weight) @ right.T)


def _scale_of(scale: Sequence[float], controls: Sequence[str]) -> np.ndarray:
    scale = np.asarray(scale, dtype=float)
    if scale.shape != (len(controls),) or not np.all(scale > 0):
        raise ValueError(f"scale must be a positive number for each of {', '.join(controls)}, got {scale}")
    return scale


def _refuse_movers(stride: DerivedMap, made: Any, controls: Sequence[str], scale: np.ndarray) -> None:
    """Refuse controls on which the section's guard itself depends."""
    model, place = stride.model, list(stride.model.guards).index(stride.section)
    guards, log = interpreted(to_functions(model).guards), made.run.result.events
    row = int(log.of(stride.section)[-1])
    t, x, chart = float(log.t[row]), log.x_minus[row], int(log.chart_before[row])

    def value(d, p):
        g = np.full(max(len(model.guards), 1), np.inf)
        guards(t, x, d if d.size else np.zeros(1), p, chart, g)
        return g[place]

    v, at = stride.directions, (log.d_minus[row], made.run.result.p)
    by = np.array([along(value, at, (v.d[:, j], v.p[:, j])) for j in range(v.size)]) * scale
    if np.any(np.abs(by) > MOVES):
        names = ", ".join(np.array(controls)[np.abs(by) > MOVES])
        raise ValueError(f"{names} would move the section's own event, {stride.section}: choose another section")
