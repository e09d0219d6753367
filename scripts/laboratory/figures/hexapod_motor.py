"""The hip motor's torque over its speed, and the life of the documents' two batteries at constant current.

After figure 7 of the SimSect manual and figures 3 and 4 of the hexapod report.

The exponents of the discharge curves follow from the batteries' 20 h and 1 h rates; the documents only draw them.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.battery import HOUR, Battery
from tarsus.analytic.motor import Motor
from tarsus.scripts.laboratory.studies.study_plots import plain_log

BATTERIES = {  # of the manual, of the report
    "2.2 A h (Panasonic)": Battery(),
    "2.6 A h (Yuasa NP2.6-12)": Battery(capacity=2.6 * HOUR, exponent=1.206),
}
REPORTED = 45.0  # [min]


def compute() -> dict[str, np.ndarray]:
    """Return the limits of the hip torque [N m] over its speed [rad/s], and discharge times [min] over current [A]."""
    motor, battery = Motor(), Battery()
    speed = np.linspace(-45.0, 45.0, 181)
    low, high = motor.torque_limits(speed)
    # The torque at which the armature takes all of the battery's voltage (erratum 21).
    stall = battery.nominal_voltage / motor.voltage(1.0, 0.0)
    fed = stall * (1.0 - motor.voltage(0.0, speed) / battery.nominal_voltage)
    current = np.geomspace(0.1, 10.0, 61)
    minutes = np.array([one.discharge_time(current) / 60 for one in BATTERIES.values()])
    # Peukert's law inverted: the current that empties a battery in the reported time.
    lasting = [
        one.capacity / one.rated_time * (one.rated_time / (60 * REPORTED)) ** (1 / one.exponent)
        for one in BATTERIES.values()
    ]
    return {
        "speed": speed,
        "low": low,
        "high": high,
        "fed": fed,
        "current": current,
        "minutes": minutes,
        "lasting": np.array(lasting),
    }


def draw(data, figure):
    """Draw torque over speed with the shaft's speed above, and discharge time over current."""
    figure.set_size_inches(10, 4.2)
    left, right = figure.subplots(1, 2)
    left.fill_between(data["speed"], data["low"], data["high"], color="C0", alpha=0.2, label="what the motor gives")
    left.plot(data["speed"], data["high"], "C0", label="limit, table 2 of the manual")
    left.plot(data["speed"], data["low"], "C0")
    left.plot(data["speed"], data["fed"], "k:", label="the most at 12 V")
    left.set(xlabel="speed of the hip [rad/s]", ylabel="torque of the hip [N m]", xlim=(-45, 45), ylim=(-5.4, 5))
    left.legend(fontsize=8, loc="lower left")
    rpm = Motor().gear * 30 / np.pi / 1e3
    above = left.secondary_xaxis("top", functions=(lambda w: w * rpm, lambda n: n / rpm))
    above.set_xlabel("speed of the motor's shaft [1000 rpm]")
    for name, minutes, current in zip(BATTERIES, data["minutes"], data["lasting"], strict=True):
        (line,) = right.loglog(data["current"], minutes, label=name)
        right.plot(current, REPORTED, "o", color=line.get_color(), label=f"{current:.2f} A for 45 min")
    right.axhline(REPORTED, color="0.5", lw=1, ls="-.")
    for axis in (right.xaxis, right.yaxis):
        plain_log(axis)
    right.set(xlabel="current [A]", ylabel="discharge time [min]")
    right.grid(alpha=0.3)
    right.legend(fontsize=8)
