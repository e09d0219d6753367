"""Random drops of robots in the exact engine: from what height, how turned, bent and fast, a seed decides.

All that a robot can fall on touches the ground: feet, and the corners of its trunk. Servos hold the pose at rest.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import gymnasium
import mujoco
import numpy as np

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.layout import HINGE, SLIDE
from tarsus.analytic.articulated.robot import Robot
from tarsus.analytic.articulated.simulation import Options, RunStatus, Simulation, start
from tarsus.mjcf import multipod
from tarsus.mjcf.articulated import convert

ASSETS = Path(multipod.__file__).parent / "assets"
SECONDS, SLICE = 2.0, 0.05  # of a drop; after which its processor time is looked at [s]
MOST_CPU = 120.0  # of a drop [s]
OUT_OF_TIME = "OUT_OF_TIME"  # how a drop ended that took longer
MU = 0.7
SPREAD = 0.6  # of joint angles about those at rest, or what of that their limits allow [rad]
CORNERS = ("FL", "FR", "RL", "RR")
LEG = """<body pos="{x} {y} 0"><inertial pos="{dx} {dy} 0" mass=".68" diaginertia=".00073 .00047 .0004"/>
<joint class="servo" name="{n}_hip" axis="1 0 0" damping="{hip}" range="-.863 .863"/>
<body pos="0 {out} 0"><inertial pos="-.003 {lift} -.0305" mass="1.009" diaginertia=".0048 .0046 .0007"/>
<joint class="servo" name="{n}_thigh" range="{thigh}"/>
<body pos="0 0 -{long}"><inertial pos=".004 0 -.146" mass="{shank}" diaginertia=".0015 .0015 .00004"/>
<joint class="servo" name="{n}_knee" range="{knee}"/><geom name="{n}" size=".023" pos="0 0 -{long}"/>
</body></body></body>"""
SERVOS = (
    '<position joint="{n}_hip" kp="100"/><position joint="{n}_thigh" kp="100"/><position joint="{n}_knee" kp="100"/>'
)
FRAME = """<mujoco><compiler angle="radian" autolimits="true"/><default><default class="servo">
<joint axis="0 1 0" damping="{damping}" armature="{armature}" frictionloss="{friction}"/></default></default>
<worldbody><body><freejoint/><geom name="trunk" type="box" size="{size}" mass="{mass}"/>{legs}</body></worldbody>
<actuator>{servos}</actuator><keyframe><key qpos="0 0 {high} 1 0 0 0 {pose}"/></keyframe></mujoco>"""


@dataclass(frozen=True)
class Dropped:
    """A robot that is dropped.

    Attributes:
        robot: All its contact points.
        qpos: Its pose at rest, shape (nq,).
        ctrl: What its servos are told, shape (nu,).
        ranges: From where to where joint angles are drawn, shape (n, 3): address in qpos, least, most.
    """

    robot: Robot
    qpos: np.ndarray
    ctrl: np.ndarray
    ranges: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """What became of a drop.

    Attributes:
        seed: Of the drop.
        status: Name of the run's status, or `OUT_OF_TIME`.
        time: Until when it ran [s].
        cpu: Processor time [s].
        events: How many.
        books: Energy that is not accounted for, relative to all that was worked and lost.
        speed: Of the fastest joint at the end [m/s, rad/s].
    """

    seed: int
    status: str
    time: float
    cpu: float
    events: int
    books: float
    speed: float


def quadruped() -> Dropped:
    """Return the example's quadruped of two hinges a leg, whose feet must creep sideways."""
    return _dropped(mujoco.MjModel.from_xml_path(str(ASSETS / "examples" / "quadruped.xml")), (*CORNERS, "trunk"))


def dog() -> Dropped:
    """Return the dog of `Dog-v0`, with dry joints; trunk and head touch, too."""
    model = mujoco.MjModel.from_xml_path(str(ASSETS / "robots" / "dog.xml"))
    return _dropped(model, (*CORNERS, "trunk", "head"))


def go1() -> Dropped:
    """Return a robot of go1's masses, lengths, servos and frictionloss, as in MuJoCo's Menagerie."""
    return _quadruped_of_boxes(
        "0.19 0.05 0.057", 5.2, (0.188, 0.047, 0.08, 0.213), 0.196, (2.0, 1.0), 0.01, 0.2, (0.0, 0.9, -1.8),
        ("-.686 4.501", "-2.818 -.888"), 0.27,
    )  # fmt: skip


def anymal() -> Dropped:
    """Return a robot of about anymal_c's masses and lengths, with its soft servos and its frictionloss."""
    return _quadruped_of_boxes(
        "0.35 0.12 0.09", 19.2, (0.36, 0.1, 0.1, 0.285), 0.59, (1.0, 1.0), 0.0, 0.1, (0.0, 0.6, -1.2),
        ("-9.4 9.4", "-9.4 9.4"), 0.5,
    )  # fmt: skip


def ant() -> Dropped:
    """Return Gymnasium's Ant, all of whose 13 geoms touch."""
    model = mujoco.MjModel.from_xml_path(
        str(Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "ant.xml")
    )
    names = [model.geom(k).name for k in range(model.ngeom) if model.geom_bodyid[k]]
    return _dropped(model, names)


def six_legs() -> Dropped:
    """Return the multipod of six legs on leaf springs; the boxes of its spine touch, too."""
    model = multipod.build().compile()
    names = [model.geom(k).name for k in range(model.ngeom)]
    return _dropped(model, [name for name in names if name.startswith(("toe_", "segment_"))], "ground")


def box() -> Dropped:
    """Return a box of eight corners."""
    text = """<mujoco><worldbody><body><freejoint/><geom name="box" type="box" size=".1 .07 .05" mass="2"/></body>
    </worldbody></mujoco>"""
    return _dropped(mujoco.MjModel.from_xml_string(text), ["box"])


ROBOTS: dict[str, Callable[[], Dropped]] = {
    made.__name__: made for made in (quadruped, go1, ant, dog, six_legs, box, anymal)
}
robot_named = lru_cache(maxsize=None)(lambda name: ROBOTS[name]())


def at_start(dropped: Dropped, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return qpos and qvel of a drop: turned in any way, its lowest point .02 to .5 m high, joints anywhere.

    Speeds are normal, .5 m/s for the body and 2 rad/s for turns and joints.
    """
    rng, robot, qpos = np.random.default_rng(seed), dropped.robot, dropped.qpos.copy()
    turn = rng.normal(size=4)
    qpos[:3], qpos[3:7] = (0.0, 0.0, 10.0), turn / np.linalg.norm(turn)
    for address, least, most in dropped.ranges:
        qpos[int(address)] = rng.uniform(least, most)
    qvel = rng.normal(size=robot.nv) * np.where(np.arange(robot.nv) < 3, 0.5, 2.0)
    qpos[2] += rng.uniform(0.02, 0.5) - mechanics(robot, qpos, qvel).gap.min()
    return qpos, qvel


def begun(name: str, seed: int, options: Options | None = None) -> Simulation:
    """Return a drop at its start; where two futures are allowed it goes on with the least forces."""
    dropped = robot_named(name)
    return start(dropped.robot, *at_start(dropped, seed), dropped.ctrl, options=options or Options(undecided="least"))


def drop(name: str, seed: int, options: Options | None = None) -> Outcome:
    """Return the outcome of a drop."""
    begun(name, seed, options).to(1e-6)  # compiles what is not compiled yet
    began = time.process_time()
    run = begun(name, seed, options)
    before, status = run.balance, ""
    for end in np.arange(1, round(SECONDS / SLICE) + 1) * SLICE:
        if run.to(end) is not RunStatus.FINAL_TIME:
            break
        if time.process_time() - began > MOST_CPU:
            status = OUT_OF_TIME
            break
    turned = max(np.abs(run.x[-4:]).sum() + abs(run.lost), 1e-12)
    return Outcome(
        seed, status or run.status.name, run.time, time.process_time() - began, len(run.events),
        abs(run.balance - before) / turned, float(np.abs(run.qvel).max()),
    )  # fmt: skip


def stored(path: Path) -> list[Outcome]:
    """Return the outcomes in a file, a line of JSON each; none where there is no file."""
    return [Outcome(**json.loads(line)) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def store(path: Path, outcome: Outcome) -> None:
    """Add an outcome to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(outcome)) + "\n")


def _quadruped_of_boxes(size, mass, place, shank, damping, armature, friction, pose, ranges, high) -> Dropped:
    ahead, side, out, length = place
    legs = ""
    for n, x, y in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1)):
        legs += LEG.format(
            n=n, x=x * ahead, y=y * side, dx=-x * 0.005, dy=-y * 0.0076, out=y * out, lift=-y * 0.019, long=length,
            hip=damping[1], thigh=ranges[0], knee=ranges[1], shank=shank,
        )  # fmt: skip
    text = FRAME.format(
        damping=damping[0], armature=armature, friction=friction, size=size, mass=mass, legs=legs, high=high,
        servos="".join(SERVOS.format(n=n) for n in CORNERS), pose=" ".join(map(str, 4 * pose)),
    )  # fmt: skip
    return _dropped(mujoco.MjModel.from_xml_string(text), (*CORNERS, "trunk"))


def _dropped(model: mujoco.MjModel, points, ground: str | None = None) -> Dropped:
    """Name what has none, convert the model, and find its pose at rest and its joints' ranges."""
    robot = convert(model, points, ground=ground, mu=MU)
    qpos = (model.key_qpos[0] if model.nkey else model.qpos0).copy()
    ranges = []
    for j in range(model.njnt):
        if model.jnt_type[j] in (HINGE, SLIDE):
            q = model.jnt_qposadr[j]
            least, most = model.jnt_range[j] if model.jnt_limited[j] else (-10.0, 10.0)
            qpos[q] = qpos[q] if least < qpos[q] < most else 0.5 * (least + most)  # Ant was drawn beyond its limits
            ranges.append([q, max(least, qpos[q] - SPREAD), min(most, qpos[q] + SPREAD)])
    return Dropped(robot, qpos, _controls(model, qpos), np.array(ranges).reshape(-1, 3))


def _controls(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    """Return controls that hold the pose: position servos' set-points, zero for motors."""
    ctrl = np.zeros(model.nu)
    for k, bias in enumerate(model.actuator_biasprm[:, 1]):
        if bias < 0.0:
            ctrl[k] = qpos[model.jnt_qposadr[model.actuator_trnid[k, 0]]]
    return ctrl
