"""The hopping leg on its boom under Raibert's control.

Its motors are the original's by the names of the field: `--motor-mode voltage` is what that called isMotorDynamics,
`current` isMotorDynamics with isControlSaturate; `--steps` was Nstep.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarsus.analytic.models.hopping_leg import HoppingLegParams, places
from tarsus.analytic.models.hopping_leg_laws import RaibertGains
from tarsus.analytic.terrain import Flat, Terrain
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.machine import TERRAIN, MachineCommand, Run

MOTOR_MODES = ("ideal", "voltage", "current")
STRIDES = 30  # hops after which the period counts as that of the limit cycle


@dataclass(frozen=True)
class HoppingExperiment:
    """A leg, its gains, the ground, and MuJoCo's settings; it starts at rest in the air."""

    params: HoppingLegParams = field(default_factory=HoppingLegParams)
    gains: RaibertGains = field(default_factory=RaibertGains)
    ground: Terrain = field(default_factory=Flat)
    preset: str = "reference"

    def controller(self, fast: bool = False):
        """Return what drives the leg; `fast` is for one that is asked at every step of a simulator."""
        from tarsus.controllers.raibert import Raibert

        return Raibert(self.gains, self.params, fast=fast)


class HoppingLeg(MachineCommand):
    """The leg on a boom."""

    name = "hopping_leg"
    files = ("run.nc", "run.csv", "run.png", "run.mp4")
    steps = 10
    preset = "rl"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add speed, height, motors and ground."""
        speed = arguments.number(-100, 100)
        parser.add_argument("--speed", type=speed, default=0.5, help="commanded speed [m/s]; default 0.5")
        words = "commanded height of the hip at the apex [m]"
        parser.add_argument("--height", type=arguments.positive, default=0.40, help=words)
        words = "voltage: rotor inertia and back-EMF damping; current: rotor inertia and a torque-speed limit"
        parser.add_argument("--motor-mode", choices=MOTOR_MODES, default="ideal", help=words)
        parser.add_argument("--terrain", **TERRAIN, default=["flat"], help="e.g. step 0.03 0.3")

    def experiment(self, args: argparse.Namespace) -> HoppingExperiment:
        """Return what the command line asks for."""
        from tarsus.mjcf.hopping_leg import PRESETS
        from tarsus.mjcf.presets import find
        from tarsus.scripts.library.machines import hops, stepping
        from tarsus.scripts.library.machines.hopping_leg_mujoco import HoppingLegStepper

        params, gains = HoppingLegParams(motor_mode=args.motor_mode), RaibertGains(args.speed, args.height)
        experiment = HoppingExperiment(params, gains, arguments.terrain(args.terrain), args.preset)
        find(args.preset, PRESETS)
        if args.engine == "exact":
            experiment.controller()
        else:
            stepping.rows_in(args.seconds or hops.LONGEST_HOP, HoppingLegStepper(experiment).model.opt.timestep)
        return experiment

    def stride(self, experiment: HoppingExperiment) -> float:
        """Return the period of the hybrid model's limit cycle [s]."""
        run = self.exact(experiment, None, None, steps=STRIDES)
        if len(run.steps["touchdown"]) < 2:
            raise RuntimeError(f"the exact leg made no hop: {run.status}")
        return steady(run)["period"]

    def summary(self, run: Run) -> str:
        """Return a line for every hop, and how the run ended."""
        lines = [f"{'hop':>3}  {'touchdown s':>11}  {'stance s':>8}  {'apex m':>8}  {'speed m/s':>9}"]
        hops = zip(*(run.steps[name] for name in ("touchdown", "liftoff", "apex_height", "apex_speed")), strict=False)
        for k, (down, up, height, speed) in enumerate(hops):
            lines.append(f"{k:>3}  {down:>11.5f}  {up - down:>8.5f}  {height:>8.5f}  {speed:>9.4f}")
        return "\n".join([*lines, run.status])

    def figure(self, run: Run, experiment: HoppingExperiment) -> Any:
        """Return the picture of the last row."""
        from tarsus.scripts.library.views.hopping_view import Picture

        picture = Picture(run.record, experiment.params)
        picture.update(run.record.sizes["time"] - 1)
        return picture.figure

    def film(self, run: Run, experiment: HoppingExperiment, path, args: argparse.Namespace) -> None:
        """Write the film of a run."""
        from tarsus.scripts.library.views.hopping_view import Picture

        Picture(run.record, experiment.params).film(path)

    def follower(self, experiment: HoppingExperiment, args: argparse.Namespace) -> Any:
        """Return the plot that follows."""
        from tarsus.scripts.library.views.hopping_live import HoppingLegFollower

        return HoppingLegFollower(experiment.controller(), experiment.ground)


def steady(run: Run, last: int = 10) -> dict[str, float]:
    """Return the means over the last hops: period, stance time [s], apex height [m], its spread, speed [m/s]."""
    touchdown, liftoff = run.steps["touchdown"], run.steps["liftoff"]
    n = min(len(touchdown), len(liftoff))
    heights = run.steps["apex_height"][-last:]
    return {
        "period": float(np.mean(np.diff(touchdown)[-last:])),
        "stance_time": float(np.mean((liftoff[:n] - touchdown[:n])[-last:])),
        "apex_height": float(np.mean(heights)),
        "apex_spread": float(np.ptp(heights)),
        "speed": float(np.mean(run.steps["apex_speed"][-last:])),
    }


def run_of(experiment: HoppingExperiment, about: tuple[str, str, str], time, values: dict | None, steps: dict) -> Run:
    """Return a run with the labelled record; the body is the boom at the hip.

    Args:
        experiment: What ran.
        about: Engine, status and preset.
        time: Of the rows, shape (n,) [s].
        values: Of the rows: joint_angle, joint_speed (n, 4), torque (n, 2), foot_position, foot_force (n, 3),
            foot_contact (n,); None keeps no record.
        steps: Touchdown, liftoff, apex [s], apex_height [m] and apex_speed [m/s] of the hops.
    """
    ends = np.append(steps["liftoff"], np.inf)[: len(steps["touchdown"])]
    feet, n_hops = (np.stack([steps["touchdown"], ends], axis=-1),), len(steps["apex"])
    if values is None:
        return Run(None, about[1], stances=feet, steps=steps, n_steps=n_hops)
    from tarsus.scripts.library.records import record

    params, qpos, qvel = experiment.params, values["joint_angle"], values["joint_speed"]
    variables = {"body_position": places(params, qpos).hip, **_boom(params, qpos, qvel)}
    variables |= {name: array[:, None] if name.startswith("foot") else array for name, array in values.items()}
    described = record.describe(*about, params, experiment.gains, experiment.ground, "hopping_leg")
    return Run(record.build(time, variables, described), about[1], stances=feet, steps=steps, n_steps=n_hops)


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
