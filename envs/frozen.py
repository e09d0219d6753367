"""Frozen tasks: environments under ids of their own, whose options, horizon and score never change.

A change is a new version, an entry beside the old one. Reward may shape, the score judges: a quantity of physics at
which an episode scores 0, and one at which it scores 1 (`scripts/library/learning/scores.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..analytic.terrain import DitchedFlat

SEEDS = tuple(range(90_000, 90_010))  # of the episodes by which a policy is judged; no training begins there
# What an entrant may choose: how actions are meant and what is seen, unless the task says it.
INTERFACE = ("action_mode", "clock", "observations", "scaled", "axes")


@dataclass(frozen=True)
class FrozenTask:
    """A task that others can enter."""

    environment: str  # the one that it is made of
    options: Mapping[str, Any] = field(hash=False)  # of that one
    score: str  # name of the quantity that judges, one of `scores.QUANTITIES`
    # zero, one: the quantity at scores of 0 and 1
    zero: float
    # zero_is, one_is: what gives it, or where it is from
    zero_is: str
    one: float
    one_is: str
    reason: str  # what the task is for, in a sentence
    reward_threshold: float  # the return at which Gymnasium calls it solved: halfway between those of 0 and of the best
    digest: str  # of all that must not change, see `scripts/library/learning/entering.py`
    horizon: int = 1000  # steps of an episode, in the environment's own control period


ENSEMBLE = {
    "body_mass": (0.8, 1.2),
    "friction_coeff": (0.6, 1.6),
    "leg_k": (0.8, 1.2),
    "leg_d": (0.7, 1.3),
    "max_torque": (0.8, 1.0),
}
AHEAD = {"task": "commanded", "command_speed": (0.5, 0.5), "command_yaw_rate": (0.0, 0.0), "command_standing": 0.0}
ROUGH = {"task": "commanded", "terrain": "rough", "terrain_difficulty": (0.0, 1.0)}
TWELVE = {
    "task": "commanded",
    "n_legs": 12,
    "randomise": {"friction_coeff": (0.5, 1.5)},
    "command_speed": (1.2, 1.2),
    "command_yaw_rate": (0.0, 0.0),
    "command_standing": 0.0,
    "command_period": 20.0,
    "reward_weights": {"power": -0.001, "action_change": -0.005},
    "action_mode": "residual",
    "residual_lag": 0.09,
    "residual_range": 0.6,
}
DITCH = {"terrain": DitchedFlat(0.4, 0.1, 0.1, 0.04), "action_mode": "residual", "residual_range": 1.0}
SEEN = ("height", "speed", "pitch", "pitch_rate", "hip_angle", "knee_angle", "joint_speed", "foot_position")
SEEN += ("foot_contact", "action", "law_torque", "law_stance", "law_time", "correction", "tempo", "yaw", "height_scan")

TASKS: dict[str, FrozenTask] = {
    "tarsus/HexapodWalk-v0": FrozenTask(
        "Hexapod-v0",
        {},
        "effectiveness",
        *(1.57, "action zero, the clock's walk"),
        *(7.0, "the best known, the shipped policies hexapod-gait"),
        "Fast and cheap on level ground, where a clock walks already: what does learning add?",
        *(3700.0, "f9b58700be14"),
    ),
    "tarsus/HexapodScratch-v0": FrozenTask(
        "Hexapod-v0",
        {"action_mode": "velocity"},
        "speed",
        *(0.0, "action zero, which stands"),
        *(0.77, "the shipped policies hexapod, which begin from the clock"),
        "Six hip speeds and no clock: a gait is found from nothing, and most of the first attempts fall.",
        *(1400.0, "1607db3ae0a3"),
    ),
    "tarsus/HexapodPush-v0": FrozenTask(
        "Hexapod-v0",
        {"randomise": ENSEMBLE, "push_speed": 1.5},
        "effectiveness",
        *(1.1, "action zero, the clock's walk"),
        *(7.0, "the best known without pushes, the shipped policies hexapod-gait"),
        "One policy for an ensemble of robots, pushed by up to 1.5 m/s: is what was learned robust?",
        *(3200.0, "e1d231c88075"),
    ),
    "tarsus/HexapodFollow-v0": FrozenTask(
        "Hexapod-v0",
        ROUGH,
        "following",
        *(0.733, "action zero, the steered clock"),
        *(1.0, "no error"),
        "Commanded speed and yaw rate on rough ground, where legs meet it early and late.",
        *(1270.0, "dcb602edf1e8"),
    ),
    "tarsus/HexapodEconomy-v0": FrozenTask(
        "Hexapod-v0",
        AHEAD | {"reward_weights": {"power": -0.02}},
        "economy",
        *(3.69, "action zero, the steered clock"),
        *(5.95, "the specific resistance of the clock's walk at half that speed, 0.168"),
        "0.5 m/s with the least work: specific resistance, by which legged machines are compared.",
        *(1250.0, "a0d180281ae6"),
    ),
    "tarsus/HoppingDitch-v0": FrozenTask(
        "HoppingLeg-v1",
        DITCH | {"observations": SEEN},
        "speed",
        *(0.635, "action zero, Raibert's controller, which steps into a ditch sooner or later"),
        *(3.5, "the best known, the shipped policy hopping-ditch, which leans on the simulator"),
        "Two ditches a lap, seen ahead: footholds are chosen by changing the strides before.",
        *(1720.0, "b36df71f7e01"),
    ),
    "tarsus/MultipodFollow-v0": FrozenTask(
        "Multipod-v1",
        TWELVE,
        "following",
        *(0.766, "action zero, the steered undulation at its fastest, 3.3 Hz, where it makes 0.99 m/s"),
        *(0.925, "a command met at once: the pace, a mean over 1.5 s, begins at rest"),
        "Twelve legs, most of which slide, at 1.2 m/s: faster than their gait, on ground of unknown friction.",
        *(840.0, "a1620e576f11"),
    ),
    "tarsus/DogTrot-v0": FrozenTask(
        "Dog-v0",
        {},
        "speed",
        *(0.486, "action zero, the clock's trot"),
        *(1.98, "Froude number 1 of legs of 0.4 m, above which an inverted pendulum leaves the ground"),
        "The quadruped that most of learning to walk is about, fast on level ground.",
        *(1470.0, "1ef36e8d9ea9"),
    ),
    "tarsus/DogRough-v0": FrozenTask(
        "Dog-v0",
        {"terrain": "rough", "terrain_difficulty": (0.5, 0.5)},
        "speed",
        *(0.454, "action zero, the clock's trot"),
        *(1.98, "Froude number 1 of legs of 0.4 m, above which an inverted pendulum leaves the ground"),
        "The same on rough ground of which it feels only its feet's contacts.",
        *(820.0, "e1e866ea9cf2"),
        horizon=600,
    ),
    "tarsus/DogScratch-v0": FrozenTask(
        "Dog-v0",
        {"baseline": None},
        "speed",
        *(0.0, "action zero, which stands"),
        *(1.07, "the shipped policies dog, which begin from the clock"),
        "Twelve joint angles and no clock: a quadruped's gait from nothing.",
        *(1090.0, "bf7b92c8a6da"),
    ),
}
