"""A robot of the user's own as a task: what its actions do, what is observed, paid and ends an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mujoco
import numpy as np

from ..analytic.spelling import listed
from ..mjcf import own_parts, own_robot, own_servos
from ..mjcf.own_file import LOAD, touch_sensors
from ..mjcf.own_robot import OwnRobot
from ..mjcf.terrain import is_plane
from . import own_baseline, own_clock
from .commands import FLOOR_SHARE
from .free_body import FreeBodyTask
from .measure import UPRIGHT, bounded_speed, inner
from .observations import Observation
from .own_config import OwnRobotConfig
from .own_root import IDENTITY, turn_back

REACH = 0.3  # of a servo of a hinge, unless its range is less to either side [rad]
SPEED, YAW_RATE, PACE = 0.3, 0.09, 1.4  # largest commands and the pace's time, over sqrt(g l), sqrt(g / l), sqrt(l / g)
HASTY = 0.5  # of sqrt(h / g): a foot that lands after less time in the air costs
LYING_TIME = 0.2  # for which parts that are no feet carry too much, until an episode ends [s]
WORLD = {"g": "g", "friction_coeff": "friction"}  # what is randomised of no part: fields of the robot


class OwnRobotTask(FreeBodyTask):
    """An MJCF with named feet: what is simulated and asked for.

    An action of 0 holds the controls at rest: those of the first keyframe if it has some, else of a position servo its
    position there, of other actuators the middle of their range. An action of 1 adds `reach`, by default 0.3 rad of a
    hinge's servo and half the range of others, with a lag. With a `baseline` actions correct that: `own_baseline`.

    Attributes:
        actuators: Their names.
        rest: Controls at rest, shape (nu,).
        gone: Time of the baseline, shape (...,) [s].
        correction: Filtered, shape (..., nu); as `tempo`, shape (...,).
        asked: What the baseline last asked for, from rest, in reaches, shape (..., nu).
        stands_at: Height of the trunk's mass centre above level ground at rest [m].
        weight: Of the robot [N].
        corrections: What makes controls of actions.
        air: For how long each foot has been in the air, shape (..., n_feet) [s].
        stepped: What the last step's landings are worth, shape (...,).
        lying: For how long parts that are no feet have carried too much, shape (...,) [s].
    """

    config_class = OwnRobotConfig
    KEPT = (*FreeBodyTask.KEPT, "gone", "correction", "tempo", "asked", "lying", "air", "stepped")
    DEFAULT = (*FreeBodyTask.DEFAULT, "correction", "tempo", "baseline", "clock")
    OUTPUTS = (*FreeBodyTask.OUTPUTS, "actuator_force", "actuator_velocity")

    def prepare(self) -> None:
        """Take the forward axis."""
        self.FORWARD = own_robot.FORWARD.index(self.config.params.forward)

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the robot on its ground, with a sensor for each contact that counts."""
        return own_robot.build(params, terrain, preset, (*self.config.fall_contacts, *self.config.cost_contacts))

    def compiled(self, params, terrain, preset) -> mujoco.MjModel:
        """Return the compiled robot with its changes."""
        model, self._nominal = own_robot.compiled(self.build(params, terrain, preset), params)
        return model

    def make_room(self) -> None:
        """Keep what actions mean, and what is measured of contacts and power.

        Raises:
            ValueError: If a control has no range and the robot no reach, or a randomised part does not exist.
        """
        model, feet, shape = self.model, self.config.params.feet, self.shape
        self._scale_commands()
        super().make_room()
        for name in self.config.randomise:
            if name not in WORLD:
                own_parts.parts_of(name, model, feet)
        self.actuators = tuple(model.actuator(k).name for k in range(model.nu))
        self._centre, at_rest = own_robot.trunk_centre(model), own_robot.standing(model)
        root = int(model.jnt_bodyid[0])
        self.stands_at = float(at_rest.qpos[2] + at_rest.xmat[root].reshape(3, 3)[2] @ self._centre)
        self.weight = float(model.body_subtreemass[root]) * self.config.params.g
        load = int(model.sensor(LOAD).adr[0])
        self._load = slice(load, load + 3)
        self._feet_on_ground = is_plane(self.hardest)
        self.gone, self.tempo, self.lying = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.correction, self.asked = np.zeros((*shape, model.nu)), np.zeros((*shape, model.nu))
        self.air, self.stepped = np.zeros((*shape, self.n_feet)), np.zeros(shape)
        self.swing = float(np.sqrt(max(self.stands_at, 1e-3) / self.config.params.g))
        self.rest = own_robot.rest_controls(model)
        self.corrections = own_baseline.Corrections(self, self.rest, self._reach_of(model))
        self._falls, self._costs = (
            {name: touch_sensors(model, name) for name in names}
            for names in (self.config.fall_contacts, self.config.cost_contacts)
        )
        self._by_joints = bool((model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT).all())

    def _scale_commands(self) -> None:
        """Scale the ranges of commands that are not given, and what following them is judged by, with the legs."""
        config, g = self.config, self.config.params.g
        # A robot without legs counts as one with legs of a metre.
        length = own_clock.leg_length(self.model, own_robot.standing(self.model)) or 1.0
        speed, rate = SPEED * np.sqrt(g * length), YAW_RATE * np.sqrt(g / length)
        self.WIDTHS, self.PACE_TIME = (FLOOR_SHARE * speed, FLOOR_SHARE * rate), PACE * np.sqrt(length / g)
        given = config.command_ranges
        self._command_ranges = given[0] or (0.0, speed), given[1] or (-rate, rate)

    @property
    def command_ranges(self) -> tuple[tuple[float, float], ...]:
        """Of forward speed [m/s] and yaw rate [rad/s]: given, or by the scale of the robot."""
        return self._command_ranges

    def _reach_of(self, model: mujoco.MjModel) -> np.ndarray:
        """Return the change of every control by an action of 1, shape (nu,): given, `REACH` of a servo, or half."""
        given, half = self.config.params.reach, self.half_range.copy()
        hinges = own_servos.holds_hinge(model)
        reach = np.where(hinges & (half > 0), np.minimum(REACH, half), np.where(hinges, REACH, half))
        if isinstance(given, Mapping):
            if unknown := [name for name in given if name not in self.actuators]:
                there_are = listed(unknown[0], self.actuators)
                raise ValueError(f"reach: there is no actuator {unknown[0]!r}; there are {there_are}")
            reach = np.array([given.get(name, own) for name, own in zip(self.actuators, reach, strict=True)])
        elif given is not None:
            reach = np.full(model.nu, float(given))
        if unlimited := [self.actuators[k] for k in np.flatnonzero(reach <= 0)]:
            raise ValueError(
                f"the actuators {', '.join(unlimited)} have no ctrlrange, so that an action of 1 means nothing; "
                "give them one, or the robot its reach"
            )
        return reach

    @property
    def n_actions(self) -> int:
        """One for each actuator; with a baseline the tempo is the last."""
        return self.model.nu + (self.config.baseline is not None)

    @property
    def action_names(self) -> tuple[str, ...]:
        """Of each entry of an action."""
        return (*self.actuators, "tempo") if self.corrections.has_baseline else self.actuators

    @property
    def action_scale(self) -> np.ndarray:
        """What an action of 1 adds to every control, in its unit; with a baseline the last is `tempo_range`."""
        more = [self.config.tempo_range] if self.corrections.has_baseline else []
        return np.append(self.corrections.scale, more)

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the controls, shape (1 or n_substeps, ..., nu); MuJoCo keeps them within their ranges."""
        return self.corrections.controls(self, action)

    def begin(self, sim, data) -> None:
        """Begin the baseline at its time 0, without corrections."""
        super().begin(sim, data)
        for kept in (self.gone, self.tempo, self.lying, self.correction, self.asked, self.air, self.stepped):
            kept[sim] = 0.0

    def place(self, sim, model, data, rng) -> None:
        """Stand the robot on the ground in its orientation at rest, with noise on joints and velocities."""
        mujoco.mj_resetDataKeyframe(model, data, 0)
        data.qpos[7:] += self.config.reset_noise * rng.standard_normal(model.nq - 7)
        own_robot.put_at_rest(model, data, self.terrain[sim])
        data.qvel[:] = self.config.reset_noise * rng.standard_normal(model.nv)

    def bind(self, data) -> None:
        """Take views of the state; of a root that is turned at rest, its orientation from there."""
        super().bind(data)
        self._turn, self._centre_b = own_robot.rest_turn(self.model), self._centre
        if (self._turn == IDENTITY).all():
            return
        qpos, qvel, *rest = self._body
        self._raw, self._body = (qpos, qvel), (np.zeros((len(qpos), 7)), np.zeros((len(qvel), 6)), *rest)
        self.spin = self._body[1][:, 3:6].reshape(*self.shape, 3)
        self._centre_b = np.zeros(3)
        mujoco.mju_rotVecQuat(self._centre_b, self._centre, self._turn)

    def measure(self) -> None:
        """Fill in the part of the frame that a kernel computes."""
        if (self._turn != IDENTITY).any():
            turn_back(*self._raw, self._turn, *self._body[:2])
        super().measure()

    def refresh(self) -> None:
        """Measure also how high the trunk is, and what its parts that are no feet carry."""
        super().refresh()
        R, (x, y, z), place = self.rotation, self._centre_b, self.qpos
        at = [place[..., k] + (R[..., k, 0] * x + R[..., k, 1] * y + R[..., k, 2] * z) for k in range(3)]
        self.trunk_height = at[2] - self.ground.height(at[0], at[1])

    def off_feet(self) -> np.ndarray:
        """Return the vertical force of the ground on parts that are no feet, in weights, shape (...,)."""
        return self.loads(self.data.sensordata)[1]

    def loads(self, sensordata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the vertical forces on the feet and on other parts, in weights, of readings of shape (..., n)."""
        on_feet = sensordata[..., self._feet][..., 3::4].sum(-1)
        load = sensordata[..., self._load][..., 2]
        return on_feet / self.weight, (load - (on_feet if self._feet_on_ground else 0.0)) / self.weight

    def advance(self) -> None:
        """Count also how long the robot has lain, and each foot been in the air."""
        super().advance()
        touches = self.foot[..., 0] > 0
        worth = np.clip(self.air / self.swing - HASTY, -HASTY, HASTY)
        self.stepped[...] = np.where(touches & (self.air > 0), worth, 0.0).sum(-1)
        self.air[...] = np.where(touches, 0.0, self.air + self.ctrl_dt)
        self.lying[...] = np.where(self.off_feet() > self.config.fall_load, self.lying + self.ctrl_dt, 0.0)

    def machine_entries(self) -> dict[str, Observation]:
        """Return the entries of a free body and of a baseline, with values that are typical of this robot."""
        known, config, height = super().machine_entries(), self.config, self.stands_at
        weight = self.weight
        rate = float(np.sqrt(config.params.g / height)) if height > 0 else 1.0  # of a pendulum as long [rad/s]
        typical = {"height": height, "height_scan": height, "velocity": config.typical_speed, "joint_speed": rate}
        typical |= {"pace": config.typical_speed, "command": config.typical_speed, "foot_force": weight / self.n_feet}
        typical |= {"accelerometer": config.params.g}
        known = {n: replace(e, typical=typical[n]) if typical.get(n, 0) > 0 else e for n, e in known.items()}
        names = self.action_names
        known["action"] = replace(known["action"], size=len(names), labels=names)
        return known | own_baseline.entries_of(self)

    def power(self) -> np.ndarray:
        """Return the absolute mechanical power of the actuators, shape (...,) [W]."""
        return inner(np.abs(self.data.actuator_force), np.abs(self.data.actuator_velocity))

    def touching(self, sensors: np.ndarray) -> np.ndarray:
        """Return whether the part with these entries of `sensordata` touches the ground, shape (...,)."""
        return (self.data.sensordata[..., sensors] > 0).any(-1)

    def unweighted_terms(self) -> dict[str, np.ndarray]:
        """Return the terms of the configured task, each of shape (...,) or a number; speeds in typical ones."""
        terms, config = super().unweighted_terms(), self.config
        if config.task == "forward":
            speed = config.typical_speed
            terms["forward"] = bounded_speed(terms["forward"], speed) / speed
            terms["drift"] = terms["drift"] / speed
            ahead = self.forward_axis
            terms["heading"] = np.abs(np.arctan2(ahead[..., 1 - self.FORWARD], ahead[..., self.FORWARD]))
        terms["air_time"] = self.stepped
        terms["power"] = 0.0 if config.typical_power is None else self.power() / config.typical_power
        terms["contact"] = sum((self.touching(at).astype(float) for at in self._costs.values()), 0.0)
        return terms

    def failures(self) -> dict[str, np.ndarray]:
        """Return the masks of robots that toppled, collapsed, or touch with a forbidden part, by the reason."""
        config, low = self.config, self.config.fall_height * max(self.stands_at, 0.0)
        touched = {f"{name} touches the ground": self.touching(at) for name, at in self._falls.items()}
        return touched | {
            "toppled: tilted by more than 60 degrees": self.rotation.T[2, 2] < UPRIGHT,
            f"collapsed: the trunk is below {config.fall_height:g} of its height at rest": self.trunk_height < low,
            f"collapsed: parts that are no feet carry over {config.fall_load:g} of the weight": self.lying
            > LYING_TIME - 1e-9,
        }

    def measurements(self) -> dict[str, np.ndarray]:
        """Return the entries of `info`, among them the torques of actuators that drive joints [N m]."""
        found = super().measurements()
        if self._by_joints:
            found["torque"] = self.data.actuator_force * self.model.actuator_gear[:, 0]
        return found

    def drawn_robot(self, nominal: OwnRobot, rng: np.random.Generator) -> OwnRobot:
        """Return a robot with drawn gravity, friction and changes of its parts: factors, or offsets."""
        drawn, changes = {}, dict(nominal.changes)
        for name, (low, high) in self.config.randomise.items():
            if name in WORLD:
                drawn[WORLD[name]] = getattr(nominal, WORLD[name]) * rng.uniform(low, high)
                continue
            value = self.parameter(nominal, name)
            by = rng.uniform(low, high, value.shape)
            changes[name] = value + by if own_parts.quantity_of(name) in own_parts.OFFSETS else value * by
        return replace(nominal, changes=changes, **drawn)

    def parameter(self, robot: OwnRobot, name: str) -> np.ndarray:
        """Return a parameter of a robot: gravity, friction, or the change of a part; 1 or 0 if it has none."""
        if name in WORLD:
            return np.asarray(getattr(robot, WORLD[name]))
        return np.asarray(robot.changes.get(name, own_parts.neutral(name, self.model, robot.feet)), float)

    def write_robot(self, sim, model, params) -> None:
        """Write a robot's numbers into its model."""
        own_parts.write(model, self._nominal, params)
