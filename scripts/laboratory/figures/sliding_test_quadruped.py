"""A trotting quadruped, where the quasi-static assumption fails: velocity, raw and lagged, and its spectrum.

After figure 7 of Wu, Zhao and Revzen (arXiv:2310.20669).
"""

from __future__ import annotations

import numpy as np
from scipy.signal import welch

from tarsus.analytic.contact import lag_filter
from tarsus.scripts.laboratory.sliding import cases
from tarsus.scripts.laboratory.sliding.cases import PAPER_GAMMA, best_gamma
from tarsus.scripts.laboratory.sliding.pictures import COLOURS

# A trot falls from one pair of feet to the other. Jiggled by rounding before every step (six runs) its yaw rate moves
# by 0.015 rad/s, for some frames after a landing, the predicted one by 0.006, lagged by 0.001; u and v by 0.003 m/s.
ATOL = 0.08
TOLERANCES = {
    **{name: {"atol": 0.03} for name in ("raw", "paper")},
    "best": {"atol": 5e-3},
    # Spectra, which average over frames: of 1e-2, 2e-2 and 1e-3 m^2/s at their peaks.
    "measured_spectrum": {"atol": 4e-4},
    **{name: {"atol": 2e-5} for name in ("raw_spectrum", "paper_spectrum")},
    "best_spectrum": {"atol": 1e-6},
    **{name: {"atol": 1e-9} for name in ("time", "frequency", "gamma")},
}
SEGMENT = 256  # of Welch's spectrum [frames]
CURVES = {
    "measured": ("MuJoCo", COLOURS["measured"]),
    "raw": ("Coulomb, raw", "0.6"),
    "paper": (f"Coulomb, lag gamma = {PAPER_GAMMA}", COLOURS["viscous"]),
    "best": ("Coulomb, the gamma of least error", COLOURS["coulomb"]),
}


def compute() -> dict[str, np.ndarray]:
    """Return velocities, measured and predicted, raw and lagged, and the spectra of the forward ones."""
    outcome = cases.outcome(cases.trot, 1.0)
    twist, dt = outcome.predicted["coulomb"].twist, outcome.measured.dt
    gamma = best_gamma(outcome, "coulomb")
    found = {"measured": outcome.measured.twist, "raw": twist}
    found |= {"paper": lag_filter(twist, PAPER_GAMMA), "best": lag_filter(twist, gamma)}
    data = {"time": outcome.measured.time - outcome.measured.time[0], "gamma": np.array(gamma)} | found
    for name, values in found.items():
        data["frequency"], data[f"{name}_spectrum"] = welch(values[:, 0], 1 / dt, nperseg=SEGMENT)
    return data


def draw(data, figure):
    figure.set_size_inches(11, 6.5)
    axes = figure.subplots(2, 2)
    for ax, column, title in zip(axes.flat, range(3), ("u [m/s]", "v [m/s]", r"$\omega$ [rad/s]"), strict=False):
        for name, (label, colour) in CURVES.items():
            wide = name == "measured"
            ax.plot(
                data["time"], data[name][:, column], color=colour, linewidth=3 if wide else 1, label=label,
                alpha=0.45 if wide else 1,
            )  # fmt: skip
        ax.set(xlim=(0, 4), xlabel="t [s]", title=title)
    for name, (label, colour) in CURVES.items():
        label = f"{label}: {float(data['gamma']):.2f}" if name == "best" else label
        axes[1, 1].semilogy(data["frequency"], data[f"{name}_spectrum"], color=colour, label=label)
    axes[1, 1].set(xlim=(0, 15), ylim=(1e-7, None), xlabel="frequency [Hz]", title="spectrum of u [m^2/s]")
    axes[1, 1].legend(fontsize=7)
