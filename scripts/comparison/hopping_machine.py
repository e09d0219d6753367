"""The hopping leg on its boom under Raibert's control, for a comparison of the two engines."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.models.hopping_leg import HoppingLegParams, places
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.raibert import Raibert, RaibertGains
from tarsus.mjcf.hopping_leg import PRESETS
from tarsus.mjcf.presets import find
from tarsus.scripts.comparison.machine import Machine, Trial
from tarsus.scripts.runs import record
from tarsus.scripts.runs.hopping_leg_options import add_leg_options, leg_from
from tarsus.scripts.runs.hopping_mujoco import Stepper, mujoco_run
from tarsus.scripts.runs.hopping_runs import HopRun, hybrid_run

ENDLESS = 10**6  # hops: the time ends the run
ROW = 1e-3  # between rows of MuJoCo's record, if a step is shorter [s]
STRIDES = 30  # hops after which the period counts as that of the limit cycle


@dataclass(frozen=True)
class HoppingExperiment:
    """A leg, its gains, the ground, and MuJoCo's settings; it starts at rest in the air."""

    params: HoppingLegParams
    gains: RaibertGains
    ground: Terrain
    preset: str = "reference"


class HoppingMachine(Machine):
    """The leg on a boom."""

    name = "hopping leg"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add speed, height, motors and ground."""
        add_leg_options(parser)

    def experiment(self, args: argparse.Namespace) -> HoppingExperiment:
        """Return what the command line asks for."""
        experiment = HoppingExperiment(*leg_from(args), args.preset)
        controller = Raibert(experiment.gains, experiment.params, fast=True)
        Stepper(controller, experiment.ground, find(args.preset, PRESETS))
        return experiment

    def exact(self, experiment: HoppingExperiment, seconds: float, period: float, **accuracy: float) -> Trial:
        """Run the hybrid model; `accuracy` may have `rtol`."""
        controller = Raibert(experiment.gains, experiment.params)
        options = dict(ground=experiment.ground, sample_period=period, final_time=seconds, **accuracy)
        run = hybrid_run(controller, ENDLESS, **options)
        if not run.record.sizes["time"]:
            raise RuntimeError(f"the exact engine refused the start: {run.status}")
        return trial(experiment, run, "exact", seconds)

    def mujoco(self, experiment: HoppingExperiment, seconds: float, fine: bool = True) -> Trial:
        """Run MuJoCo; the controller is called at every step."""
        timestep = find(experiment.preset, PRESETS).timestep
        period = timestep * max(1, round(ROW / timestep))
        run = mujoco_run(
            Raibert(experiment.gains, experiment.params, fast=True),
            ENDLESS,
            ground=experiment.ground,
            preset=experiment.preset,
            sample_period=period,
            on_row=lambda t, *_: t > seconds - 0.5 * period,
        )
        return trial(experiment, run, experiment.preset, seconds)

    def stride(self, experiment: HoppingExperiment) -> float:
        """Return the period of the hybrid model's limit cycle [s]."""
        run = hybrid_run(Raibert(experiment.gains, experiment.params), STRIDES, ground=experiment.ground)
        if len(run.touchdown) < 2:
            raise RuntimeError(f"the exact leg made no hop: {run.status}")
        return run.steady()["period"]


def trial(experiment: HoppingExperiment, run: HopRun, preset: str, seconds: float) -> Trial:
    """Return a run as a trial with the record that all machines share; the body is the boom at the hip."""
    made, completed = run.record, run.record["time"].values[-1] > seconds - 2 * ROW
    qpos, qvel = made["joint_angle"].values, made["joint_speed"].values
    variables = {
        "body_position": places(experiment.params, qpos).hip,
        **body_motion(experiment.params, qpos, qvel),
        "foot_position": made["foot_position"].values[:, None],
        "foot_force": made["foot_force"].values[:, None],
        "foot_contact": made["foot_contact"].values[:, None],
        **{name: made[name].values for name in ("joint_angle", "joint_speed", "torque")},
    }
    status = "reached the end" if completed else run.status
    described = record.describe(
        made.attrs["engine"], status, preset, experiment.params, experiment.gains, experiment.ground, "hopping_leg"
    )
    ends = np.append(run.liftoff, np.inf)[: len(run.touchdown)]
    return Trial(
        record.build(made["time"].values, variables, described), (np.stack([run.touchdown, ends], axis=-1),), completed
    )


def body_motion(params: HoppingLegParams, qpos: np.ndarray, qvel: np.ndarray) -> dict[str, np.ndarray]:
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


HOPPING_LEG = HoppingMachine()
