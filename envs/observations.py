"""The hexapod's observation: one dictionary is its order, names, sizes, bounds and documentation.

Every entry is a function of a `Frame` and returns an array of shape (..., size); leading dimensions serve parallel
simulations. An observation beyond its bound means a diverged simulation. A new observation is a line in `OBSERVATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .measure import heading, to_body

N_LEGS = 6
SCAN_FORWARD = (-0.3, 0.0, 0.3, 0.6)  # where the height scan looks, along and across the heading [m]
SCAN_RIGHT = (-0.2, 0.0, 0.2)


@dataclass(slots=True)
class Frame:
    """What a simulation knows at the end of a control period. Leading dimensions `...` for parallel simulations.

    Its arrays may be views into the simulation; whoever keeps one makes a copy.
    """

    qpos: np.ndarray  # (..., 25) body position, quaternion; hip, splay [rad], length [m] of each leg
    qvel: np.ndarray  # (..., 24) body velocity in the world, angular velocity in the body; as above
    rotation: np.ndarray  # (..., 3, 3) from body to world
    foot: np.ndarray  # (..., 6, 4) whether it touches, and the force on it in the world [N]
    accelerometer: np.ndarray  # (..., 3) [m/s^2]
    torque: np.ndarray  # (..., 6) of the hip motors [N m]
    rest_length: np.ndarray  # (6,) of the legs [m]
    reference: np.ndarray  # (..., 6) the hips' set-points [rad]
    action: np.ndarray  # (..., 6) the last
    command: np.ndarray  # (..., 2) forward speed [m/s] and yaw rate [rad/s]
    cycles: np.ndarray  # (...,) the clock has gone
    height: np.ndarray  # (...,) of the body above the ground below it [m]
    ground: Callable  # height of the ground [m] at world x, y


@dataclass(frozen=True)
class Observation:
    """One named piece of the observation."""

    size: int
    bound: float  # of its absolute value
    unit: str
    text: str
    value: Callable[[Frame], np.ndarray]
    needs: str = ""  # an action mode or task without which the entry would be constant


def _clock(frame: Frame) -> np.ndarray:
    angle = 2 * np.pi * np.asarray(frame.cycles)[..., None]
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


def height_scan(frame, forward_axis: int = 1) -> np.ndarray:
    """Return the body's height over points around it, shape (..., 12) [m]."""
    forward = heading(frame.rotation, forward_axis)  # (..., 2)
    right = np.stack([forward[..., 1], -forward[..., 0]], axis=-1)
    ahead, aside = (grid.ravel() for grid in np.meshgrid(SCAN_FORWARD, SCAN_RIGHT, indexing="ij"))
    points = frame.qpos[..., None, :2] + ahead[:, None] * forward[..., None, :] + aside[:, None] * right[..., None, :]
    return frame.qpos[..., 2:3] - frame.ground(points[..., 0], points[..., 1])


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 10, "m", "body above the ground below it", lambda f: f.height[..., None]),
    "gravity": Observation(3, 1, "1", "direction of gravity, body frame", lambda f: -f.rotation[..., 2, :]),
    "velocity": Observation(3, 100, "m/s", "of the body, body frame", lambda f: to_body(f.rotation, f.qvel[..., :3])),
    "angular_velocity": Observation(3, 1e3, "rad/s", "of the body, body frame", lambda f: f.qvel[..., 3:6]),
    "hip_cosine": Observation(
        6, 1, "1", "cosines of the hip angles; 1 is straight down", lambda f: np.cos(f.qpos[..., 7::3])
    ),
    "hip_sine": Observation(6, 1, "1", "sines of the hip angles; 1 is forward", lambda f: np.sin(f.qpos[..., 7::3])),
    "hip_speed": Observation(6, 1e3, "rad/s", "of the hips", lambda f: f.qvel[..., 6::3]),
    "hip_lead": Observation(
        6, 100, "rad", "set-point before the hip", lambda f: f.reference - f.qpos[..., 7::3], "velocity or gait"
    ),
    "splay": Observation(6, 100, "rad", "sideways angle of the legs", lambda f: f.qpos[..., 8::3]),
    "compression": Observation(
        6, 10, "m", "of the legs, positive when shorter than at rest", lambda f: f.rest_length - f.qpos[..., 9::3]
    ),
    "foot_contact": Observation(6, 1, "1", "1 where a foot touches the ground", lambda f: f.foot[..., 0]),
    "foot_force": Observation(
        18,
        1e5,
        "N",
        "of the ground on each foot, world frame",
        lambda f: f.foot[..., 1:].reshape(*f.foot.shape[:-2], 18),
    ),
    "accelerometer": Observation(3, 1e5, "m/s^2", "of the body's IMU, body frame", lambda f: f.accelerometer),
    "height_scan": Observation(
        len(SCAN_FORWARD) * len(SCAN_RIGHT), 100, "m", "body above a grid of points on the ground ahead", height_scan
    ),
    "action": Observation(6, 1, "1", "the last action", lambda f: f.action),
    "command": Observation(2, 100, "m/s, rad/s", "forward speed, yaw rate", lambda f: f.command, "commanded"),
    "clock": Observation(2, 1, "1", "cosine and sine of the gait's phase", _clock, "gait"),
}

ALWAYS = (
    *("height", "gravity", "velocity", "angular_velocity", "hip_cosine", "hip_sine", "hip_speed", "compression"),
    "foot_contact",
)


def default_names(action_mode: str, task: str) -> tuple[str, ...]:
    """Return the default entries of an action mode ("velocity", "torque", "gait") and task ("forward", "commanded")."""
    names = (*ALWAYS, "action")
    names += () if action_mode == "torque" else ("hip_lead",)
    names += ("clock",) if action_mode == "gait" else ()
    return names + (("command",) if task == "commanded" else ())


def select(
    names: Sequence[str], action_mode: str, task: str, known: dict[str, Observation] = OBSERVATIONS
) -> dict[str, Observation]:
    """Return the named entries of those that are known, in the order given.

    Raises:
        ValueError: If a name is unknown, given twice, or would be constant with this action mode and task.
    """
    for name in names:
        if name not in known:
            raise ValueError(f"unknown observation {name!r}; there are {', '.join(known)}")
        needs = known[name].needs
        if needs and not {action_mode, task} & set(needs.split(" or ")):
            raise ValueError(f"observation {name!r} is constant here: it needs {needs}, not {action_mode} and {task}")
    if len(set(names)) != len(names):
        raise ValueError(f"an observation is named twice in {list(names)}")
    return {name: known[name] for name in names}


def slices(selected: dict[str, Observation]) -> dict[str, slice]:
    """Return where each entry lies in the observation."""
    ends = np.cumsum([entry.size for entry in selected.values()])
    return {
        name: slice(int(end) - entry.size, int(end)) for (name, entry), end in zip(selected.items(), ends, strict=True)
    }


def table(selected: dict[str, Observation] | None = None, known: dict[str, Observation] = OBSERVATIONS) -> str:
    """Return the Markdown table of the selected entries, or of all that are known."""
    rows = ["| entries | name | meaning | unit | bound | needs |", "|---|---|---|---|---|---|"]
    for (name, part), entry in zip(slices(selected or known).items(), (selected or known).values(), strict=True):
        where = f"{part.start}:{part.stop}" if selected else str(entry.size)
        rows.append(f"| {where} | `{name}` | {entry.text} | {entry.unit} | {entry.bound:g} | {entry.needs or '-'} |")
    return "\n".join(rows)
