"""A machine with nothing that a recipe calls optional: no commands, no random parameters, one term of the reward."""

from dataclasses import dataclass

import mujoco

from tarsus.envs.base import LeggedEnv
from tarsus.envs.config import TaskConfig
from tarsus.envs.observations import Observation
from tarsus.envs.task import Task
from tarsus.envs.vector import LeggedVectorEnv
from tarsus.mjcf.look import add_cameras
from tarsus.mjcf.parts import put_on_ground

MJCF = """<mujoco><worldbody><body name="bead"><geom name="toe" type="sphere" size="0.02" mass="1"/>
<joint name="x" type="slide" axis="1 0 0" damping="1"/><joint name="z" type="slide" axis="0 0 1"/></body></worldbody>
<actuator><motor name="push" joint="x" ctrlrange="-9 9"/></actuator></mujoco>"""


@dataclass(frozen=True)
class BeadConfig(TaskConfig):
    """The options that all environments have."""

    REWARDS = {"forward": {"forward": (1.0, "forward speed [m/s]")}}

    params: float = 0.5  # friction


class BeadTask(Task):
    """A bead on a slide."""

    config_class = BeadConfig
    OBSERVATIONS = {"velocity": Observation(2, 100, "m/s", "along x and z", lambda t: t.qvel)}
    DEFAULT = ("velocity",)

    def build(self, params, terrain, preset):
        spec = mujoco.MjSpec.from_string(MJCF)
        put_on_ground(spec, ["toe"], terrain, preset, params)
        add_cameras(spec.body("bead"))
        return spec

    def place(self, sim, model, data, rng):
        mujoco.mj_resetData(model, data)
        data.qpos[1] = 0.02 + self.terrain[sim].height(0.0, 0.0)
        data.qvel[:] = self.config.reset_noise * rng.standard_normal(2)

    def unweighted_terms(self):
        return {"forward": self.velocity}

    def failures(self):
        return {"sank": self.qpos[..., 1] < self.ground.height(self.qpos[..., 0], 0.0)}


class BeadEnv(LeggedEnv):
    """One bead."""

    task_class = BeadTask


class BeadVectorEnv(LeggedVectorEnv):
    """Many beads."""

    task_class = BeadTask
