"""The pages of the walkers `Multipod-v0` and `BigAnt-v0`."""

from __future__ import annotations

from tarsus.scripts.pages.environment_page import FALLEN_WALKER, EnvironmentPage
from tarsus.scripts.pages.option_table import comments_of
from tarsus.scripts.report import markdown_table

ACTIONS = """\
A `Box` from -1 to 1, chosen by `action_mode` at `make`. Actions beyond the box are clipped to it.
`env.unwrapped.action_names` names each entry.

| mode | entries | an action is |
|---|---|---|
| `"velocity"` (default) | {n_joints} | speed of each set-point; 1 is the no-load speed, {no_load_speed:.2f} rad/s |
| `"torque"` | {n_joints} | torque of each joint; 1 is {max_torque:g} N m; the motor's torque-speed limit applies |
| `"gait"` | {n_gait} | parameters of {gait}, from their low at -1 to their high at +1 (below) |

{modes}

{gait_table}"""
ENTRIES = """\
Entries of joints are, in order: {joints}.
Entries of legs: {legs}.
`env.unwrapped.observation_names` names every number, as in `{a_name}`.

"""
NOISE = """
Normal noise of standard deviation `reset_noise` is added to the joint angles [rad] and the body's velocities
[m/s, rad/s]. In the mode `gait` the gait is at a random phase."""
INFO = {
    "time": "since the episode's start [s]",
    "position": "of the body, world [m], (3,)",
    "speed": "mean of the control period along the world's x [m/s]",
    "distance": "along the world's x since the start [m]",
    "command": "forward speed [m/s] and yaw rate [rad/s] asked for, (2,)",
    "joint_angle": "of the driven joints [rad], (n_joints,)",
    "joint_speed": "[rad/s], (n_joints,)",
    "joint_reference": "set-points [rad], (n_joints,)",
    "foot_contact": "which feet touch the ground, (n_legs,)",
    "foot_force": "of the ground on each foot, world frame [N], (n_legs, 3); at the last substep, as MuJoCo's are",
    "torque": "of the joints [N m], (n_joints,)",
    "current": "of the motors' armatures [A], (n_joints,)",
}
SERVO = """\
In the modes `velocity` and `gait` a PD servo (`KP`, `KD` of the parameters) follows the set-point inside the physics
step; """
MULTIPOD = EnvironmentPage(
    name="Multipod-v0",
    source="scripts/pages/walker_pages.py",
    picture="![Multipods with 4, 6, 12 and 24 legs](../figures/multipods.png)",
    example=", n_legs=12",
    example_size=" at 6 legs",
    description="""\
A rigid spine of segments, each with one pair of legs on an axle, after the multipods of Wu, Zhao and Revzen
(arXiv:2310.20669, 3.2.1). An axle yaws about the body's vertical and, after it, rolls about its own forward axis; both
legs of a pair go with it, so a roll lifts one foot and lowers the other. Each leg is a leaf spring. Mass, joints,
actions and observations are linear in the number of legs. Body axes: **x forward**, y left, z up. Segments are counted
from the front; legs are `left_0`, `right_0`, `left_1`, ... The paper prints no dimensions; `MultipodParams` gives those
chosen here with their reasons. The pictures have 4, 6, 12 and 24 legs.

MuJoCo uses the dense Jacobian at every size, since 4.0.0 has a known fault in the sparse one; at 50 legs a step takes
about 30 times as long as at 6.""",
    actions=ACTIONS,
    entries=ENTRIES,
    start="Level, at rest, all joints at zero (in the mode `gait` on the gait), the lowest foot on the ground. "
    + NOISE,
    ends=FALLEN_WALKER,
    info=INFO,
)
BIGANT = EnvironmentPage(
    name="BigAnt-v0",
    source="scripts/pages/walker_pages.py",
    picture="![BigANT at three instants of its tripod gait](../figures/bigant.png)",
    example="",
    example_size="",
    description="""\
BigANT, the hexapod of Wu, Zhao and Revzen (arXiv:2310.20669, 3.1): one motor per leg, whose rotation a four-bar linkage
turns into the path of the foot. Body axes: **x forward**, y left, z up. Legs are, with the paper's letters, `HR`, `MR`,
`FR` (hind, mid and front right), `HL`, `ML`, `FL`. A shaft angle of zero is mid-stance, and a rising one walks forward.

![The linkage, the path of the foot, and its height and speed](../figures/bigant_foot_path.png)

The paper prints no dimensions; those of `BigAntParams` were searched for a path that is level and even over a quarter
of the turn (2 mm over 80 degrees of the shaft, 68 mm long) and that lifts the foot by 41 mm, a third of its length:

{linkage_table}

In MuJoCo the loops are closed by constraints, which are soft as its contacts are: while walking the pins come apart by
up to 0.06 mm in the preset `reference`, by half a millimetre in `rl`. `analytic.models.bigant` has the closed form.""",
    actions=ACTIONS,
    entries=ENTRIES,
    start="Level, at rest, all legs at mid-stance (in the mode `gait` on the gait), the lowest foot on the ground. "
    + NOISE,
    ends=FALLEN_WALKER,
    info=INFO,
    own_start=", which must have its loops closed (`mjcf.bigant.start_state`)",
)


def multipod_page() -> str:
    """Return the page of Multipod-v0."""
    stay = "set-points stay within the joints' ranges (`yaw_range`, `roll_range`)."
    return page(MULTIPOD, gait="an undulation of the spine's pairs", modes=SERVO + stay)


def bigant_page() -> str:
    """Return the page of BigAnt-v0."""
    from tarsus.analytic.models.bigant import BigAntParams

    names = ("crank", "pivot_x", "pivot_z", "coupler", "rocker", "foot_along", "foot_down", "mid_stance")
    meaning = comments_of(BigAntParams)
    rows = [(f"`{name}`", f"{getattr(BigAntParams(), name):g}", meaning[name]) for name in names]
    return page(
        BIGANT,
        gait="a clock that goes from a ripple to the tripod",
        modes=SERVO + "a set-point stays within half a turn of its shaft.",
        linkage_table=markdown_table(("parameter", "value", "meaning"), rows),
    )


def page(words: EnvironmentPage, **values: str) -> str:
    """Return the page of a walker."""
    import gymnasium

    import tarsus  # noqa: F401  registers the environments

    env = gymnasium.make(words.name)
    task = env.unwrapped.task
    layout, motor = task.layout_of(task.config.robot), task.config.robot.motor
    ranges, meaning = task.gait_ranges, comments_of(type(task))
    rows = [(f"`{name}`", f"{low:g}", f"{high:g}", meaning[name]) for name, (low, high) in ranges.items()]
    return words.render(
        env,
        **values,
        n_joints=len(layout.joints),
        n_gait=len(ranges),
        no_load_speed=motor.no_load_speed,
        max_torque=motor.max_torque,
        gait_table=markdown_table(("gait parameter", "low", "high", "meaning"), rows),
        joints=", ".join(f"`{name}`" for name in layout.joints),
        legs=", ".join(f"`{name}`" for name in layout.legs),
        a_name=f"foot_contact.{layout.legs[0]}",
    )
