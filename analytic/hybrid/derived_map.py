"""Return maps with their exact derivatives, and how their fixed points and measures move with parameters.

With the map z' = F(z, p), D = F_z and P = F_p, the fixed point z* = F(z*, p) moves by dz*/dp = (I - D)^-1 P, and a
measure m(z, p) of its orbit by m_z dz*/dp + m_p. One run with derivatives gives z', D and P.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .derivatives import Derivatives, DerivedRun, Existence, Tangent
from .directions import REL_STEP, Directions, along, pick
from .model import Model
from .names import overlay
from .sections import Convergence, multipliers


@dataclass(frozen=True)
class MapTangent:
    """The value of a return map and its derivatives. Check `existence`; they are NaN if it is not EXISTS."""

    existence: Existence
    message: str
    value: np.ndarray  # (m,) coordinates at the return
    jacobian: np.ndarray  # (m, m) with respect to the coordinates at the start
    by: np.ndarray  # (m, k) with respect to the parameters
    end: Tangent  # along the m coordinates, then the k parameters
    run: DerivedRun


@dataclass(frozen=True)
class DerivedOrbit:
    """A fixed point of a return map, and how it moves with the parameters. Check `status`."""

    status: Convergence
    message: str
    z: np.ndarray  # (m,) coordinates
    residual: float  # largest |F(z) - z|
    jacobian: np.ndarray  # (m, m)
    by: np.ndarray  # (m, k) derivative of the fixed point
    end: Tangent
    n_maps: int  # runs through the map that were needed

    @property
    def multipliers(self) -> np.ndarray:
        """Eigenvalues of the map's derivative, largest modulus first, shape (m,); NaN if there is none."""
        return multipliers(self.jacobian)

    def measure(self, function: Callable) -> tuple[Any, np.ndarray]:
        """Return a measure of the orbit at its return, and its derivatives along the parameters, shape (..., k).

        Args:
            function: `function(t, x, d, p)`, a number or an array; see `Tangent.measure`.
        """
        value, parts = self.end.measure(function)
        return value, parts[..., : self.z.size] @ self.by + parts[..., self.z.size :]


class DerivedMap:
    """The return map of a section in coordinates of the caller's choice, with derivatives.

    Args:
        model: The model.
        section: Guard whose event ends the map.
        lift: `lift(z, d, p) -> (x, d)`, the start just behind the section's event, from the coordinates, the memory and
            the parameters given; differentiated by five-point differences, as is
        project: `project(x, d, p) -> z`, its inverse.
        n_coordinates: Size m of z.
        wrt: Memory entries or parameters, k names or directions, see `Derivatives.run`.
        method: As in `compile`.
        mode: As in `compile`.
        rel_step: As in `Derivatives`.
        settings: Of the runs: `chart` behind the section, `stop_count`, `t0`, tolerances.

    Raises:
        ValueError: If a state is among `wrt`, or a name is unknown.
    """

    def __init__(
        self,
        model: Model,
        section: str,
        lift: Callable,
        project: Callable,
        n_coordinates: int,
        wrt: Sequence[str] | Mapping[str, Mapping[str, float]],
        *,
        method: str | None = None,
        mode: str = "auto",
        rel_step: float = REL_STEP,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.model, self.section, self.lift, self.project = model, section, lift, project
        self.n_coordinates = n_coordinates
        self.directions = pick(model, wrt)
        if np.any(self.directions.x):
            raise ValueError("the start of a map is given by its coordinates: name memory entries and parameters only")
        self.derivatives = Derivatives(model, n_coordinates + self.directions.size, method, mode, rel_step=rel_step)
        self.settings = {"final_time": 1e3} | (settings or {})

    def at(self, z: Any, params: Any = None, d0: Any = None) -> MapTangent:
        """Return the map's value and derivatives at z, shape (m,).

        Args:
            z: Coordinates.
            params: Parameters, as in `Simulator.run`.
            d0: Memory given to `lift`, likewise.
        """
        z, v, m = np.atleast_1d(np.asarray(z, dtype=float)), self.directions, self.n_coordinates
        d = overlay("memory", self.model.memory_names, self.model.d0, d0)
        p = overlay("parameter", self.model.param_names, self.model.p0, params)
        k = v.size
        by = (np.eye(m, m + k), np.hstack([np.zeros((d.size, m)), v.d]), np.hstack([np.zeros((p.size, m)), v.p]))

        def start(*at):
            return np.concatenate(self.lift(*at))

        moved = np.stack([along(start, (z, d, p), tuple(b[:, c] for b in by)) for c in range(m + k)], axis=1)
        n = self.model.x0.size
        names = tuple(f"coordinate {i}" for i in range(m)) + v.names
        x, d = self.lift(z, d, p)
        run = self.derivatives.run(
            Directions(names, moved[:n], moved[n:], by[2]), x, d, p, stop_at=self.section, **self.settings
        )
        if run.existence is not Existence.EXISTS:
            none = np.full((m, m + k), np.nan)
            return MapTangent(run.existence, run.message, none[:, 0], none[:, :m], none[:, m:], run.end, run)
        value, parts = run.end.measure(lambda t, x, d, p: np.atleast_1d(self.project(x, d, p)))
        return MapTangent(run.existence, run.message, value, parts[:, :m], parts[:, m:], run.end, run)

    def fixed_point(
        self, guess: Any, params: Any = None, d0: Any = None, *, tol: float = 1e-9, max_iter: int = 20
    ) -> DerivedOrbit:
        """Find a fixed point by Newton's method, with its derivative.

        Args:
            guess: Where to begin, shape (m,).
            params: Parameters.
            d0: Memory given to `lift`.
            tol: Largest accepted |F(z) - z|.
            max_iter: Newton steps allowed.
        """
        z = np.atleast_1d(np.asarray(guess, dtype=float))
        one = np.eye(z.size)
        for i in range(max_iter + 1):
            f = self.at(z, params, d0)
            residual = float(np.abs(f.value - z).max())
            made = (z, residual, f.jacobian, np.full_like(f.by, np.nan), f.end, i + 1)
            if not np.isfinite(residual):
                return DerivedOrbit(Convergence.NO_RETURN, f.message, *made)
            if np.linalg.cond(one - f.jacobian) > 1e10:
                return DerivedOrbit(Convergence.SINGULAR, Convergence.SINGULAR.value, *made)
            if residual <= tol:
                by = np.linalg.solve(one - f.jacobian, f.by)
                text = Convergence.CONVERGED.value
                return DerivedOrbit(Convergence.CONVERGED, text, z, residual, f.jacobian, by, f.end, i + 1)
            z = z + np.linalg.solve(one - f.jacobian, f.value - z)
        return DerivedOrbit(Convergence.NOT_CONVERGED, Convergence.NOT_CONVERGED.value, *made)
