"""Body velocity and foot forces from foot positions and velocities: support, then friction, frame by frame.

If friction stops a robot faster than its gait moves, it has no memory: at every instant its velocity follows from the
pose and the foot velocities alone (a local connection). Frames are therefore independent, and computed in parallel.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, section 2.
"""

from dataclasses import dataclass

import numpy as np

from ..spelling import listed
from . import arrays, iterated, kernels
from .epsilon import Epsilon
from .laws import Coulomb, SlidingLaw, Viscous
from .results import Motion, motion
from .support import foot_table, run_frames

ARRAY, SINGLE = np.ndarray, kernels.single  # looked up once: a call of a `Solver` takes two microseconds
LAWS = {"viscous": Viscous(), "coulomb": Coulomb(), "epsilon": Epsilon()}


@dataclass(frozen=True)
class Feet:
    """The feet and weight of a robot. Every entry may have its own leading dimensions, which broadcast."""

    stiffness: np.ndarray | float  # of the legs, scalar, (n,) or (..., n) [N/m]; 0 is a leg that never touches
    mu: np.ndarray | float  # friction, likewise
    weight: np.ndarray | float  # of the robot, scalar or (...) [N]
    anisotropy: np.ndarray | None = None  # w of each foot, (n, 2) or (..., n, 2), body frame: A = 1 + w w^T

    def __post_init__(self) -> None:
        arrays.sizes("stiffness", self.stiffness)
        arrays.sizes("mu", self.mu)
        arrays.positive("weight", self.weight)
        if self.anisotropy is not None:
            arrays.vectors("anisotropy", self.anisotropy, (2,))


def named_law(law):
    """Return a friction law, given by name or as a law."""
    if isinstance(law, str):
        if law not in LAWS:
            raise ValueError(f"unknown friction law {law!r}; known: {listed(law, LAWS)}")
        return LAWS[law]
    if not isinstance(law, Viscous | Coulomb | SlidingLaw):
        kind = type(law).__name__
        raise ValueError(f"law must be one of {', '.join(LAWS)} or a Viscous, Coulomb or SlidingLaw, got {kind}")
    return law


def law_with_kernel(law):
    """Return a friction law that compiled code can run, given by name or as a law."""
    compiled = {name: known for name, known in LAWS.items() if not isinstance(known, SlidingLaw)}
    found = compiled.get(law, law) if isinstance(law, str) else named_law(law)
    if isinstance(found, str | SlidingLaw):
        names = listed(law, compiled, "; use solve() for others")
        raise ValueError(f"unknown law {law!r} of compiled code; there are {names}")
    return found


def table_of(feet: Feet, n: int, ground) -> np.ndarray:
    """Return the parameters of n feet as the kernels take them, shape (..., n, 5)."""
    if not isinstance(feet, Feet):
        raise ValueError(f"feet must be Feet(stiffness, mu, weight), got {type(feet).__name__}")
    return foot_table(n, feet.stiffness, feet.mu, feet.anisotropy, ground)


def solve(foot_pos, foot_vel, feet: Feet, law="viscous", *, ground=0.0, tilt_terms=False, parallel=True) -> Motion:
    """Return loads, pose, body velocity and foot forces of every frame.

    Args:
        foot_pos: Foot positions in the body frame, origin at the centre of mass, shape (..., n, 3) [m].
        foot_vel: Their velocities relative to the body, shape (..., n, 2) or (..., n, 3) [m/s].
        feet: The robot's feet and weight.
        law: A name in `LAWS` or a law with its parameters.
        ground: Height of the horizontal patch under each foot, scalar, (n,) or (..., n) [m]: stairs.
        tilt_terms: Whether to keep the first-order change of foot positions and velocities by pitch and roll, which
            the model neglects; needs the vertical foot velocities.
        parallel: Whether batches of a thousand frames and more use all cores.

    Returns:
        The motion. Check `solved`: without equilibrium loads, pose and velocity are NaN.

    Raises:
        ValueError: If an argument has a wrong shape, is not finite, or a stiffness, friction or weight is negative.

    Source: eqs. (15)-(25) with the corrections in docs/reproduction.md.
    """
    law, tilt_terms = named_law(law), arrays.choice("tilt_terms", tilt_terms)
    parallel = arrays.choice("parallel", parallel)
    pos = arrays.vectors("foot_pos", foot_pos, (3,))
    vel = arrays.vectors("foot_vel", foot_vel, (3,) if tilt_terms else (2, 3))
    n = pos.shape[-2]
    if vel.shape[-2] != n:
        raise ValueError(f"foot_vel must have as many feet as foot_pos: got {vel.shape[-2]} and {n}")
    table = table_of(feet, n, ground)
    weight = arrays.positive("weight", feet.weight)
    batch = arrays.batch_shape(
        foot_pos=pos.shape[:-2], foot_vel=vel.shape[:-2], feet=table.shape[:-2], weight=weight.shape
    )
    code = law.kernel_code
    found = motion(*run_frames(pos, vel, table, weight, batch, code, tilt_terms, parallel))
    if isinstance(law, SlidingLaw):
        return iterated.replace_friction(found, pos, vel, table, law, tilt_terms)
    return found


class Solver:
    """Solves single frames of one robot with one law, in microseconds.

    A call takes C-contiguous float64 arrays, foot positions (n, 3) and velocities (n, 2), and returns one new array
    (4 + n, 3): `answer[4:]` are the forces, `answer[:4].ravel()` the columns `kernels.HEIGHT` and following, then the
    code. `motion` converts it to a `Motion`. Not to be shared between threads: it owns scratch memory.

    Args:
        feet: The robot's feet and weight, without leading dimensions.
        n: Number of feet.
        law: "viscous", "coulomb", or a `Viscous` or `Coulomb`.
        ground: As in `solve`.
        tilt_terms: As in `solve`.

    Raises:
        ValueError: If an argument is not as described.
    """

    def __init__(self, feet: Feet, n: int, law="viscous", *, ground=0.0, tilt_terms=False):
        law, n, tilt_terms = law_with_kernel(law), arrays.count("n", n), arrays.choice("tilt_terms", tilt_terms)
        table = table_of(feet, n, ground)
        if table.ndim != 2 or np.ndim(feet.weight):
            raise ValueError("a Solver takes one robot: parameters (n,) or scalar, a scalar weight; use solve()")
        scratch = np.empty((kernels.SCRATCH_ROWS, n))
        robot, setting = (table[None].copy(), float(feet.weight)), law.kernel_code
        self._rest = (*robot, *setting, tilt_terms, scratch, kernels.with_coulomb(setting))

    def __call__(self, foot_pos: np.ndarray, foot_vel: np.ndarray) -> np.ndarray:
        """Return the answer of one frame, shape (4 + n, 3).

        Raises:
            ValueError: If a shape differs or an entry is not finite.
        """
        if type(foot_pos) is type(foot_vel) is ARRAY:
            try:
                return SINGLE(foot_pos, foot_vel, *self._rest)
            except ValueError:
                raise
            except Exception:  # of arrays not of numbers compiled code has pages to say; below it is a sentence
                pass
        frame = arrays.vectors("foot_pos", foot_pos, (3,)), arrays.vectors("foot_vel", foot_vel, (2, 3))
        if frame[0].ndim != 2 or frame[1].ndim != 2:
            shapes = f"foot_pos {frame[0].shape} and foot_vel {frame[1].shape}"
            raise ValueError(f"a Solver takes one frame, (n, 3) and (n, 2), got {shapes}; solve() takes several")
        return SINGLE(*frame, *self._rest)

    @staticmethod
    def motion(answer: np.ndarray) -> Motion:
        """Return the answer of a call, shape (4 + n, 3), as a `Motion`.

        Raises:
            ValueError: If it is not the answer of a call.
        """
        shape = np.shape(answer) if isinstance(answer, np.ndarray) else ()
        if shape[1:] != (3,) or shape[0] <= kernels.ANSWER_ROWS or answer.dtype != np.float64:
            raise ValueError("answer must be what a call of a Solver returned, an array of shape (4 + n, 3)")
        out = answer[: kernels.ANSWER_ROWS].ravel()
        code = np.asarray(int(out[kernels.OUT_COLUMNS]))
        return motion(out[: kernels.OUT_COLUMNS], answer[kernels.ANSWER_ROWS :], code)


def lag_filter(twist, gamma: float) -> np.ndarray:
    """Return low-pass filtered twists, as by inertia: y_n = gamma y_(n-1) + (1 - gamma) x_n from y_0 = x_0.

    Args:
        twist: Shape (..., time, k).
        gamma: In [0, 1); 0 changes nothing. The paper used 0.15 at its camera's rate for a quadruped; for frames dt
            apart a time constant of tau seconds is gamma = exp(-dt / tau).

    Raises:
        ValueError: If gamma lies outside [0, 1), or the twists are not finite.

    Source: Wu, Zhao and Revzen, section 3.2.2.
    """
    if not 0.0 <= arrays.number("gamma", gamma) < 1.0:
        raise ValueError(f"gamma must lie in [0, 1), got {gamma}")
    x = arrays.finite("twist", twist)
    if x.ndim < 2:
        raise ValueError(f"twist must have shape (..., time, k), got {x.shape}")
    from scipy.signal import lfilter  # slow to import, and needed only here

    if x.shape[-2] == 0:
        return x.copy()
    start = gamma * x[..., :1, :]
    return lfilter([1.0 - gamma], [1.0, -gamma], x, axis=-2, zi=start)[0]


def force_scale(predicted, measured) -> np.ndarray:
    """Return the positive factor per frame that brings predicted tractions closest to measured ones.

    It minimises the sum over the feet of (scale |predicted| - |measured|)^2. The model's forces are known only up to
    this factor unless friction or weight was measured.

    Args:
        predicted: Shape (..., n, 2) [any unit].
        measured: Shape (..., n, 2) [N].

    Returns:
        Shape (...); NaN where all predictions are zero.

    Raises:
        ValueError: If the shapes do not broadcast.

    Source: Wu, Zhao and Revzen, section 3.1.4; the closed form of its minimisation.
    """
    model = np.linalg.norm(arrays.vectors("predicted", predicted, (2,)), axis=-1)
    data = np.linalg.norm(arrays.vectors("measured", measured, (2,)), axis=-1)
    arrays.batch_shape(predicted=model.shape, measured=data.shape)
    square = np.sum(model * model, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(square > 0.0, np.sum(model * data, axis=-1) / square, np.nan)
