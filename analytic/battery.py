"""Lead-acid battery: discharge curve, drain of six motors, lifetime.

Discharge time follows Peukert's law f(I) = T_h (C / (T_h I))^n. Draining at a varying current, the charge left falls
at the rate 1 / f(I) and the battery is empty when the integral reaches one. The documents disagree on which current
that is, so there are three named variants:

    manual    I = sum |i|                          (SimSect manual 5.1.7: full voltage all the time)
    report    I = sum |i|, times max min(|v|/V, 1)  (hexapod report 3.8: worst duty of the six motors)
    physical  I = sum min(|v|/V, 1) |i|             (a pulse-width modulated bridge draws current for its duty only)

In all three a motor that brakes drains. Of the signed power P that motors and drives take from the bus there are two:

    diode         I = max(P, 0)/V  (what one motor gives back another may take; what is left over is lost)
    regenerative  I = P/V          (and what is left over charges the battery, ampere second by ampere second)

SI units: seconds, amperes, volts, ampere seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .finite import check_finite
from .spelling import listed

BOOKKEEPINGS = ("manual", "report", "physical")
OF_BUS = ("diode", "regenerative")
HOUR = 3600.0  # [s]


@dataclass(frozen=True)
class Battery:
    """A lead-acid battery, by default the 12 V, 2.2 A h one of the manual; two of them in series have 24 V.

    Raises:
        ValueError: If a value is not positive and finite.
    """

    capacity: float = 2.2 * HOUR  # at the rated discharge [A s]
    rated_time: float = 20 * HOUR  # of the rated discharge [s]
    exponent: float = 1.213  # Peukert's, from the 20 h and 1 h rates
    nominal_voltage: float = 12.0  # [V]

    def __post_init__(self) -> None:
        check_finite(self)
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"{name} of a battery must be positive, got {value}")

    def discharge_time(self, current):
        """Return f(I), the discharge time at a constant current [A], in [s]; infinite for zero."""
        with np.errstate(divide="ignore"):
            return 1.0 / self.discharge_rate(current)

    def discharge_rate(self, current):
        """Return 1 / f(I): the fraction of the charge that a current [A] drains per second [1/s]."""
        # `**` of a lone number is the C library's and not NumPy's own: another last bit than in an array
        return np.power(np.abs(current) * (self.rated_time / self.capacity), self.exponent) / self.rated_time

    def drain_rate(self, current, voltage, bookkeeping: str = "physical", loss=0.0):
        """Return the fraction of the charge that several motors drain per second [1/s].

        Args:
            current: Armature currents, shape (..., n_motors) [A].
            voltage: Terminal voltages, shape (..., n_motors) [V].
            bookkeeping: One of `BOOKKEEPINGS` or `OF_BUS`.
            loss: Of the drives, for `OF_BUS`, shape (..., n_motors) [W].

        Raises:
            ValueError: If the bookkeeping is unknown.
        """
        if bookkeeping in OF_BUS:
            bus = np.sum(np.multiply(current, voltage) + loss, axis=-1) / self.nominal_voltage
            charge = np.minimum(bus, 0.0) / self.capacity if bookkeeping == "regenerative" else 0.0
            return self.discharge_rate(np.maximum(bus, 0.0)) + charge
        current = np.abs(current)
        duty = np.minimum(np.abs(voltage) / self.nominal_voltage, 1.0)
        if bookkeeping == "manual":
            return self.discharge_rate(current.sum(-1))
        if bookkeeping == "report":
            return duty.max(-1) * self.discharge_rate(current.sum(-1))
        if bookkeeping == "physical":
            return self.discharge_rate(np.vecdot(duty, current))
        raise ValueError(f"unknown bookkeeping {bookkeeping!r}; there are {listed(bookkeeping, BOOKKEEPINGS + OF_BUS)}")


def lifetime(time, drain_rate) -> float:
    """Return the time at which the battery is empty [s]: the integral of the drain reaches one.

    A run that ends earlier is extrapolated at its mean drain, which is exact for a whole number of strides.

    Args:
        time: Increasing times, shape (n,) [s].
        drain_rate: Fraction per second at those times, shape (n,) [1/s]; negative where the battery is charged.
    """
    time, drain_rate = np.asarray(time, float), np.asarray(drain_rate, float)
    steps = 0.5 * (drain_rate[1:] + drain_rate[:-1]) * np.diff(time)
    drained = np.concatenate([[0.0], np.cumsum(steps)])
    drained = np.maximum.accumulate(drained) if drained.max() >= 1.0 else drained  # empty is empty
    if drained[-1] >= 1.0:
        return float(np.interp(1.0, drained, time) - time[0])
    if drained[-1] <= 0.0:
        return float("inf")
    return float((time[-1] - time[0]) / drained[-1])
