"""The articulated leg running as a spring-mass template, for a comparison of the two engines."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.slip_leg_hybrid import STANCE
from tarsus.mjcf.presets import find
from tarsus.mjcf.slip_leg import PRESETS
from tarsus.scripts.comparison.machine import Machine, Trial
from tarsus.scripts.runs import record
from tarsus.scripts.runs.slip_leg_mujoco import MujocoRun, mujoco_run
from tarsus.scripts.runs.slip_leg_options import add_leg_options, experiment_from
from tarsus.scripts.runs.slip_leg_runs import Experiment, Run, hybrid

ENDLESS = 10**6  # steps: the time ends the run
ENERGY_GAIN = 0.5  # of both engines: MuJoCo's samples need it, and the exact leg lacks no energy
FORWARD = (np.sqrt(0.5), 0.0, 0.0, -np.sqrt(0.5))  # takes y, a body's forward axis, to x
STRIDES = 10  # steps whose mean period is the stride's


@dataclass(frozen=True)
class SlipExperiment:
    """A leg with its controller and ground, and MuJoCo's settings; it starts at an apex of its gait."""

    run: Experiment
    preset: str = "reference"


class SlipMachine(Machine):
    """The articulated leg."""

    name = "slip leg"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add controller, parameters and ground."""
        add_leg_options(parser)

    def experiment(self, args: argparse.Namespace) -> SlipExperiment:
        """Return what the command line asks for."""
        preset, experiment = find(args.preset, PRESETS), experiment_from(args, energy_gain=ENERGY_GAIN)
        ground_table(experiment.ground)
        MujocoRun(experiment, preset)
        return SlipExperiment(experiment, args.preset)

    def exact(self, experiment: SlipExperiment, seconds: float, period: float, **accuracy: float) -> Trial:
        """Run the hybrid model; `accuracy` may have `rtol`."""
        run = hybrid(experiment.run, ENDLESS, seconds=seconds, period=period, **accuracy)
        if not run.record.sizes["time"]:
            raise RuntimeError(f"the exact engine refused the start: {run.status}")
        return trial(experiment, run, "exact")

    def mujoco(self, experiment: SlipExperiment, seconds: float, fine: bool = True) -> Trial:
        """Run MuJoCo; the controller is called at every step."""
        return trial(
            experiment,
            mujoco_run(experiment.run, ENDLESS, seconds=seconds, preset=experiment.preset),
            experiment.preset,
        )

    def stride(self, experiment: SlipExperiment) -> float:
        """Return the period of the first steps of the hybrid model [s]."""
        run = hybrid(experiment.run, STRIDES, period=1.0)
        if not run.n_steps:
            raise RuntimeError(f"the exact leg made no step: {run.status}")
        return float(np.diff(run.steps["time"]).mean())


def trial(experiment: SlipExperiment, run: Run, preset: str) -> Trial:
    """Return a run as a trial with the record that all machines share; the body is the base, y is across the plane."""
    made = run.record.sel(time=np.append(np.diff(run.record["time"]) > 0, True))
    nothing, stands = np.zeros(made.sizes["time"]), made["phase"].values == STANCE

    def planar(x: str, z: str) -> np.ndarray:
        return np.stack([made[x].values, nothing, made[z].values], axis=-1)

    variables = {
        "body_position": planar("x", "z"),
        "body_orientation": np.tile(FORWARD, (len(nothing), 1)),
        "body_velocity": planar("vx", "vz"),
        "body_angular_velocity_b": np.zeros((len(nothing), 3)),
        "foot_position": planar("toe_x", "toe_z")[:, None],
        "foot_force": planar("force_x", "force_z")[:, None],
        "foot_contact": stands[:, None],
        "joint_angle": np.stack([made["hip"], made["knee"]], axis=-1),
        "joint_speed": np.stack([made["hip_speed"], made["knee_speed"]], axis=-1),
        "torque": np.stack([made["hip_torque"], made["knee_torque"]], axis=-1),
        "rest_length": made["rest_length"].values,
    }
    ran, completed = experiment.run, run.completed
    described = record.describe(
        made.attrs["engine"],
        "reached the end" if completed else run.status,
        preset,
        ran.params,
        ran.control,
        ran.ground,
        "slip_leg",
    )
    return Trial(record.build(made["time"].values, variables, described), (run.stances,), completed)


SLIP_LEG = SlipMachine()
