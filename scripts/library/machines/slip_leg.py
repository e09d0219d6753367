"""The articulated leg running as a spring-mass template."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state
from tarsus.analytic.terrain import TERRAINS, Flat, Terrain
from tarsus.controllers.slip_parameters import DEFECTS, SlipControl
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.machine import SET, TERRAIN, MachineCommand, Run

FORWARD = (np.sqrt(0.5), 0.0, 0.0, -np.sqrt(0.5))  # takes y, a body's forward axis, to x
STRIDES = 10  # steps whose mean period is the stride's
# A torque that is held for a step does some work of its own, which the controller then takes out again. In a comparison
# both engines have it: the exact leg lacks no energy.
ENERGY_GAIN = 0.5


@dataclass(frozen=True)
class SlipLegExperiment:
    """A leg, its controller, the ground, the apex it starts from, and MuJoCo's settings."""

    params: SlipLegParams = field(default_factory=SlipLegParams)
    control: SlipControl = field(default_factory=SlipControl)
    ground: Terrain = field(default_factory=Flat)
    height: float | None = None  # of the centre of mass at the start [m]; by default the controller's
    speed: float | None = None  # [m/s]
    preset: str = "reference"

    def start(self) -> np.ndarray:
        """Return the state at the start: an apex, the leg retracted, shape (8,)."""
        control = self.control
        return apex_state(
            self.params,
            control.apex_height if self.height is None else self.height,
            control.speed if self.speed is None else self.speed,
            control.retraction * control.rest_length,
            control.angle_of_attack,
        )


class SlipLeg(MachineCommand):
    """The articulated leg."""

    name = "slip_leg"
    files = ("run.nc", "run.csv", "run.png", "run.mp4")
    steps = 40

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add controller, parameters and ground."""
        parser.add_argument("--no-compensation", action="store_true", help="without impact compensation")
        words = "slips of the report to run with"
        parser.add_argument("--erratum", type=int, nargs="+", default=[], choices=DEFECTS, help=words)
        parser.add_argument("--terrain", **TERRAIN, default=["flat"], help=", ".join(TERRAINS))
        parser.add_argument("--set", **SET, help="parameters of leg or controller")

    def experiment(self, args: argparse.Namespace) -> SlipLegExperiment:
        """Return what the command line asks for; without impact compensation the energy is not regulated either."""
        from tarsus.analytic.models.ground_line import ground_table
        from tarsus.mjcf.presets import find
        from tarsus.mjcf.slip_leg import PRESETS
        from tarsus.scripts.library.machines import hops, stepping
        from tarsus.scripts.library.machines.slip_leg_mujoco import SlipLegStepper

        preset = find(args.preset, PRESETS)
        control = {DEFECTS[number]: 1.0 for number in args.erratum}
        control["energy_gain"] = 0.0 if args.engine == "exact" else ENERGY_GAIN
        control |= {"compensate": 0.0, "energy_gain": 0.0} if args.no_compensation else {}
        of_leg, of_control = ([entry.name for entry in fields(kind)] for kind in (SlipLegParams, SlipControl))
        given = arguments.assignments(args.set, "--set", [*of_leg, *of_control])
        control |= {name: given.pop(name) for name in of_control if name in given}
        params, ground = SlipLegParams(**given), arguments.terrain(args.terrain)
        experiment = SlipLegExperiment(params, SlipControl(**control), ground, preset=args.preset)
        if args.engine != "mujoco":
            experiment.start()
            ground_table(experiment.ground)
        if args.engine != "exact":
            stepping.rows_in(args.seconds or hops.LONGEST_HOP, SlipLegStepper(experiment, preset).model.opt.timestep)
        return experiment

    def stride(self, experiment: SlipLegExperiment) -> float:
        """Return the period of the first steps of the hybrid model [s]."""
        run = self.exact(experiment, None, 1.0, steps=STRIDES)
        if not run.n_steps:
            raise RuntimeError(f"the exact leg made no step: {run.status}")
        return float(np.diff(run.steps["time"]).mean())

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        """Add the film's pace, and the plot that follows."""
        fps, slower = arguments.number(1.0, 1000.0), arguments.number(0.01, 100.0)
        parser.add_argument("--fps", type=fps, default=60.0, help="pictures per second of simulated time; default 60")
        words = "the video is that much slower than life; default 4"
        parser.add_argument("--slower", type=slower, default=4.0, help=words)
        super().add_looks(parser)

    def summary(self, run: Run) -> str:
        """Return steps, heights and energies of the apexes."""
        height, energy = run.steps["apex_height"], run.steps["apex_energy"]
        lines = [f"{run.record.attrs['engine']}: {max(run.n_steps, 0)} steps; {run.status}"]
        if not height.size:
            return lines[0]
        lines += [f"apex height {height.min():.5f} to {height.max():.5f} m, last {height[-1]:.5f} m"]
        lost = f"{energy[-1] / energy[0] - 1:+.2e} of it"
        return "\n".join([*lines, f"energy of the mass centre at the apexes {energy[0]:.3f} J, last {lost}"])

    def figure(self, run: Run, experiment: SlipLegExperiment) -> Any:
        """Return the figure of a run."""
        from tarsus.scripts.library.views import slip_leg_view

        return slip_leg_view.draw(run)

    def film(self, run: Run, experiment: SlipLegExperiment, path, args: argparse.Namespace) -> None:
        """Write the film of a run."""
        from tarsus.scripts.library.views import slip_leg_view

        plot = slip_leg_view.film(run, experiment, args.fps)
        plot.write_video(path, args.fps / args.slower)
        plot.close()

    def follower(self, experiment: SlipLegExperiment, args: argparse.Namespace) -> Any:
        """Return the plot that follows."""
        from tarsus.analytic.hybrid import vector
        from tarsus.scripts.library.machines.slip_leg_exact import numbers
        from tarsus.scripts.library.views.slip_leg_view import SlipLegFollower

        return SlipLegFollower(experiment, vector(numbers(experiment)), args.fps)


def run_of(
    experiment: SlipLegExperiment,
    about: tuple[str, str, str],
    steps: dict[str, np.ndarray],
    time,
    qpos,
    qvel,
    outputs,
    phase,
) -> Run:
    """Return a run with the labelled record; the body is the base, and y is across the plane of motion.

    Args:
        experiment: What ran.
        about: Engine, status and preset.
        steps: A row for each apex, the start's first: time, height [m] and energy [J] of the centre of mass, angle of
            attack asked for [rad], energy lost in the impact before it [J], and touchdown and liftoff before it [s].
        time: Of the rows, shape (n,) [s].
        qpos: Positions, shape (n, 4).
        qvel: Velocities, shape (n, 4).
        outputs: Torques (2), force (2), position and velocity of the centre of mass and of the toe (4 each),
            compression and rest length of the spring, shape (n, 14).
        phase: Codes of the controller's phases, shape (n,).
    """
    from tarsus.analytic.models.slip_leg_hybrid import STANCE
    from tarsus.scripts.library.records import record

    torque, force, com, com_velocity, toe, _, spring = np.split(outputs, (2, 4, 6, 8, 10, 12), axis=1)

    def spatial(planar: np.ndarray) -> np.ndarray:
        return np.insert(planar, 1, 0.0, axis=1)

    variables = {
        "body_position": spatial(qpos[:, :2]),
        "body_orientation": np.tile(FORWARD, (len(time), 1)),
        "body_velocity": spatial(qvel[:, :2]),
        "body_angular_velocity_b": np.zeros((len(time), 3)),
        "foot_position": spatial(toe)[:, None],
        "foot_force": spatial(force)[:, None],
        "foot_contact": (phase == STANCE)[:, None],
        "joint_angle": qpos[:, 2:],
        "joint_speed": qvel[:, 2:],
        "torque": torque,
        "com_position": spatial(com),
        "com_velocity": spatial(com_velocity),
        "compression": spring[:, 0],
        "rest_length": spring[:, 1],
        "phase": phase,
    }
    made = record.describe(*about, experiment.params, experiment.control, experiment.ground, "slip_leg")
    stances = np.stack([steps["touchdown"], steps["liftoff"]], axis=-1)
    feet = (stances[np.isfinite(stances).all(axis=-1)],)  # the stance a run ends in may be missing
    return Run(record.build(time, variables, made), about[1], stances=feet, steps=steps, n_steps=len(steps["time"]) - 1)


SLIP_LEG = SlipLeg()
