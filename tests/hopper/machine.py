"""The vertical hopper as a machine: one description for both engines, its command, and what its record holds."""

from __future__ import annotations

import functools

import numpy as np

from hopper import controller, mjcf, model
from tarsus.analytic.hybrid.names import items
from tarsus.scripts.library.machines.description import Experiment, Machine, Rows
from tarsus.scripts.library.machines.machine import MachineCommand
from tarsus.scripts.library.records.layouts import RecordLayout

LAYOUT = RecordLayout(
    1,
    "the leg",
    {
        "leg_length": (("time",), "m", "distance of body and foot"),
        "thrust": (("time",), "N", "force of the motor, which pushes body and foot apart"),
    },
    model.HopperParams,
    controller.HopperGains,
    shown=("height", "velocity z"),
)


def variables(experiment: Experiment, rows: Rows) -> dict[str, np.ndarray]:
    """Return the variables of the record."""
    z, length, z_rate, _ = rows.x.T
    upright, still = np.tile((1.0, 0.0, 0.0, 0.0), (len(z), 1)), np.zeros((len(z), 3))
    return {
        "body_position": vertical(z),
        "body_orientation": upright,
        "body_velocity": vertical(z_rate),
        "body_angular_velocity_b": still,
        "foot_position": vertical(z - length)[:, None],
        "foot_force": vertical(rows.loads[:, 2])[:, None],
        "foot_contact": (rows.phase >= 2)[:, None],
        "leg_length": length,
        "thrust": rows.loads[:, 0],
    }


def vertical(z: np.ndarray) -> np.ndarray:
    """Return vectors along z, (n, 3)."""
    return np.stack([np.zeros_like(z), np.zeros_like(z), z], axis=-1)


@functools.cache
def machine() -> Machine:
    """Return what both engines must know of the hopper."""
    return Machine(
        name="hopper",
        params=model.HopperParams,
        gains=controller.HopperGains,
        control=lambda e: controller.hopping(e.gains),
        plant=lambda ground: model.PLANT,
        model=lambda control, ground: model.build(control),
        numbers=lambda e: model.table(e.params, e.ground) | items(e.gains),
        start=lambda e: np.array([e.gains.height + e.ground.height(0.0, 0.0), e.params.leg_length, 0.0, 0.0]),
        mjcf=mjcf.build,
        presets=mjcf.PRESETS,
        mujoco_loads=lambda data: np.concatenate([data.actuator_force, data.sensordata[[1, 3]]]),
        variables=variables,
        columns=lambda e, x, d: {"apex_height": d[:, controller.D.apex_height]},
        touches=lambda e, data, stands: data.sensordata[0] > 0,
        believe=lambda beliefs, x, ground: beliefs.__setitem__(model.P.ground, ground.height(0.0, 0.0)),
    )


class Hopper(MachineCommand):
    """A body that hops on a spring."""

    name = "hopper"
    machine = staticmethod(machine)
    steps = 10


HOPPER = Hopper()
