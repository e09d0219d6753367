"""Every policy there is to evaluate, by name; a new one is a line in `POLICIES`.

A policy is called as `policy(observation, info)` and returns an action. Some need certain options of the environment.
"""

import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.analytic import spelling
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.rhex_gaits import SPEEDS
from tarsus.controllers import gaits
from tarsus.controllers import raibert as raibert_controller
from tarsus.controllers import slip as slip_controller
from tarsus.controllers.clock import ClockPolicy
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.controllers.gait_policy import GaitPolicy
from tarsus.controllers.gaits import bigant_gait, multipod_gait
from tarsus.controllers.rhex_policy import RhexPolicy
from tarsus.controllers.slope import SlopeEstimator, SlopeLaw
from tarsus.envs import TASKS
from tarsus.envs.hexapod_clocks import GAIT_RANGES
from tarsus.scripts.library.learning import environments
from tarsus.scripts.library.learning.checkpoint import newest
from tarsus.scripts.library.learning.steered import connection_mpc
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import differences, plain

PolicyFunction = Callable[[np.ndarray, Mapping], np.ndarray]
SHIPPED = Path(__file__).parent / "trained"  # a folder for each, with policy.npz and run.json
GAITS = CLOCK_GAITS | {  # the best of 1600 that `tarsus search gait` tried
    "dash": TripodGait(0.304, 0.2185, 1.958, 0.5045, -0.01027, -0.06544)
}
FAST = ("sprint", "dash")  # those that need a run-up
RUN_UP = (0.5, 1.0)  # how long it runs, and how long it takes to the gait after that [s]
TORQUE, RESIDUAL = {"action_mode": "torque"}, {"action_mode": "residual"}
SHAPING = ("task", "action_mode", "observations", "scaled", "axes", "ctrl_dt")  # options that change what numbers mean


@dataclass(frozen=True)
class Policy:
    """How to make a policy, and what it needs.

    Attributes:
        make: From the environment, and the episode's seed.
        needs: Options of the environment.
    """

    make: Callable[[gymnasium.Env, int], PolicyFunction]
    needs: Mapping[str, Any] = field(default_factory=dict)


def zero(env: gymnasium.Env, seed: int, last: float = 0.0) -> PolicyFunction:
    """Do nothing, or hold the last entry of the action, which is the tempo where there is one."""
    action = np.zeros(env.action_space.shape, np.float32)
    action[-1] = last
    return lambda observation, info: action


def random(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Draw every action evenly from the action space."""
    rng = np.random.default_rng(seed)
    low, high, shape = env.action_space.low, env.action_space.high, env.action_space.shape
    return lambda observation, info: rng.uniform(low, high, shape).astype(np.float32)


def clock(env: gymnasium.Env, seed: int, gait: TripodGait | None = None) -> PolicyFunction:
    """Follow the clock of a gait, by default the robot's own, of Table 2 the documents' walk."""
    base, config = env.unwrapped, env.unwrapped.config
    return ClockPolicy(gait or config.params.gait, config.action_mode, ctrl_dt=base.ctrl_dt, scale=base.action_scale)


def gait_action(gait: TripodGait) -> np.ndarray:
    """Return the action of the mode "gait" that names a gait, shape (6,); beyond [-1, 1] where it is out of range."""
    low, high = np.array(list(GAIT_RANGES.values())).T
    t_c = gait.cycle_time
    differences = gait.slow_time_difference / t_c, gait.offset_difference
    value = np.array([t_c, gait.slow_time / t_c, gait.sweep_angle, gait.leg_offset, *differences])
    return 2 * (value - low) / (high - low) - 1


def run_up(action: np.ndarray, time: float) -> np.ndarray:
    """Return the gait's action at a time [s]: the documents' run at first, then by and by `action`, shape (..., 6).

    A fast gait throws the robot over when it is started from rest.
    """
    first = gait_action(GAITS["run"])
    return (first + (action - first) * np.clip((time - RUN_UP[0]) / RUN_UP[1], 0.0, 1.0)).astype(np.float32)


def steady(env: gymnasium.Env, seed: int, gait: TripodGait, from_rest: bool = True) -> PolicyFunction:
    """Name the same gait for ever, or after a run-up, and leave the rest to the environment's own clock."""
    action = gait_action(gait)  # in single precision the clock would move against the control periods
    return lambda observation, info: action if from_rest else run_up(action, info["time"])


def rhex(env: gymnasium.Env, seed: int, feels_slope: bool = False) -> PolicyFunction:
    """Walk as RHex's own walker does, at the commanded speed and yaw rate, or along +y at the speed setting 2.

    The robot knows no heading: what brings it back to +y is what an operator would do. If it feels the slope, by the
    accelerometer once a control period, it compensates for it.
    """
    base = env.unwrapped

    def command():
        if base.config.task == "commanded":
            return base.task.command
        right, ahead = base.task.forward_axis
        return SPEEDS[-1], np.arctan2(right, ahead)

    if not feels_slope:
        return RhexPolicy(command, base.ctrl_dt, base.action_scale)
    estimator = SlopeEstimator(base.config.params.g, period=base.ctrl_dt)
    walk = RhexPolicy(command, base.ctrl_dt, base.action_scale, estimator.compensation(SlopeLaw()))

    def policy(observation: np.ndarray, info: Mapping) -> np.ndarray:
        estimator.sense(info["time"], base.task.accelerometer[1])
        return walk(observation, info)

    return policy


def slip(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Run as the spring-loaded inverted pendulum does; energy that sampled torques add is taken out again."""
    base = env.unwrapped
    control = slip_controller.SlipControl(energy_gain=0.5)
    return slip_controller.policy(base.params, base.action_scale, control, hold=base.ctrl_dt)


def raibert(env: gymnasium.Env, seed: int, speed: float = 1.0) -> PolicyFunction:
    """Hop at a speed [m/s], as Raibert's machines do."""
    base = env.unwrapped
    return raibert_controller.policy(base.params, base.action_scale, raibert_controller.RaibertGains(speed=speed))


def trot(env: gymnasium.Env, seed: int) -> PolicyFunction:
    """Ask for the joint angles of the clock (`envs.own_clock`) a control period later, and what the filter takes away.

    Of a robot of one's own without a baseline; where the clock goes beyond an action's reach, it is cut off.
    """
    from tarsus.envs import own_clock  # not above: it imports MuJoCo
    from tarsus.mjcf.own_robot import rest_controls

    base = env.unwrapped
    task, g, share = base.task, base.config.params.g, -np.expm1(-base.ctrl_dt / base.config.residual_lag)
    period = own_clock.period_of(base.model, g, own_clock.PERIODS[1])
    table = (own_clock.table(base.model, task.FORWARD, g) - rest_controls(base.model)) / base.action_scale

    def policy(observation: np.ndarray, info: Mapping) -> np.ndarray:
        row = (info["time"] + base.ctrl_dt) / period * len(table)
        asked = np.array([np.interp(row, range(len(table)), column, period=len(table)) for column in table.T])
        return np.clip(task.correction + (asked - task.correction) / share, -1.0, 1.0).astype(np.float32)

    return policy


def joint_speeds(env: gymnasium.Env, seed: int, name: str, make: Callable) -> PolicyFunction:
    """Follow a gait by joint speeds; `make(params, name)` makes it for the environment's robot."""
    base = env.unwrapped
    return GaitPolicy(make(base.params, name), base.ctrl_dt, base.action_scale)


def walking(make: Callable, names: tuple[str, ...], **needs: str) -> dict[str, Policy]:
    """Return the policies of these gaits, which command joint speeds."""
    return {name: Policy(partial(joint_speeds, name=name, make=make), needs) for name in names}


def corrected(name: str, needs: Mapping[str, Any] = RESIDUAL) -> dict[str, Policy]:
    """Return the baseline that actions correct, under its name, and the same in a hurry."""
    return {name: Policy(zero, needs), f"{name}-hurried": Policy(partial(zero, last=1.0), needs)}


POLICIES: dict[str, dict[str, Policy]] = {
    "*": {"zero": Policy(zero), "random": Policy(random)},
    "Hexapod-v0": {
        "stand": Policy(zero, {"action_mode": "velocity"}),
        "clock": Policy(clock, {"action_mode": "velocity"}),
        "PD": Policy(clock, {"action_mode": "torque"}),
    }
    | {
        name: Policy(partial(steady, gait=gait, from_rest=name not in FAST), {"action_mode": "gait"})
        for name, gait in GAITS.items()
    }
    | {
        "steered": Policy(zero, {"action_mode": "residual", "task": "commanded"}),
        "rhex": Policy(rhex, {"action_mode": "velocity", "params": "rhex"}),
        "rhex-slope": Policy(partial(rhex, feels_slope=True), {"action_mode": "velocity", "params": "rhex"}),
    },
    "SlipLeg-v1": corrected("SLIP") | {"SLIP-torque": Policy(slip, TORQUE)},
    "HoppingLeg-v1": corrected("Raibert")
    | {"Raibert-torque": Policy(raibert, TORQUE), "Raibert-fast": Policy(partial(raibert, speed=2.0), TORQUE)},
    "BigAnt-v1": walking(bigant_gait, gaits.names("shafts", 6), action_mode="velocity") | corrected("tripod"),
    "Dog-v0": corrected("clock", {}) | {"trot": Policy(trot, {"baseline": None})},
}
POLICIES |= {
    name: walking(multipod_gait, gaits.names("pairs", 6), action_mode="velocity")
    | {"connection-mpc": Policy(connection_mpc, {"action_mode": "velocity"})}
    | corrected("undulation")
    for name in ("Multipod-v1", "MultipodQuasistatic-v1")
}


def of_environment(name: str) -> dict[str, Policy]:
    made = gymnasium.registry.get(name.rpartition(":")[2])
    baseline = made and made.kwargs.get("baseline")  # of a user's robot; a table has no truth value
    clocked = isinstance(baseline, str) and baseline == "clock"
    known = POLICIES["*"] | (corrected("clock", {}) if clocked else {})
    return known | POLICIES.get(TASKS[name].environment if name in TASKS else name, {})


def shipped() -> dict[str, Path]:
    """Return the trained policies that come with this package, by the names of their runs and seeds."""
    return {path.name: path for path in sorted(SHIPPED.iterdir()) if (path / "policy.npz").exists()}


def seeds_of(run: str) -> list[str]:
    """Return the names of the shipped policies of a training run, one for each seed."""
    return [name for name in shipped() if name.rpartition("-")[0] == run]


def listed(more: Mapping[str, Iterable[str]] | None = None, hand_made: bool = True) -> str:
    """Return every policy that has a name, by the environment that it is of, as lines of a help; `more` kinds, too."""
    runs = sorted({name.rpartition("-")[0] for name in shipped()})
    named = {"any environment": POLICIES["*"]} | {name: found for name, found in POLICIES.items() if name != "*"}
    rows = [("trained", runs), *(named.items() if hand_made else ()), *(more or {}).items()]
    return "policies by name (of a trained one the first seed; NAME-1 is another):\n" + "\n".join(
        textwrap.fill(f"{name}: {', '.join(found)}", 78, initial_indent="  ", subsequent_indent="    ")
        for name, found in rows
    )


trained_ones = partial(listed, hand_made=False)


def resolved(policy: str) -> str:
    """Return a policy's name in full, of a training run that of its first seed; anything else as it is.

    A folder that holds a policy goes before a name, and a name before a folder that holds none, such as a run's output.
    """
    if _holds(newest(Path(policy))) or is_hand_made(policy):
        return policy
    spelled = policy.replace("_", "-")  # as machines may be spelled
    found = next(iter(seeds_of(spelled)), spelled)
    return found if found in shipped() else policy


def is_hand_made(policy: str) -> bool:
    """Whether a policy of any environment has that name."""
    return any(policy in found for found in POLICIES.values())


def checkpoint_of(policy: str) -> Path | None:
    """Return the path of a trained policy by name or path, if there is one; a run's name stands for its first seed."""
    path, name = newest(Path(policy)), resolved(policy)
    if _holds(path) or not (is_hand_made(name) or name in shipped()):
        return path if path.exists() and not policies_in(path) else None
    return shipped().get(name)


def policies_in(folder: Path) -> list[Path]:
    """Return the policies in the folder of a training, the best first."""
    return [path for path in (newest(folder / "best"), newest(folder / "latest")) if _holds(path)]


def _holds(path: Path) -> bool:
    return path.suffix == ".npz" and path.is_file() or (path / "policy.npz").exists()


def is_unknown(policy: str) -> bool:
    """Whether nothing is called so: no policy, no file of one, and no function."""
    other = ":" in policy or Path(policy).suffix in (".zip", ".onnx")
    return not (other or is_hand_made(policy) or checkpoint_of(policy))


def unknown(policy: str, environment: str | None = None, more: Iterable[str] = ()) -> str:
    """Return the sentence about a name that no policy has, with what may have been meant.

    Args:
        policy: The name, or a path.
        environment: In which it was looked for.
        more: Further names.
    """
    path = Path(policy)
    if inside := policies_in(path):
        return f"{policy} is the folder of a training, and its policies are {' and '.join(map(str, inside))}: say one"
    if len(path.parts) > 1 or path.suffix:
        return spelling.lost(path)
    of = [name for name, found in POLICIES.items() if policy in found]
    if of:
        return f"unknown policy {policy!r} of {environment or 'Hexapod-v0'}; it is one of {', '.join(of)}, see --env"
    known = {*shipped(), *(name.rpartition("-")[0] for name in shipped()), *more, *chain(*POLICIES.values())}
    return f"unknown policy {policy!r}; `tarsus evaluate` alone lists the names{spelling.meant(policy, sorted(known))}"


def find(policy: str, environment: str | None, options: Mapping[str, Any]) -> tuple[Policy, str, dict[str, Any]]:
    """Return a policy, by its name or the path of a checkpoint, its environment, and the options to make that with.

    A hand-made policy is looked up in an environment; a trained one knows its own, see `environments.stored`. Options
    asked for go before what a checkpoint was made with, unless they change what actions mean. ValueError lists the
    differences.
    """
    environment = environment and environments.asked_for(environment)
    path = checkpoint_of(policy)
    if path:
        trained = TrainedPolicy(path)
        about = trained.about | {"environment": environments.stored(trained.about, environment, path)}
        refuse(policy, about, environment, options)
        made = dict(about["options"])
        if "terrain" in options:  # what was said of the ground that it was trained on
            made = {name: value for name, value in made.items() if not name.startswith("terrain_")}
        return Policy(trained.in_environment), about["environment"], made | dict(options)
    known = of_environment(environment or "Hexapod-v0")
    if policy not in known:
        raise ValueError(unknown(policy, environment))
    needs = dict(known[policy].needs)
    refuse(policy, {"options": needs}, None, {name: value for name, value in options.items() if name in needs})
    return known[policy], environment or "Hexapod-v0", needs | dict(options)


def refuse(policy: str, made: Mapping[str, Any], environment: str | None, options: Mapping[str, Any]) -> None:
    asked = {name: value for name, value in options.items() if name in SHAPING}
    found = differences({name: made["options"].get(name, "the default") for name in asked}, plain(asked))
    if environment and environment != made.get("environment", environment):
        found.insert(0, f"environment was {made['environment']!r}, asked for is {environment!r}")
    if found:
        raise ValueError(f"the policy {policy} was made for other settings: " + "; ".join(found))
