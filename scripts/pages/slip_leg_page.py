"""The page of `SlipLeg-v0`."""

from __future__ import annotations

from tarsus.scripts.pages.environment_page import EnvironmentPage
from tarsus.scripts.report import markdown_table

PAGE = EnvironmentPage(
    name="SlipLeg-v0",
    source="scripts/pages/slip_leg_page.py",
    picture="![The articulated leg running](../figures/slipleg.gif)",
    description="""\
An articulated leg of ten kilograms that runs in the plane: a base that translates but does not turn, thigh, shank, a
point foot; hip and knee are driven. World: x forward, z up. The joint angles are zero with the leg straight down; a
positive hip angle swings the leg forward, and the knee bends to negative angles. The machine and its baseline, SLIP
running by operational-space control, are described in [the articulated SLIP leg](../slip_leg.md).""",
    actions="""\
A `Box` of 2 from -1 to 1, chosen by `action_mode` at `make`. Actions beyond the box are clipped to it.

| mode | an action is |
|---|---|
| `"torque"` (default) | torque of hip and knee; 1 is {hip_torque:g} and {knee_torque:g} N m |
| `"position"` | set-points of hip and knee over their ranges {ranges} rad; servos of {stiffness:g} N m/rad and \
{damping:g} N m s/rad follow them inside the physics step |

An action is held for `ctrl_dt`, by default 2 ms: four physics steps of the preset `rl`. Stance lasts 0.14 s, and a
torque held for longer than about 5 ms no longer makes the leg a spring.""",
    start="""\
The apex of a running step: the mass centre at `apex_height` above the ground, moving forward at `speed`, the leg
retracted below it, with normal noise of standard deviation `reset_noise` on joint angles [rad] and velocities [m/s,
rad/s].""",
    ends="""\
when the base is less than {fallen} m above the ground (`"fell: ..."`), when it leaves the height field of curved
terrain (`"left the terrain"`, 19 m from the origin)""",
    info={
        "time": "since the episode's start [s]",
        "qpos": "base x, z [m], hip, knee [rad], (4,)",
        "qvel": "their rates, (4,)",
        "speed": "mean of the control period along the world's x [m/s]",
        "distance": "of the base along the world's x since the start [m]",
        "command": "forward speed asked for [m/s], (1,)",
        "ground": "height of the ground below the foot [m]",
        "foot_contact": "whether the foot touches the ground, (1,)",
        "foot_force": "of the ground on the foot, world frame [N], (1, 3); of the last substep, as MuJoCo's sensors",
        "torque": "of hip and knee [N m], (2,)",
    },
    arguments="The presets are this leg's own:\n\n{preset_table}",
    baseline="""
## Baseline

`controllers.slip.SlipPolicy` runs like a spring-mass system in the mode `torque`:

```python
from tarsus.controllers.slip import SlipControl, SlipController, SlipPolicy

controller = SlipController(control=SlipControl(energy_gain=0.5), hold=env.unwrapped.ctrl_dt)
policy = SlipPolicy(controller, env.unwrapped.action_scale)
action = policy(observation, info)
```
""",
)


def page() -> str:
    """Return the page."""
    import dataclasses

    import gymnasium

    import tarsus  # noqa: F401  registers the environments
    from tarsus.envs.slip_leg import FALLEN
    from tarsus.mjcf import slip_leg

    presets = [dataclasses.asdict(preset) for preset in slip_leg.PRESETS.values()]
    preset_rows = [(name, *(preset[name] for preset in presets)) for name in presets[0]]
    return PAGE.render(
        gymnasium.make("SlipLeg-v0"),
        hip_torque=slip_leg.TORQUE_LIMITS[0],
        knee_torque=slip_leg.TORQUE_LIMITS[1],
        ranges=" and ".join(map(str, slip_leg.JOINT_RANGES)),
        stiffness=slip_leg.SERVO[0],
        damping=slip_leg.SERVO[1],
        fallen=FALLEN,
        preset_table=markdown_table(("setting", *slip_leg.PRESETS), preset_rows),
    )
