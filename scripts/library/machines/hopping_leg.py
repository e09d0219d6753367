"""The hopping leg on its boom under Raibert's control.

Its motors are the original's by the names of the field: `--motor-mode voltage` is what that called isMotorDynamics,
`current` isMotorDynamics with isControlSaturate; `--steps` was Nstep.
"""

import argparse
import functools
from typing import Any

import numpy as np

from tarsus.analytic.models.hopping_leg import HoppingLegParams, hip_height, places, start_angles
from tarsus.controllers.raibert_laws import RaibertGains
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.description import Experiment, Machine, Rows
from tarsus.scripts.library.machines.machine import TERRAIN, MachineCommand
from tarsus.scripts.library.machines.outcome import Run

MOTOR_MODES = ("ideal", "voltage", "current")
STRIDES = 30  # hops after which the period counts as that of the limit cycle


def variables(experiment: Experiment, rows: Rows) -> dict[str, np.ndarray]:
    """Return the variables of the record; the body is the boom at the hip."""
    from tarsus.controllers.raibert_laws import STANCE

    params, qpos, qvel = experiment.params, *np.split(rows.x, 2, axis=1)
    at = places(params, qpos)
    return {
        "body_position": at.hip,
        **_boom(params, qpos, qvel),
        "foot_position": at.foot[:, None],
        "foot_force": rows.loads[:, None, 2:],
        "foot_contact": (rows.phase == STANCE)[:, None],
        "joint_angle": qpos,
        "joint_speed": qvel,
        "torque": rows.loads[:, :2],
    }


def exact_loads(aux: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the torques (2), and the ground's force (3) in the world from that along Y_hc and Z_hc, shape (n, 5)."""
    return np.stack([aux[:, 0], aux[:, 1], -d[:, 1] * aux[:, 2], d[:, 0] * aux[:, 2], aux[:, 3]], axis=1)


def columns(experiment: Experiment, x: np.ndarray, d: np.ndarray) -> dict[str, np.ndarray]:
    """Return height [m] and speed [m/s] of the hip at the apexes."""
    params = experiment.params
    return {"apex_height": hip_height(params, x[:, 1]), "apex_speed": params.LB * x[:, 4]}


def fallen(experiment: Experiment, t: float, x: np.ndarray, n: int) -> str:
    """Return in what way the leg has fallen, or an empty string."""
    low = hip_height(experiment.params, x[1]) < experiment.params.fall_height
    return "fell: the hip is too low" if low else ""


def touches(experiment: Experiment, data: Any, stands: bool) -> bool:
    """Return whether the foot touches: contact finds a touchdown, the force a liftoff."""
    return data.sensordata[3] >= experiment.params.liftoff_force if stands else data.sensordata[0] > 0


@functools.cache
def machine() -> Machine:
    """Return the description of the leg for both engines."""
    from tarsus.analytic.models import hopping_leg_hybrid as hybrid
    from tarsus.analytic.models.hopping_leg_mechanics import numbers
    from tarsus.controllers.raibert import SETTLED, raibert
    from tarsus.mjcf import hopping_leg as mjcf

    return Machine(
        name="hopping_leg",
        params=HoppingLegParams,
        gains=RaibertGains,
        control=lambda e: raibert(e.gains, e.params),
        plant=hybrid.plant,
        model=lambda control, ground: hybrid.build(control, ground=ground),
        numbers=lambda e: numbers(e.params) | e.gains.numbers(e.params),
        start=lambda e: np.concatenate([start_angles(e.params), np.zeros(4)]),
        mjcf=mjcf.build,
        presets=mjcf.PRESETS,
        memory=hybrid.MEMORY,
        exact_loads=exact_loads,
        mujoco_loads=lambda data: np.concatenate([data.ctrl, data.sensordata[1:4]]),
        variables=variables,
        columns=columns,
        fallen=fallen,
        of_ground=True,
        touches=touches,
        settle=SETTLED,
        follow=lambda model: mjcf.FootAxis(model).follow,
    )


class HoppingLeg(MachineCommand):
    """The leg on a boom."""

    name = "hopping_leg"
    machine = staticmethod(machine)
    files = ("run.nc", "run.csv", "run.png", "run.mp4")
    steps = 10
    preset = "rl"

    def add_options(self, parser: arguments.Parser) -> None:
        """Add speed, height, motors and ground."""
        speed = arguments.number(-100, 100)
        parser.add_argument("--speed", type=speed, default=0.5, help="commanded speed [m/s]; default 0.5")
        words = "commanded height of the hip at the apex [m]"
        parser.add_argument("--height", type=arguments.positive, default=0.40, help=words)
        words = "voltage: rotor inertia and back-EMF damping; current: rotor inertia and a torque-speed limit"
        parser.add_argument("--motor-mode", choices=MOTOR_MODES, default="ideal", help=words)
        parser.add_argument("--terrain", **TERRAIN, default=["flat"], help="e.g. step 0.03 0.3")

    def experiment(self, args: argparse.Namespace) -> Experiment:
        from tarsus.scripts.library.machines import runners

        params, gains = HoppingLegParams(motor_mode=args.motor_mode), RaibertGains(args.speed, args.height)
        experiment = Experiment(params, gains, arguments.terrain(args.terrain), args.preset)
        runners.check(machine(), experiment, args.engine, args.seconds)
        return experiment

    def stride(self, experiment: Experiment) -> float:
        """Return the period of the hybrid model's limit cycle [s]."""
        run = self.exact(experiment, None, None, steps=STRIDES)
        if run.n_steps < 2:
            raise RuntimeError(f"the exact leg made no hop: {run.status}")
        return steady(run)["period"]

    def summary(self, run: Run) -> str:
        """Return a line for every hop, and how the run ended."""
        lines = [f"{'hop':>3}  {'touchdown s':>11}  {'stance s':>8}  {'apex m':>8}  {'speed m/s':>9}"]
        columns = (run.steps[name][1:] for name in ("touchdown", "liftoff", "apex_height", "apex_speed"))
        for k, (down, up, height, speed) in enumerate(zip(*columns, strict=True)):
            lines.append(f"{k:>3}  {down:>11.5f}  {up - down:>8.5f}  {height:>8.5f}  {speed:>9.4f}")
        return "\n".join([*lines, run.status])

    def figure(self, run: Run, experiment: Experiment) -> Any:
        from tarsus.scripts.library.views.leg_picture import HoppingPicture

        picture = HoppingPicture(run.record, experiment)
        picture.update(run.record.sizes["time"] - 1)
        return picture.figure

    def film(self, run: Run, experiment: Experiment, path, args: argparse.Namespace) -> None:
        from tarsus.scripts.library.views.leg_picture import HoppingPicture

        HoppingPicture(run.record, experiment).film(path)


def steady(run: Run, last: int = 10) -> dict[str, float]:
    """Return the means over the last hops: period, stance time [s], apex height [m], its spread, speed [m/s]."""
    touchdown, liftoff, heights, speeds = (
        run.steps[name][1:] for name in ("touchdown", "liftoff", "apex_height", "apex_speed")
    )
    return {
        "period": float(np.mean(np.diff(touchdown)[-last:])),
        "stance_time": float(np.mean((liftoff - touchdown)[-last:])),
        "apex_height": float(np.mean(heights[-last:])),
        "apex_spread": float(np.ptp(heights[-last:])),
        "speed": float(np.mean(speeds[-last:])),
    }


def _boom(params: HoppingLegParams, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, np.ndarray]:
    """Return the boom's orientation (quaternion), and the velocity of the hip and the boom's, in states (n, 4)."""
    (s1, s2), (c1, c2) = np.sin(qpos[:, :2]).T, np.cos(qpos[:, :2]).T
    yaw, pitch = 0.5 * qpos[:, 0], 0.5 * qpos[:, 1]
    turned = (np.cos(yaw) * np.cos(pitch), -np.sin(yaw) * np.sin(pitch), np.cos(yaw) * np.sin(pitch))
    turning, tipping = qvel[:, 0], qvel[:, 1]
    out, beside = params.LB * c2, params.DB
    velocity = (
        -params.LB * s2 * c1 * tipping - (out * s1 + beside * c1) * turning,
        -params.LB * s2 * s1 * tipping + (out * c1 - beside * s1) * turning,
        -out * tipping,
    )
    return {
        "body_orientation": np.stack([*turned, np.sin(yaw) * np.cos(pitch)], axis=-1),
        "body_velocity": np.stack(velocity, axis=-1),
        "body_angular_velocity_b": np.stack([-s2 * turning, tipping, c2 * turning], axis=-1),
    }


HOPPING_LEG = HoppingLeg()
