"""What a robot of the user's own is, in words: its tree, joints, servos and feet, how it stands, what registers it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from tarsus.envs import own_robot
from tarsus.envs.own_verdict import Verdict, examined
from tarsus.mjcf import own_exact, own_feet, own_servos
from tarsus.mjcf.feet import toes
from tarsus.mjcf.own_robot import OwnRobot, standing
from tarsus.mjcf.presets import find
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.views import rendering

KINDS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}


@dataclass(frozen=True)
class Inspected:
    """A robot, what was found of it, and its environment."""

    path: Path
    name: str  # of its environment
    given: dict[str, Any]  # further fields of `OwnRobot`
    robot: OwnRobot
    verdict: Verdict
    env: Any

    def __str__(self) -> str:
        model = self.env.model
        said = "\n".join(f"- {sentence}" for sentence in self.verdict.sentences) or "Nothing is other than in the file."
        parts = [
            f"# {self.path.name}",
            f"{model.body_subtreemass[model.jnt_bodyid[0]]:.3f} kg, {len(self.robot.feet)} feet, {model.nv} degrees "
            f"of freedom, {model.nactuator} actuators",
            "## Tree", "\n".join(tree(model)),
            "## Joints", markdown_table(("joint", "kind", "range", "at rest", "servo"), joints(model)),
            "## Feet", markdown_table(("foot", "geoms", "shape", "fits a sphere of"), feet(model, self.robot)),
            "## How it stands and walks",
            markdown_table(("an action of 0", ""), [*self.verdict.standing.lines(),
             ("friction of the feet on the ground", self.robot.friction_in_words), ("walks", self.walk()),
             ("in the exact engine", self.exactly())]),
            "## What is not as in the file", said,
            "## In Python", f"```python\n{self.lines()}\n```",
        ]  # fmt: skip
        return "\n\n".join(parts)

    def walk(self) -> str:
        """Return the clock's speed in words."""
        trial, model = self.verdict.trial, self.env.model
        if trial is None:
            return "no clock was found that walks"
        data = standing(model)  # the length is the largest horizontal distance between feet at rest
        at = np.array([data.geom_xpos[leg[0], :2] for leg in toes(model)])
        length = float(max(np.linalg.norm(at[:, None] - at[None], axis=-1).max(), 1e-3))
        return (
            f"{trial.speed:.3f} m/s by a clock, {trial.speed / length:.2f} times its length of {length:.2f} m a second"
        )

    def exactly(self) -> str:
        """Return whether the exact engine has the robot, or what of it is not covered, in words."""
        try:
            own_exact.robot_of(self.env.model, self.env.task.hardest, find(self.env.config.preset))
        except ValueError as error:
            return str(error)
        return "tarsus crossvalidate FILE, or make(..., engine='exact')"

    def lines(self) -> str:
        """Return the lines that register it."""
        more = "".join(f", {name}={value!r}" for name, value in self.given.items())
        return "\n".join(
            [
                "import gymnasium",
                "from tarsus import own_robot",
                "",
                f'own_robot.register("{self.name}", "{self.path.as_posix()}"{more})',
                f'env = gymnasium.make("{self.name}")',
            ]
        )

    def numbers(self) -> dict[str, Any]:
        """Return its part of `result.json`."""
        check = asdict(self.verdict.standing)
        walk = None if self.verdict.trial is None else asdict(self.verdict.trial)
        options = {name: value for name, value in self.verdict.options.items() if not callable(value)}
        return {
            "feet": list(self.robot.feet), "standing": check, "walk": walk, "options": options,
            "sentences": list(self.verdict.sentences), "python": self.lines(), "exact": self.exactly(),
        }  # fmt: skip


def inspect(path: Path, name: str, **given) -> Inspected:
    """Return the robot of a file, tried, with further fields that register it; ValueError says what it lacks."""
    robot = OwnRobot(path, **given)
    verdict = examined(name, robot, {"baseline": "clock"}, own_robot.OwnRobotEnv)
    env = own_robot.OwnRobotEnv(params=robot, render_mode=None, **verdict.options)
    env.reset(seed=0)
    return Inspected(path, name, given, robot, verdict, env)


def tree(model: mujoco.MjModel) -> list[str]:
    """Return the robot's bodies, indented, with their masses."""
    root, lines, depth = int(model.jnt_bodyid[0]), [], {}
    for k in range(root, model.nbody):
        if model.body_rootid[k] != root:
            continue
        depth[k] = 0 if k == root else depth[int(model.body_parentid[k])] + 1
        moves = ", ".join(model.joint(int(j)).name for j in _joints_of(model, k) if model.jnt_type[j])
        lines.append(
            f"{'  ' * depth[k]}- {model.body(k).name} {model.body_mass[k]:.3g} kg" + f" ({moves})" * bool(moves)
        )
    return lines


def _joints_of(model: mujoco.MjModel, body: int) -> range:
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))


def joints(model: mujoco.MjModel) -> list[tuple[str, ...]]:
    """Return a row for each joint but the free one."""
    holds, kp, kd = own_servos.gains_of(model)
    at_rest, rows = standing(model).qpos, []
    for j in range(1, model.njnt):
        mine = [k for k in range(model.nactuator) if model.actuator_trnid[k, 0] == j and not model.actuator_trntype[k]]
        most = own_servos.largest(model, j)
        words = ["held by nothing"] * (not mine)
        words += [f"kp {kp[k]:.3g}, kd {kd[k]:.3g}" if holds[k] else "motor" for k in mine]
        words += [f"at most {most:.3g}"] if np.isfinite(most) and mine else []
        span = f"{model.jnt_range[j, 0]:.2f} to {model.jnt_range[j, 1]:.2f}" if model.jnt_limited[j] else "free"
        rest = f"{at_rest[model.jnt_qposadr[j]]:.3f}"
        rows.append((model.joint(j).name, KINDS[int(model.jnt_type[j])], span, rest, ", ".join(words)))
    return rows


def feet(model: mujoco.MjModel, robot: OwnRobot) -> list[tuple[str, ...]]:
    """Return a row for each foot; of meshes how well a sphere fits them, with which MuJoCo does not collide."""
    data, rows = standing(model), []
    for name, geoms in zip(robot.feet, toes(model), strict=True):
        radius, error = own_feet.sphere_of(model, data, geoms[0])
        shape = mujoco.mjtGeom(int(model.geom_type[geoms[0]])).name.removeprefix("mjGEOM_").lower()
        fits = f"{1e3 * radius:.1f} mm within {1e3 * error:.2f} mm" if shape == "mesh" and radius else ""
        rows.append((name, str(len(geoms)), shape, fits))
    return rows


def film(found: Inspected, path: Path, seconds: float) -> None:
    env = own_robot.OwnRobotEnv(params=found.robot, render_mode="rgb_array", **found.verdict.options)
    action, n_steps = np.zeros(env.action_space.shape, np.float32), round(seconds / env.ctrl_dt)
    env.reset(seed=0)
    rendering.film_steps(env, (env.step(action) for _ in range(n_steps)), path, n_steps)
    env.close()


class Standing:
    """Steps an environment at an action of 0, for a viewer."""

    def __init__(self, env):
        self.env, self.model, self.data, self._owed = env, env.model, env.data, 0
        self._action = np.zeros(env.action_space.shape, np.float32)

    def step(self) -> None:
        """Advance by a timestep: the environment's whole period, each time it is due."""
        self._owed += 1
        if self._owed == self.env.task.n_substeps:
            self._owed = 0
            self.env.step(self._action)


def watch(found: Inspected, where: str) -> None:
    """Show an action of 0 in a window or a browser until it is closed."""
    from tarsus.scripts.library.views import studio, window

    (studio if where == "web" else window).watch(Standing(found.env))
