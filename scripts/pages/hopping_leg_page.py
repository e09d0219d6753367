"""The page of `HoppingLeg-v0`."""

from __future__ import annotations

from tarsus.scripts.pages.environment_page import EnvironmentPage

PAGE = EnvironmentPage(
    name="HoppingLeg-v0",
    source="scripts/pages/hopping_leg_page.py",
    picture="![A leg hopping on its boom](../figures/hoppingleg.gif)",
    description="""\
A leg of two links on the end of a boom that turns about a post (yaw) and tips (pitch). Hip and knee are driven; yaw and
pitch are not. The foot sticks to the ground across the boom and slides freely along it. The model, its parameters and
its controller are described in [the hopping leg](../hopping_leg.md). World frame: origin on the ground at the post, z
up; the leg starts on the x axis and hops towards +y.

A step of the environment is a control period `ctrl_dt`, by default 5 ms: 5 physics steps of the preset `rl`.""",
    actions="""\
A `Box` of 2 from -1 to 1: torques of hip and knee, held for the control period; 1 is {hip_torque:g} and
{knee_torque:g} N m, what the motors give at their largest current. The motors' torque-speed limit applies inside the
physics step. Actions beyond the box are clipped to it.""",
    start="""\
At rest in the air, the boom tipped up by 0.12 rad and the foot 0.28 m under the hip, with normal noise of standard
deviation `reset_noise` on pitch, hip and knee [rad] and on all rates [rad/s].""",
    ends='when the hip is less than 0.08 m above the ground (`"fell: ..."`)',
    info={
        "time": "since the episode's start [s]",
        "qpos": "yaw and pitch of the boom, hip, knee [rad], (4,)",
        "qvel": "their rates [rad/s], (4,)",
        "speed": "mean of the control period, of the hip along its circle [m/s]",
        "distance": "along the circle since the start [m]",
        "command": "speed asked for [m/s], (1,)",
        "hip_position": "world [m], (3,)",
        "foot_position": "world [m], (3,)",
        "foot_contact": "whether the foot touches the ground, (1,)",
        "foot_force": "of the ground on the foot, world frame [N], (1, 3); of the last substep, as MuJoCo's sensors",
        "torque": "of hip and knee, after the motors' limits [N m], (2,)",
    },
    arguments="Each link and each motor gets a factor of its own. The presets are this leg's own.",
    baseline="""
## Baseline

`controllers.raibert.RaibertPolicy` hops at a commanded speed in this action space:

```python
from tarsus.controllers.raibert import Raibert, RaibertGains, RaibertPolicy

policy = RaibertPolicy(Raibert(RaibertGains(speed=1.0), env.unwrapped.params), env.unwrapped.action_scale)
action = policy(observation, info)
```
""",
)


def page() -> str:
    """Return the page."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments

    env = gymnasium.make("HoppingLeg-v0")
    hip_torque, knee_torque = env.unwrapped.action_scale
    return PAGE.render(env, hip_torque=hip_torque, knee_torque=knee_torque)
