"""Parameters and memory of the SLIP controller."""

import math
from dataclasses import dataclass, fields

import numpy as np

from tarsus.analytic.finite import check_angle

# What the controller stores from one event to the next.
MEMORY = {
    "rest_length": 0.58,  # of the virtual spring in the present stance [m]
    "energy_lost": 0.0,  # by the centre of mass in the last impact [J]
    "apex_height": 0.62,  # of the centre of mass at the last apex [m]
    "apex_energy": 0.0,  # of the centre of mass there [J]
    "angle": 1.3648,  # of attack asked for at the last apex [rad]
    "started": 0.0,  # when the present move began [s]
    "duration": 1.0,  # and how long it takes [s]
    "from_hip": 0.0,  # where it began [rad]
    "from_knee": 0.0,
    "to_hip": 0.0,  # where it ends [rad]
    "to_knee": 0.0,
    "reach": 1.0,  # how far that is from being out of reach; positive inside
}

# The report's errors that can be switched on, by their numbers in docs/slip_leg.md.
DEFECTS = {
    7: "absolute_loss",
    8: "nominal_length",
    9: "frozen_com",
    10: "liftoff_under_weight",
    17: "previous_apex",
}


@dataclass(frozen=True)
class SlipControl:
    """Parameters of SLIP running. Defaults keep the default leg at an apex of 0.62 m and 2.5 m/s.

    The last five are switches: 0 corrected, 1 as in the report.
    """

    stiffness: float = 3500.0  # of the virtual spring, k [N/m]
    rest_length: float = 0.58  # l0, of the virtual leg at touchdown [m]
    apex_height: float = 0.62  # wanted of the centre of mass [m]
    speed: float = 2.5  # wanted at the apex [m/s]; with the height it gives the energy wanted
    angle_of_attack: float = 1.3648113659  # alpha*, of the leg from the ground at touchdown [rad]
    apex_gain: float = 0.9  # Ka [rad/m]; 0.92 is dead-beat, the report's is 0.45
    clearance: float = 0.003  # foot's height from which the leg is retracted, h1 [m]
    retraction: float = 0.75  # length of the retracted leg over l0
    retract_time: float = 0.075  # T2 [s]
    extend_time: float = 0.095  # T3 [s]
    kp: float = 3600.0  # of the joints' tracking in flight [1/s^2]
    kd: float = 120.0  # [1/s]
    compensate: float = 1.0  # share of the impact's loss that the spring gives back; 0 without impact compensation
    energy_gain: float = 0.0  # share of the last apex's lack of energy made up for in stance; sampled control: 0.5
    absolute_loss: float = 0.0  # erratum 7: the sign of the loss is dropped
    nominal_length: float = 0.0  # erratum 8: l0 instead of the length at touchdown
    frozen_com: float = 0.0  # erratum 9: inverse kinematics with base and centre of mass frozen
    liftoff_under_weight: float = 0.0  # erratum 10: liftoff at a spring force of m g
    previous_apex: float = 0.0  # erratum 17: the apex law refers to the apex before

    def __post_init__(self) -> None:
        switches = ("compensate", "energy_gain", "apex_gain", *DEFECTS.values())
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in switches:
                if not 0 <= value < np.inf:
                    raise ValueError(f"{entry.name} must not be negative, got {value}")
            elif not 0 < value < np.inf:
                raise ValueError(f"{entry.name} must be positive and finite, got {value}")
        check_angle("angle_of_attack", self.angle_of_attack, 0.0, math.pi)
