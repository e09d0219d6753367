"""RHex, the robot behind the documents, as its own software of 2001 describes it: numbers of `HexapodParams`.

The robot file bounds the torque of a hip, the library's controller only the voltage of its motor; which of the two held
is not documented. So there are three motors, and a number from this robot says which it used:

    file     torque and no-load speed as the robot file says
    voltage  the torque that 24 V drive through the armature, and the speed at which the back-EMF takes them
    drive    the same, with the voltage that the drive's bridge of the real robot loses

When braking, `Motor` bounds the torque by `max_torque`; under a voltage alone it would rise to twice that.
SI units, at the hip unless it says shaft. The rotor's inertia is left out. K_tau K_w of these motors is 0.891, not 1 as
of one motor in SI units: of the work of the back-EMF a tenth never reaches the hip (`Motor.constant_loss`).

Source: RHexLib, examples/exprunner/SimSect.rc (body, legs; the file that has gravity), hardware/SimSect/
SimComponents.hh (SimSect's motors), hardware/UofM/config.hh (the drive), base/PositionControl.cc (gains),
examples/exprunner/walk_test.rc (the gait at speed 2).
"""

from typing import Any

import numpy as np

RPM = np.pi / 30  # [rad/s]
SUPPLY = 24.0  # [V]
GEAR = 33.0625  # shaft turns per hip turn
TORQUE_CONSTANT, SPEED_CONSTANT = 0.0161, 55.3685  # shaft [N m/A], [rad/s/V]


def _limited_by_voltage(armature: float, drive: float) -> dict[str, float]:
    """Return the motor that only its supply limits; resistances [ohm]."""
    return {
        "max_torque": SUPPLY / (armature + drive) * TORQUE_CONSTANT * GEAR,
        "max_speed": SUPPLY * SPEED_CONSTANT / RPM,
        "armature_resist": armature,
        "drive_resist": drive,
    }


MOTORS: dict[str, dict[str, float]] = {
    "file": {"max_torque": 4.0, "max_speed": 10_000.0, "armature_resist": 1.34, "drive_resist": 0.0},
    "voltage": _limited_by_voltage(1.34, 0.0),
    "drive": _limited_by_voltage(1.33, 0.75),
}
RHEX: dict[str, Any] = {
    **{"body_mass": 7.0, "leg_mass": 0.005, "friction_coeff": 0.5, "q_rt": 0.17, "q_rl": 0.175, "g": 9.81},
    **{"speed_constant": SPEED_CONSTANT, "torque_constant": TORQUE_CONSTANT, "gear_ratio": 1 / GEAR},
    "supply_voltage": SUPPLY,
    "rho_k": (1200, 1600, 1200, 1200, 1600, 1200),
    "rho_d": (12, 16, 12, 12, 16, 12),
    "rho_r0": (0.17,) * 6,
    "theta_k": (300, 400, 300, 300, 400, 300),
    "theta_d": (0.12, 0.16, 0.12, 0.12, 0.16, 0.12),
    "theta_r0": (0.05, 0.05, 0.05, -0.05, -0.05, -0.05),
    "attach": [[side * x, y, 0.0] for side in (1, -1) for x, y in ((0.1, -0.2), (0.15, 0.0), (0.1, 0.2))],
    "J": np.diag([0.09917, 0.02917, 0.117]),
    **{"KP": 24.03, "KD": 0.6727},
    # flight_time is what the duty of 0.6226 leaves; the leg offset's sign is ours (forward = falling hip angle)
    **{"cycle_time": 0.53, "sweep_angle": 0.6981, "flight_time": (1 - 0.6226) * 0.53, "leg_offset": 0.175},
}
