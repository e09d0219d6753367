"""The articulated leg with and without impact compensation: the path of its mass centre, and its stance.

Runtime: a few seconds, once the model is compiled. Source: Hauter, Leitner, Freisinger (TUM 2021), figures 5 and 6.
"""

from __future__ import annotations

import numpy as np

from tarsus.controllers.slip import SlipControl
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import machine

# A gait high enough for some steps without compensation; the one of 0.62 m and 2.5 m/s falls after one. The angle is
# that at which the leg comes back to its apex.
GAIT = {"apex_height": 0.75, "speed": 2.0, "angle_of_attack": 1.3695276334}
ATOL = 1e-6  # another processor moves the compensated gait by 2e-12
# The other falls: what rounding changes grows with every stride, to 4e-8 m at the end.
TOLERANCES = {"without_com": {"atol": 4e-5}, "without_legs": {"atol": 4e-5}}


def compute() -> dict[str, np.ndarray]:
    """Return the mass centre's way, the apexes and the leg at touchdown, mid-stance and liftoff, in both cases."""
    data = {}
    for name, compensate in (("with", 1.0), ("without", 0.0)):
        experiment = machine().experiment(gains=SlipControl(compensate=compensate, **GAIT))
        run = runners.exact(machine(), experiment, 10, period=0.005)
        record = run.record
        data[f"{name}_com"] = record["com_position"].values[:, [0, 2]]
        data[f"{name}_legs"] = _legs(record)
        for entry in ("time", "apex_height", "apex_energy"):
            data[f"{name}_{entry}"] = run.steps[entry]
    return data


def _legs(record) -> np.ndarray:
    """Return base, knee, foot and mass centre in each stance's first, middle and last row, shape (n, 4, 2)."""
    stands = record["foot_contact"].values[:, 0]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(int)))
    rows = np.array([(a, (a + b - 1) // 2, b - 1) for a, b in edges.reshape(-1, 2)]).ravel()
    at = record.isel(time=rows)
    base, hip = at["body_position"].values, at["joint_angle"].values[:, 0]
    knee = base + 0.4 * np.stack([np.sin(hip), 0 * hip, -np.cos(hip)], axis=1)
    return np.stack([base, knee, at["foot_position"].values[:, 0], at["com_position"].values], axis=1)[..., [0, 2]]


def draw(data, figure):
    figure.set_size_inches(11, 6)
    axes = figure.subplots(3, 1, height_ratios=(1, 1, 1.4))
    titles = {"without": "without impact compensation", "with": "with impact compensation"}
    for axis, (name, title) in zip(axes, titles.items(), strict=False):
        for leg in data[f"{name}_legs"]:
            axis.plot(*leg[:3].T, "ko-", linewidth=1, markersize=2.5)
            axis.plot(*leg[[3, 2]].T, "g-", linewidth=1)
        axis.plot(*data[f"{name}_com"].T, "b:", linewidth=1.5)
        axis.axhline(0.0, color="0.6", linewidth=1)
        axis.set(title=title, xlim=(-0.3, 10.3), ylim=(-0.05, 0.95), aspect="equal", ylabel="z [m]")
        axes[2].plot(data[f"{name}_apex_height"], "o-", label=title)
    axes[1].set_xlabel("x [m]     links black, virtual SLIP leg green, way of the mass centre dotted")
    axes[2].set(xlabel="step", ylabel="apex height [m]")
    axes[2].legend(fontsize=8)
