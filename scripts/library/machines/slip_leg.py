"""The articulated leg running as a spring-mass template."""

import argparse
import functools
from typing import Any

import numpy as np

from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.slip_parameters import DEFECTS, SlipControl
from tarsus.scripts.command import arguments
from tarsus.scripts.library.machines.description import Experiment, Machine, Rows
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.machines.outcome import Run

FORWARD = (np.sqrt(0.5), 0.0, 0.0, -np.sqrt(0.5))  # takes y, a body's forward axis, to x
# A torque that is held for a step does some work of its own, which the controller then takes out again. In a comparison
# both engines have it: the exact leg lacks no energy.
ENERGY_GAIN = 0.5
FALLEN = 0.3  # height of the base over the ground below which a run is over [m]


def apex_of(
    params: SlipLegParams, control: SlipControl, height: float | None = None, speed: float | None = None
) -> np.ndarray:
    """Return an apex, the leg retracted, shape (8,); height [m] and speed [m/s] are the controller's by default."""
    height = control.apex_height if height is None else height
    speed, length = control.speed if speed is None else speed, control.retraction * control.rest_length
    return apex_state(params, height, speed, length, control.angle_of_attack)


def variables(experiment: Experiment, rows: Rows) -> dict[str, np.ndarray]:
    """Return the variables of the record; the body is the base, and y is across the plane of motion."""
    from tarsus.analytic.hybrid import vector
    from tarsus.controllers.slip_laws import STANCE, shown
    from tarsus.scripts.library.machines.runners import evaluated

    def spatial(planar: np.ndarray) -> np.ndarray:
        return np.insert(planar, 1, 0.0, axis=1)

    places = evaluated(shown, 10, rows, vector(machine().beliefs(experiment)))
    return {
        "body_position": spatial(rows.x[:, :2]),
        "body_orientation": np.tile(FORWARD, (len(rows.t), 1)),
        "body_velocity": spatial(rows.x[:, 4:6]),
        "body_angular_velocity_b": np.zeros((len(rows.t), 3)),
        "foot_position": spatial(places[:, 4:6])[:, None],
        "foot_force": spatial(rows.loads[:, 2:])[:, None],
        "foot_contact": (rows.phase == STANCE)[:, None],
        "joint_angle": rows.x[:, 2:4],
        "joint_speed": rows.x[:, 6:],
        "torque": rows.loads[:, :2],
        "com_position": spatial(places[:, :2]),
        "com_velocity": spatial(places[:, 2:4]),
        "compression": places[:, 8],
        "rest_length": places[:, 9],
        "phase": rows.phase,
    }


def columns(experiment: Experiment, x: np.ndarray, d: np.ndarray) -> dict[str, np.ndarray]:
    """Return height [m] and energy [J] of the apexes, angle asked for [rad], energy lost in the impact before [J]."""
    from tarsus.controllers.slip_laws import D

    return {name: d[:, getattr(D, name)] for name in ("apex_height", "apex_energy", "angle", "energy_lost")}


def fallen(experiment: Experiment, t: float, x: np.ndarray, n: int) -> str:
    """Return the words for a fall, or an empty string."""
    low = x[1] - float(experiment.ground.height(x[0], 0.0)) < FALLEN
    return f"fell at t = {t:.3f} s after {n} steps" if low else ""


@functools.cache
def machine() -> Machine:
    """Return the description of the leg for both engines."""
    from tarsus.analytic.hybrid.names import items
    from tarsus.analytic.models import slip_leg_hybrid as hybrid
    from tarsus.controllers import slip
    from tarsus.mjcf import slip_leg as mjcf

    def believe(beliefs: np.ndarray, x: np.ndarray, ground: Terrain) -> None:
        slip.believe(beliefs, float(ground.height(hybrid.foot_x(x, beliefs), 0.0)))

    return Machine(
        name="slip_leg",
        params=SlipLegParams,
        gains=SlipControl,
        control=lambda e: slip.slip(e.gains),
        plant=lambda ground: hybrid.PLANT,
        model=lambda control, ground: hybrid.build(control),
        numbers=lambda e: hybrid.table(e.params, e.ground) | items(e.gains),
        start=lambda e: apex_of(e.params, e.gains),
        mjcf=mjcf.build,
        presets=mjcf.PRESETS,
        memory=hybrid.MEMORY,
        mujoco_loads=lambda data: np.concatenate([data.actuator_force, data.sensordata[[1, 3]]]),
        variables=variables,
        columns=columns,
        fallen=fallen,
        believe=believe,
        leads=True,
    )


class SlipLeg(MachineCommand):
    """The articulated leg."""

    name = "slip_leg"
    machine = staticmethod(machine)
    files = ("run.nc", "run.csv", "run.png", "run.mp4")
    steps = 40

    def add_options(self, parser: arguments.Parser) -> None:
        """Add controller, parameters and ground."""
        parser.add_argument("--no-compensation", action="store_true", help="without impact compensation")
        words = "errors of the report to switch on"
        parser.add_argument("--erratum", type=int, nargs="+", default=[], choices=DEFECTS, help=words)
        super().add_options(parser)

    def experiment(self, args: argparse.Namespace) -> Experiment:
        """Return the experiment of a command line; without impact compensation the energy is not regulated either."""
        control = {DEFECTS[number]: 1.0 for number in args.erratum}
        control["energy_gain"] = 0.0 if args.engine == "exact" else ENERGY_GAIN
        control |= {"compensate": 0.0, "energy_gain": 0.0} if args.no_compensation else {}
        return super().experiment(args, **control)

    def add_looks(self, parser: argparse._ArgumentGroup) -> None:
        """Add the film's pace."""
        fps, slower = arguments.number(1.0, 1000.0), arguments.number(0.01, 100.0)
        parser.add_argument("--fps", type=fps, default=60.0, help="pictures per second of simulated time; default 60")
        words = "factor by which the video is slower than real time; default 4"
        parser.add_argument("--slower", type=slower, default=4.0, help=words)

    def summary(self, run: Run) -> str:
        """Return steps, heights and energies of the apexes."""
        height, energy = run.steps["apex_height"], run.steps["apex_energy"]
        lines = [f"{run.record.attrs['engine']}: {max(run.n_steps, 0)} steps; {run.status}"]
        if not height.size:
            return lines[0]
        lines += [f"apex height {height.min():.5f} to {height.max():.5f} m, last {height[-1]:.5f} m"]
        lost = f"{energy[-1] / energy[0] - 1:+.2e} of it"
        return "\n".join([*lines, f"energy of the mass centre at the apexes {energy[0]:.3f} J, last {lost}"])

    def figure(self, run: Run, experiment: Experiment) -> Any:
        from tarsus.scripts.library.views import leg_picture

        return leg_picture.draw(run)

    def film(self, run: Run, experiment: Experiment, path, args: argparse.Namespace) -> None:
        from tarsus.scripts.library.views.leg_picture import SlipLegPicture

        SlipLegPicture(run.record, experiment).film(path, args.fps / args.slower, 1.0 / args.slower)


SLIP_LEG = SlipLeg()
