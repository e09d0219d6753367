"""The vertical hopper in MuJoCo: qpos and qvel are the exact model's state."""

from __future__ import annotations

import mujoco

from hopper.model import HopperParams
from tarsus.analytic.terrain import Terrain, make
from tarsus.mjcf.look import draw_rod
from tarsus.mjcf.parts import add_foot, add_foot_sensors, make_point_mass, new_spec
from tarsus.mjcf.presets import Preset, find
from tarsus.mjcf.terrain import add_ground

PRESETS = {
    "reference": Preset(1e-4, "implicitfast", solref=(4e-4, 1.0), solimp=(0.0, 0.95, 1e-5), toe_radius=1e-4),
    "rl": Preset(1e-3, "implicitfast", solref=(2e-3, 1.0), solimp=(0.0, 0.95, 1e-3), toe_radius=0.01),
}


def build(
    params: HopperParams | None = None, terrain: str | Terrain = "flat", preset: str | Preset = "reference"
) -> mujoco.MjSpec:
    """Return the hopper on its terrain as a spec; `preset` may be a name from `PRESETS` of this module."""
    params, ground, preset = params or HopperParams(), make(terrain), find(preset, PRESETS)
    spec, slide = new_spec("hopper", preset, params.g), mujoco.mjtJoint.mjJNT_SLIDE
    stands_on = add_ground(spec, ground, preset, 1.0, 1)
    body = spec.worldbody.add_body(name="body")
    make_point_mass(body, params.body_mass)
    body.add_joint(name="z", type=slide, axis=(0, 0, 1))
    foot = body.add_body(name="foot")
    make_point_mass(foot, params.foot_mass)
    leg = foot.add_joint(name="length", type=slide, axis=(0, 0, -1), springref=params.leg_length)
    leg.stiffness[0], leg.damping[0] = params.stiffness, params.damping
    draw_rod(foot, "leg", (0, 0, 0), (0, 0, params.leg_length), 0.01, "plate")
    add_foot(foot, 0, preset.toe_radius, ground)
    motor = spec.add_actuator(name="thrust", target="length", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()
    add_foot_sensors(spec, stands_on)
    return spec
