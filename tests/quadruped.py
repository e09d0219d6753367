"""`Quadruped-v0`: a robot of the reader's own, from an MJCF with named feet, in one file; see CONTRIBUTING.md."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from tarsus.envs.base import LeggedEnv
from tarsus.envs.free_body import FreeBodyConfig, FreeBodyTask
from tarsus.envs.vector import LeggedVectorEnv
from tarsus.mjcf.look import add_cameras
from tarsus.mjcf.parts import add_imu, put_on_ground

FEET = ("front_left", "front_right", "rear_left", "rear_right")
LEG = """
    <body name="{name}_leg" pos="{x} {y} 0">
      <joint name="{name}_hip" axis="0 1 0" range="-1 1" damping="0.2"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.1" contype="0" conaffinity="0"/>
      <geom name="{name}" type="sphere" size="0.02" pos="0 0 -0.2" mass="0.02"/>
    </body>"""
MJCF = """
<mujoco model="quadruped">
  <compiler angle="radian"/>
  <worldbody>
    <body name="trunk">
      <freejoint/>
      <geom type="box" size="0.2 0.08 0.04" mass="3" conaffinity="0"/>{legs}
    </body>
  </worldbody>
  <actuator>{servos}</actuator>
</mujoco>""".format(
    legs="".join(
        LEG.format(name=name, x=0.2 if "front" in name else -0.2, y=0.1 if "left" in name else -0.1) for name in FEET
    ),
    servos="".join(
        f'<position name="{name}" joint="{name}_hip" kp="20" kv="0.5" ctrlrange="-0.6 0.6"/>' for name in FEET
    ),
)


@dataclass(frozen=True)
class QuadrupedParams:
    """What of the robot can be changed, and drawn at random."""

    g: float = 9.81  # [m/s^2]
    friction: float = 0.8
    payload: float = 0.5  # on the trunk [kg]


@dataclass(frozen=True)
class QuadrupedConfig(FreeBodyConfig):
    """The options of `Quadruped-v0`."""

    RANDOMISABLE = ("g", "friction", "payload")

    params: QuadrupedParams = QuadrupedParams()


class QuadrupedTask(FreeBodyTask):
    """What `Quadruped-v0` simulates and asks for."""

    config_class = QuadrupedConfig

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the MJCF on the ground, four of its spheres being feet."""
        spec = mujoco.MjSpec.from_string(MJCF)
        put_on_ground(spec, FEET, terrain, preset, params.friction)
        spec.option.gravity = (0, 0, -params.g)
        trunk = spec.body("trunk")
        trunk.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.05, 0, 0), mass=params.payload)
        add_imu(spec, trunk)
        add_cameras(trunk)
        return spec


class QuadrupedEnv(LeggedEnv):
    """One quadruped."""

    task_class = QuadrupedTask


class QuadrupedVectorEnv(LeggedVectorEnv):
    """Many quadrupeds."""

    task_class = QuadrupedTask
