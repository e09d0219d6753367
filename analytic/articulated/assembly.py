"""A start that meets all equalities: positions by Newton's method, speeds by the least change of kinetic energy."""

import numpy as np

from .constrained import rates
from .mechanics import Mechanics, array_of, mechanics
from .robot import Robot

MET, NEARLY, STEPS = 1e-13, 1e-6, 50  # errors that count as none, and those that `closed` takes away [m, rad, and by s]


def assemble(robot: Robot, qpos, qvel=None) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions near `qpos`, and the speeds nearest to `qvel`, that meet all equalities of a robot.

    Args:
        robot: The robot.
        qpos: Positions, shape (nq,).
        qvel: Speeds, shape (nv,); None: at rest.

    Raises:
        ValueError: If a shape is wrong, a number not finite, a quaternion zero, or no such positions were found.
    """
    qpos, qvel = array_of("qpos", qpos, robot.nq), np.zeros(robot.nv) if qvel is None else qvel
    step, before = np.empty(robot.nq), np.inf
    for _ in range(STEPS):
        found = mechanics(robot, qpos, qvel)
        error = np.abs(found.equality_error).max(initial=0.0)
        if error <= MET or (error <= 1e3 * MET and error >= before):  # far from the origin rounding is larger
            return qpos, qvel - _least(found, found.equality_velocity)
        before = error
        rates(robot.tables, qpos, -_least(found, found.equality_error), step)
        qpos += step
        for q in robot.quaternions:
            qpos[q : q + 4] /= np.linalg.norm(qpos[q : q + 4])
    name, size = _worst(robot, found.equality_error)
    raise ValueError(f"equality {name!r} cannot be met near these positions, {size:.3g} is left; begin nearer to it")


def closed(robot: Robot, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Return positions and speeds without their small errors, in one array.

    Raises:
        ValueError: If an equality is not met by more than 1e-6 m or rad, or moves by more than that a second.
    """
    if robot.row_names:
        found = mechanics(robot, qpos, qvel)
        for what, errors in (("is off by", found.equality_error), ("opens with", found.equality_velocity)):
            name, size = _worst(robot, errors)
            if size > NEARLY:
                raise ValueError(
                    f"equality {name!r} {what} {size:.3g} (m, rad, or by second); start where it is met: "
                    "`assembly.assemble` returns such positions and speeds"
                )
        qpos, qvel = assemble(robot, qpos, qvel)
    return np.concatenate([qpos, qvel])


def _least(found: Mechanics, errors: np.ndarray) -> np.ndarray:
    """Return the motion of least kinetic energy that makes up for the errors of the rows."""
    back = np.linalg.solve(found.mass_matrix, found.equality_jacobian.T)
    return back @ np.linalg.lstsq(found.equality_jacobian @ back, errors, rcond=1e-12)[0]


def _worst(robot: Robot, errors: np.ndarray) -> tuple[str, float]:
    sizes = np.abs(errors)
    worst = int(np.argmax(sizes >= (1.0 - 1e-9) * sizes.max()))  # the first of those that rounding makes unequal
    return robot.row_names[worst], float(abs(errors[worst]))
