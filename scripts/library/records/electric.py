"""The electric numbers of a run: power drawn, and where it goes.

What motors and drives take from their supply is

    sum i v + drive loss = armature heat + mechanical power + constant loss + drive loss,

with the armature's current i and voltage v of the ideal motor at the torque that was given (`analytic.motor`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from tarsus.analytic.models.hexapod.rhex import MOTORS
from tarsus.analytic.motor import Motor

SLOWEST = 1e-3  # at which a specific resistance means something [m/s]


def powers(motor: Motor, current, voltage) -> dict[str, np.ndarray]:
    """Return the columns `layouts.ELECTRIC` of a record, from its motors' currents [A] and voltages [V], (n, 6)."""
    return {
        "electric_power": np.sum(np.multiply(current, voltage), axis=-1),
        "drive_loss": np.sum(motor.drive_loss(current, voltage), axis=-1),
    }


@dataclass(frozen=True)
class Electric:
    """Means over whole strides, sums of all motors."""

    motor: str  # the name of RHex's motor, of the robot or in words
    supply_voltage: float  # [V]
    drawn: float  # at the terminals where positive, motor by motor: no motor gives back [W]
    net: float  # at the terminals [W]
    armature_heat: float  # [W]
    mechanical: float  # power of the hips [W]
    constant_loss: float  # between the two, where the motor's constants do not belong to one motor [W]
    drive_loss: float  # beside that at the terminals [W]
    carried: float | None  # weight times speed [W]; None where there is no weight or no way

    @property
    def power(self) -> float:
        """What the supply gives to motors and drives, nothing given back [W]."""
        return self.drawn + self.drive_loss

    @property
    def specific_resistance(self) -> float | None:
        """Electric power over weight and speed; the robot's other electronics are not counted. None as `carried`."""
        return None if self.carried is None else self.power / self.carried

    @property
    def specific_resistance_net(self) -> float | None:
        """The same if what motors give back is used again."""
        return None if self.carried is None else (self.net + self.drive_loss) / self.carried

    @property
    def bus_current(self) -> float:
        """Mean current from the supply [A]."""
        return self.power / self.supply_voltage


def electric(record: xr.Dataset, params: Any, inside: np.ndarray, speed: float) -> Electric:
    """Return the electric numbers of a hexapod's record: means over the rows inside, at that mean speed [m/s]."""
    motor, weight = params.motor, params.total_mass * params.g
    names = ("motor_current", "motor_voltage", "hip_torque", "hip_speed")
    current, voltage, torque, rate = (record[name].values[inside] for name in names)

    def mean(values: np.ndarray) -> float:
        return float(np.mean(values.sum(axis=-1)))

    return Electric(
        motor=motor_name(params),
        supply_voltage=params.supply_voltage,
        drawn=mean(np.maximum(current * voltage, 0.0)),
        net=mean(current * voltage),
        armature_heat=mean(motor.armature_heat(current)),
        mechanical=mean(torque * rate),
        constant_loss=mean(motor.constant_loss(torque, rate)),
        drive_loss=mean(motor.drive_loss(current, voltage)),
        carried=weight * abs(speed) if weight > 0 and abs(speed) >= SLOWEST else None,
    )


def motor_name(params: Any) -> str:
    """Return the name of the robot's motor, one of RHex's, with its limits in words."""
    of_rhex = (name for name, values in MOTORS.items() if all(getattr(params, n) == v for n, v in values.items()))
    words = f"{params.max_torque:.3g} N m, {params.motor.no_load_speed:.4g} rad/s at the hip"
    return next((f"{name} of RHex: {words}" for name in of_rhex), words)


def lines(found: Electric) -> list[tuple[str, str]]:
    """Return the numbers as rows of a table: what, and how much with its unit."""
    sr, net = found.specific_resistance, found.specific_resistance_net
    worth = "none: no way made, or no weight" if sr is None else f"{sr:.2f} ({net:.2f} if braking gave back)"
    gone = f"{found.armature_heat:.1f} W heat of armatures, {found.mechanical:.1f} W work of hips"
    odd = f"{found.constant_loss:.1f} W that the motor's constants, as published, do not explain"
    return [
        ("motor", found.motor),
        ("electric power", f"{found.power:.1f} W, {found.net + found.drive_loss:.1f} W if braking gave back"),
        ("", f"{gone}, {found.drive_loss:.1f} W drives"),
        *([("", odd)] if abs(found.constant_loss) >= 0.05 else []),
        ("specific resistance", f"{worth}; motors and drives only"),
    ]
