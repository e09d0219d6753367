"""The page of `Hexapod-v0`."""

from __future__ import annotations

from tarsus.scripts.pages.environment_page import FALLEN_WALKER, EnvironmentPage
from tarsus.scripts.report import markdown_table

PAGE = EnvironmentPage(
    name="Hexapod-v0",
    source="scripts/pages/hexapod_page.py",
    picture="![A compliant hexapod walking](../figures/hexapod.png)",
    description="""\
A rigid body on six compliant legs, after RHex: each leg is a spring along its length and one that splays it, and its
hip turns all the way round, driven by a DC motor with a torque-speed limit. Parameters are Table 2 of the SimSect
manual. Body axes: x to the right, **y forward**, z up. Legs 0, 1, 2 are right rear,
middle, front; 3, 4, 5 left rear, middle, front.""",
    actions="""\
A `Box` of 6 from -1 to 1, chosen by `action_mode` at `make`. Actions beyond the box are clipped to it.

| mode | an action is |
|---|---|
| `"velocity"` (default) | speed of each hip's set-point; 1 is the no-load speed, {no_load_speed:.1f} rad/s |
| `"torque"` | torque of each hip; 1 is {max_torque:g} N m; the motor's torque-speed limit applies |
| `"gait"` | parameters of the alternating-tripod clock, from their low at -1 to their high at +1 (below) |

In the modes `velocity` and `gait` a PD servo (`KP`, `KD` of the parameters) follows the set-point inside the physics
step; a set-point stays within half a turn of its hip. In the mode `torque` whatever feedback there is is sampled at the
control period: with toes of ten grams the documents' PD law needs about 1 ms (preset `reference`) to walk as it should,
and stumbles at 20 ms.

{gait_table}""",
    start="""\
Level, at rest, the lowest toe touching the ground, tripod A (legs 0, 2, 4) straight down and B straight up (in mode
`gait` where the clock is at a random phase), with normal noise of standard deviation `reset_noise` on hip angles [rad],
and body velocities [m/s, rad/s].""",
    ends=FALLEN_WALKER,
    info={
        "time": "since the episode's start [s]",
        "position": "of the body, world [m], (3,)",
        "speed": "mean of the control period along the world's y [m/s]",
        "distance": "along the world's y since the start [m]",
        "command": "forward speed [m/s] and yaw rate [rad/s] asked for, (2,)",
        "hip_angle": "unwrapped [rad], (6,)",
        "hip_speed": "[rad/s], (6,)",
        "hip_reference": "set-points [rad], (6,)",
        "foot_contact": "which feet touch the ground, (6,)",
        "foot_force": "of the ground on each foot, world frame [N], (6, 3); of the last substep, as MuJoCo's sensors",
        "torque": "of the hips [N m], (6,)",
        "current": "of the motors' armatures [A], (6,)",
        "battery_drained": "share of the 2.2 A h battery since the start, sampled at the control period",
    },
)


def page() -> str:
    """Return the page."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments
    from tarsus.envs.hexapod import GAIT_RANGES

    env = gymnasium.make("Hexapod-v0")
    motor = env.unwrapped.params.motor
    rows = [(f"`{name}`", f"{low:g}", f"{high:g}") for name, (low, high) in GAIT_RANGES.items()]
    table = markdown_table(("gait parameter", "low", "high"), rows)
    return PAGE.render(env, no_load_speed=motor.no_load_speed, max_torque=motor.max_torque, gait_table=table)
