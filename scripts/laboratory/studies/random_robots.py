"""Random robots in the exact engine: trees of bodies with any joints, servos and feet, thrown on the ground.

What robots of strangers have is drawn, and more: light bodies, oblique axes, soft servos, dry joints, limits, and up to
sixty points that touch.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.simulation import Options, Simulation, start
from tarsus.mjcf.articulated import convert

MOST_DOFS, DEEPEST = 40, 3
FREE, BALL = 0, 1  # MuJoCo's types of joints
MU = (0.0, 0.3, 0.7, 1.0)
RESTITUTION = (0.0, 0.0, 0.0, 0.5)


@dataclass
class Drawn:
    """A robot that is being drawn: its text in parts."""

    rng: np.random.Generator
    feet: list[str] = field(default_factory=list)
    servos: list[str] = field(default_factory=list)
    names: int = 0

    def name(self, letter: str) -> str:
        """Return a name that there is not yet."""
        self.names += 1
        return f"{letter}{self.names}"


def text_of(rng: np.random.Generator) -> tuple[str, list[str]]:
    """Return a random robot's MJCF and the names of the geoms that touch."""
    drawn = Drawn(rng)
    root = "<freejoint/>"
    if rng.random() < 0.2:
        root = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>'
    limbs = "".join(_body(drawn, 1) for _ in range(rng.integers(1, 5)))
    trunk = _geom(drawn, np.zeros(3), 1.0)
    return (
        f'<mujoco><compiler autolimits="true" angle="radian"/><worldbody><body name="trunk" pos="0 0 2">{root}{trunk}'
        f"{limbs}</body></worldbody><actuator>{''.join(drawn.servos)}</actuator></mujoco>", drawn.feet,
    )  # fmt: skip


def thrown(seed: int, options: Options | None = None) -> Simulation | None:
    """Return a random robot at the start of a throw, None where it has too many degrees of freedom or a part no mass.

    Its joints are bent, its lowest point .02 to .3 m high, its speeds normal, .7 m/s and rad/s; servos are told zero.
    """
    rng = np.random.default_rng(seed)
    text, feet = text_of(rng)
    model = mujoco.MjModel.from_xml_string(text)
    if model.nv > MOST_DOFS:
        return None
    try:
        robot = convert(model, feet, mu=float(rng.choice(MU)), restitution=float(rng.choice(RESTITUTION)))
    except ValueError:
        return None
    qpos, free = model.qpos0.copy(), model.jnt_type[0] == FREE
    for j in range(1 if free else 3, model.njnt):
        if model.jnt_type[j] != BALL:
            q, limited = model.jnt_qposadr[j], model.jnt_limited[j]
            qpos[q] += rng.uniform(*model.jnt_range[j]) if limited else rng.uniform(-0.3, 0.3)
    if free:
        turn = rng.normal(size=4)
        qpos[3:7] = turn / np.linalg.norm(turn)
    qvel = 0.7 * rng.normal(size=model.nv)
    qpos[2 if free else 1] += rng.uniform(0.02, 0.3) - mechanics(robot, qpos, qvel).gap.min()
    return start(robot, qpos, qvel, options=options or Options(undecided="least"))


def _body(drawn: Drawn, depth: int) -> str:
    rng = drawn.rng
    joints = _joints(drawn)
    geom = _geom(drawn, 0.05 * rng.normal(size=3), 0.7)
    limbs = "".join(_body(drawn, depth + 1) for _ in range(rng.choice([0, 1, 1, 2]) if depth < DEEPEST else 0))
    place = f'pos="{_row(0.15 * rng.normal(size=3))}" euler="{_row(rng.uniform(-1.0, 1.0, 3))}"'
    return f"<body {place}>{joints}{geom}{limbs}</body>"


def _geom(drawn: Drawn, pos: np.ndarray, touches: float) -> str:
    rng, name = drawn.rng, drawn.name("g")
    kind = str(rng.choice(["sphere", "capsule", "box"]))
    sizes = [rng.uniform(0.01, 0.06), *rng.uniform(0.02, 0.15, {"sphere": 0, "capsule": 1, "box": 2}[kind])]
    if rng.random() < touches:
        drawn.feet.append(name)
    return (
        f'<geom name="{name}" type="{kind}" size="{_row(sizes)}" mass="{10 ** rng.uniform(-2.5, 1.0)}" '
        f'pos="{_row(pos)}" euler="{_row(rng.uniform(-1.6, 1.6, 3))}"/>'
    )


def _joints(drawn: Drawn) -> str:
    rng = drawn.rng
    if rng.random() < 0.15:
        return f'<joint type="ball" damping="{rng.choice([0.0, 0.1])}" pos="{_row(0.03 * rng.normal(size=3))}"/>'
    return "".join(_joint(drawn) for _ in range(rng.choice([1, 1, 1, 2])))


def _joint(drawn: Drawn) -> str:
    """Return a hinge or slide, and draw its servo."""
    rng, name = drawn.rng, drawn.name("j")
    kind = str(rng.choice(["hinge", "hinge", "hinge", "slide"]))
    axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
    more = {"damping": (0.5, -3.0, 1.0), "armature": (0.4, -4.0, -1.0), "frictionloss": (0.4, -2.0, 0.5),
            "stiffness": (0.3, 0.0, 3.0)}  # fmt: skip
    drawn_more = [
        f'{key}="{10 ** rng.uniform(low, high)}"' for key, (share, low, high) in more.items() if rng.random() < share
    ]
    if rng.random() < 0.5:
        most = rng.uniform(0.2, 1.5) if kind == "hinge" else rng.uniform(0.02, 0.2)
        drawn_more.append(f'range="{-most * rng.uniform(0.3, 1.0)} {most}"')
    servos = (
        f'<motor joint="{name}"/>', f'<velocity joint="{name}" kv="{10 ** rng.uniform(-2.0, 0.5)}"/>',
        f'<position joint="{name}" kp="{10 ** rng.uniform(0.0, 3.0)}" kv="{10 ** rng.uniform(-2.0, 1.0)}"/>',
    )  # fmt: skip
    if rng.random() < 0.6:
        drawn.servos.append(servos[rng.integers(3)])
    pos = _row(0.03 * rng.normal(size=3))
    return f'<joint name="{name}" type="{kind}" axis="{_row(axis)}" pos="{pos}" {" ".join(drawn_more)}/>'


def _row(numbers) -> str:
    return " ".join(f"{number:.5f}" for number in numbers)
