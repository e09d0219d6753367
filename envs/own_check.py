"""The standing check of a user's robot: what it carries, sinks and drifts at an action of 0, and half-random actions.

Each number has a bound, and what is beyond it is said with its cure.
"""

import copy
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ..mjcf.own_robot import standing
from ..mjcf.terrain import GROUND
from .own_clock import leg_length
from .own_trial import SETTLING, Trial, tried
from .steps import DIVERGED

STANDING, SHAKEN = 3.0, 20.0  # of standing, and of half-random actions [s]
STEADY = 0.5  # of the physics steps whose force is the mean: a sole may flicker between two of them [s]
SHARE = 0.5  # of the largest actions that are drawn
TOLERANCE = 0.02  # of the force on standing feet, over the weight
MOST_FORCE = 5.0  # weights, mean force under half-random actions
DRIFT = 0.01  # of the legs' length in a second, and of a radian; robots that stand have a twentieth of it
DEEP = 0.005  # penetration of the ground [m], and of parts of the robot into each other


@dataclass(frozen=True)
class StandingCheck:
    """A robot at an action of 0 on flat ground, then at half-random actions.

    Attributes:
        trial: Of the action 0: loads, height, drift, power.
        height: Of the trunk's mass centre at rest [m].
        mass: [kg].
        legs: Mean length of legs [m].
        penetration: Deepest of feet in the ground, while it stands [m].
        overlap: Deepest of two parts in each other, and their names.
        iterations: Most of the solver, and how many it may take.
        shaken: Mean vertical force under half-random actions [weights]; infinite if that diverged.
        falls: Episodes that ended meanwhile.
        carried: What else carries the robot, in words; empty if nothing does.
        flicker: Least and largest force on the feet of the physics steps whose mean `trial` has [weights].
    """

    trial: Trial
    height: float
    mass: float
    legs: float
    penetration: float
    overlap: tuple[float, str]
    iterations: tuple[int, int]
    shaken: float
    falls: int
    carried: str
    flicker: tuple[float, float]

    def sentences(self) -> list[str]:
        """Return the values beyond their bounds, each with its cure; none of a robot that stands."""
        trial, said = self.trial, []
        parts = f", touching with {', '.join(trial.touching[:6])}" if trial.touching else ""
        if trial.ending:
            return [
                f"at an action of 0 the robot does not stand: after {trial.seconds:.2f} s {trial.ending}{parts}; try "
                "pose='found', another keyframe or servo=(kp, kd), or let a policy balance it"
            ]
        if abs(trial.feet - 1.0) > TOLERANCE:
            said.append(
                f"at an action of 0 the feet carry {trial.feet:.3f} of the weight, other parts {trial.others:.3f}"
                f"{parts}{self.carried}; pose='found', another keyframe, or feet=(...) that name all legs may stand"
            )
        if max(trial.way / max(self.legs, 1e-9), abs(trial.turn)) > DRIFT:
            said.append(
                f"at an action of 0 the robot drifts: {self._drift()}; another pose or keyframe, more friction, or "
                "servo=(kp, kd) with more kp may hold it"
            )
        if self.penetration > DEEP:
            said.append(
                f"standing feet are {1e3 * self.penetration:.1f} mm deep in the ground: preset='reference' is stiffer"
            )
        if self.overlap[0] > DEEP:
            said.append(
                f"standing, {self.overlap[1]} are {1e3 * self.overlap[0]:.1f} mm deep in each other: <exclude> them, "
                "or give another pose"
            )
        if self.iterations[0] >= self.iterations[1]:
            said.append(f"the solver takes all of its {self.iterations[1]} iterations: masses or gains are far apart")
        if not self.shaken < MOST_FORCE:
            what = "diverges" if np.isinf(self.shaken) else f"is pushed by {self.shaken:.1f} weights on average"
            said.append(f"under half-random actions the robot {what}: lower reach, or servo=(kp, kd) with less kp")
        return said

    def lines(self) -> list[tuple[str, str]]:
        """Return its numbers in words."""
        trial = self.trial
        return [
            ("stands", "yes" if not trial.ending else f"no: after {trial.seconds:.2f} s {trial.ending}"),
            ("height of the trunk", f"{self.height:.3f} m, {trial.height:.2f} of that at rest on average"),
            (
                "force on the feet over weight",
                f"{trial.feet:.3f}, from {self.flicker[0]:.2f} to {self.flicker[1]:.2f}; on other parts "
                f"{trial.others:.3f}",
            ),
            ("penetration", f"{1e3 * self.penetration:.2f} mm; of parts in each other {1e3 * self.overlap[0]:.2f} mm"),
            ("drift", self._drift()),
            ("power", f"{trial.power:.2f} W"),
            ("solver", f"{self.iterations[0]} of {self.iterations[1]} iterations"),
            ("half-random actions", f"{self.shaken:.2f} weights on average, {self.falls} falls in {SHAKEN:g} s"),
        ]

    def _drift(self) -> str:
        share, trial = self.trial.way / max(self.legs, 1e-9), self.trial
        words = f"{1e3 * trial.way:.2f} mm/s, {share:.4f} of its legs' length in a second, "
        return f"{words}turning by {np.degrees(trial.turn):.2f} deg/s"


def standing_check(env) -> StandingCheck:
    """Return the check of a single environment of a user's robot without a baseline."""
    deepest, overlap, most = [0.0], [0.0, ""], [0]

    def watched() -> None:
        model, data = env.model, env.data
        most[0] = max(most[0], int(data.solver_niter[: max(data.nisland, 1)].max()))
        if data.time > SETTLING:
            _deepest(model, data, deepest, overlap)

    trial = tried(env, STANDING, watched)
    feet, others = (np.array([trial.feet]), np.array([trial.others])) if trial.ending else _loads(env)
    trial = replace(trial, feet=float(feet.mean()), others=float(others.mean()))
    shaken, falls = _shaken(env)
    return StandingCheck(
        trial, env.task.stands_at, env.task.weight / env.task.config.params.g,
        leg_length(env.model, standing(env.model)), deepest[0], (overlap[0], overlap[1]),
        (most[0], int(env.model.opt.iterations)), shaken, falls, _carried(env.model),
        (float(feet.min()), float(feet.max())),
    )  # fmt: skip


def _loads(env) -> tuple[np.ndarray, np.ndarray]:
    """Return the loads on feet and other parts in each physics step that follows, the controls held [weights]."""
    data, rows = copy.copy(env.data), []
    for _ in range(round(STEADY / env.model.opt.timestep)):
        mujoco.mj_step(env.model, data)
        rows.append(data.sensordata.copy())
    return env.task.loads(np.array(rows))


def _carried(model) -> str:
    """Return the parts other than feet that may carry a robot, in words."""
    held = [model.body(k).name for k in np.flatnonzero(model.body_gravcomp)]
    if held:
        return "; gravcomp carries " + ", ".join(held)
    return f"; {model.neq} equality constraints act" if model.neq else ""


def _deepest(model, data, deepest: list, overlap: list) -> None:
    """Keep the deepest penetration of the ground, and that of two parts with their names."""
    ground = model.geom(GROUND).id
    for contact in data.contact[: data.ncon]:
        if ground in contact.geom:
            deepest[0] = max(deepest[0], -float(contact.dist))
        elif -contact.dist > overlap[0]:
            names = [model.geom(int(k)).name or model.body(int(model.geom_bodyid[k])).name for k in contact.geom]
            overlap[:] = [-float(contact.dist), " and ".join(names)]


def _shaken(env) -> tuple[float, int]:
    """Return the mean vertical force under half-random actions [weights], and how many episodes ended."""
    rng, forces, falls = np.random.default_rng(0), [], 0
    env.reset(seed=1)
    for _ in range(round(SHAKEN / env.ctrl_dt)):
        action = SHARE * rng.uniform(-1.0, 1.0, env.action_space.shape)
        *_, terminated, _, info = env.step(action.astype(np.float32))
        if terminated and info["termination"].startswith(DIVERGED):
            return np.inf, falls
        forces.append(float(info["foot_force"][:, 2].sum()) / env.task.weight + float(env.task.off_feet()))
        if terminated:
            falls += 1
            env.reset()
    return float(np.mean(forces)), falls
