r"""The hip's DC motor: torque-speed limit, armature current and voltage.

Quantities are those of the hip joint (after the gear) unless they say `shaft`. The motor delivers the commanded torque
at once, up to its limit; its electrical dynamics are neglected. Of the power at its terminals

.. math:: i v = i^2 r_a + \tau \omega + \left( \frac{1}{K_\tau K_\omega} - 1 \right) \tau \omega,

the last term is where documents give constants that are not those of one motor: in SI units their product is 1.

Source: hexapod report 3.7 and SimSect manual 5.1.6, with the gear ratio corrected (errata 18, 19, 21); of the drive
RHexLib, doc/hardwarelibs.tex.
"""

from dataclasses import dataclass

import numpy as np

from .finite import check_finite


@dataclass(frozen=True)
class Motor:
    """A geared DC motor; defaults are the Maxon RE118751, 20 W, of the documents.

    Fields broadcast with torque and speed: scalars, or arrays of shape (n, 1) for the motors of n machines.

    Raises:
        ValueError: If a value is not finite, or not positive (`drive_resist` may be zero).
    """

    max_torque: float = 3.0  # at the joint [N m]; also the stall torque of the limit line
    no_load_speed: float = 10_000 * np.pi / 30 / 30  # at the joint [rad/s]: 10 000 rpm at the shaft over the gear
    gear: float = 30.0  # shaft turns per joint turn
    speed_constant: float = 61.261056  # K_w [rad/s/V], shaft
    torque_constant: float = 16.3e-3  # K_tau [N m/A], shaft
    armature_resist: float = 1.34  # r_a [ohm]
    supply_voltage: float = 12.0  # at which the drive's duty is 1 [V]
    drive_resist: float = 0.0  # r_d: the drive's bridge loses the voltage r_d i, times its duty [ohm]

    def __post_init__(self) -> None:
        check_finite(self)
        for name, value in vars(self).items():
            if not np.all(np.asarray(value) > 0) and not (name == "drive_resist" and np.all(np.asarray(value) == 0)):
                raise ValueError(f"{name} of a motor must be positive, got {value}")

    @property
    def damping(self) -> float:
        """Slope of the limit line: torque lost per speed [N m s/rad]."""
        return self.max_torque / self.no_load_speed

    def torque_limits(self, speed):
        """Return the least and greatest torque at a joint speed [rad/s], each like `speed` [N m].

        When driving, torque falls linearly to zero at the no-load speed (beyond it the back-EMF brakes); when braking,
        it is bounded by `max_torque`. These are the limits of a DC motor with bounded voltage and bounded current.
        """
        most, lost = self.max_torque, np.multiply(speed, self.damping)
        return np.minimum(np.maximum(-most - lost, -most), most), np.minimum(np.maximum(most - lost, -most), most)

    def limit(self, torque, speed):
        """Return the torque that is delivered for a commanded `torque` at a joint speed, both at the joint."""
        low, high = self.torque_limits(speed)
        return np.minimum(np.maximum(torque, low), high)

    def current(self, torque):
        """Return the armature current [A] of a joint torque [N m]: i = tau / (N K_tau)."""
        return np.multiply(torque, 1.0 / (self.gear * self.torque_constant))

    def voltage(self, torque, speed):
        """Return the terminal voltage [V]: v = i r_a + N w / K_w, joint torque [N m] and speed [rad/s]."""
        resistance = self.armature_resist / (self.gear * self.torque_constant)
        return np.multiply(torque, resistance) + np.multiply(speed, self.gear / self.speed_constant)

    def armature_heat(self, current):
        """Return the power that heats the armature [W]: i^2 r_a."""
        return np.square(current) * self.armature_resist

    def constant_loss(self, torque, speed):
        """Return the power that the documents' constants lose between armature and joint [W], at the joint's torque."""
        return np.multiply(torque, speed) * (1.0 / (self.torque_constant * self.speed_constant) - 1.0)

    def duty(self, current, voltage):
        """Return the duty D of the drive, from -1 to 1, that makes the voltage: v = D V_s - |D| r_d i."""
        left = self.supply_voltage - np.sign(voltage) * self.drive_resist * current
        return np.clip(voltage / np.maximum(left, 1e-9), -1.0, 1.0)

    def drive_loss(self, current, voltage):
        """Return the power that the drive's bridge loses [W]: |D| r_d i^2. From the supply comes i v and this."""
        return np.abs(self.duty(current, voltage)) * (self.drive_resist * np.square(current))


def servo(stall_torque: float, stall_current: float, no_load_speed: float, gear: float, voltage: float) -> Motor:
    """Return the motor of a data sheet: values at the joint and at `voltage` [N m, A, rad/s, turns, V].

    Resistance and constants are those of a motor whose current at stall is the voltage over the armature's resistance
    and whose back-EMF at the no-load speed is the voltage.
    """
    return Motor(
        max_torque=stall_torque,
        no_load_speed=no_load_speed,
        gear=gear,
        speed_constant=no_load_speed * gear / voltage,
        torque_constant=stall_torque / stall_current / gear,
        armature_resist=voltage / stall_current,
        supply_voltage=voltage,
    )


# Robotis servos at 12 V; e-manual, pages MX-64 and MX-106.
MX_64 = servo(6.0, 4.1, 63 * np.pi / 30, 200.0, 12.0)
MX_106 = servo(8.4, 5.2, 45 * np.pi / 30, 225.0, 12.0)
