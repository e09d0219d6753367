"""Turning in place over cycle time and sweep angle, and differential turning over its two gains, in both engines.

After section 5.2.2 of the SimSect manual. Runtime: about 90 s of processor time (54 runs of 6 s).
"""

from __future__ import annotations

import numpy as np

from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.studies import study
from tarsus.scripts.laboratory.studies.study import EXACT, LABELS, Case, Fineness, PresetName, Verdict
from tarsus.scripts.laboratory.studies.study_plots import grid_map
from tarsus.scripts.library.base.stamp import markdown_table

GOLDEN = dict(jobs=1, cycle_times=(0.75,), sweep_angles=(0.75,), duties=(0.7,), offsets=(0.1,), slow_times=(-0.05,))
GOLDEN |= dict(seconds=5.0)
RTOL = 5e-4  # another processor moves the small speed of a turn on the spot by 4e-7, yaw rates by 8e-8


def compute(
    fineness: Fineness = 1,
    preset: PresetName = "reference",
    jobs: Jobs = -1,
    *,
    cycle_times=(0.5, 0.75, 1.0),  # t_c of a turn in place [s]
    sweep_angles=(0.4, 0.75, 1.1),  # phi_s of a turn in place [rad]
    duties=(0.6, 0.7),
    offsets=(-0.1, 0.0, 0.1),  # dphi_o of a differential turn [rad]
    slow_times=(-0.05, 0.0, 0.05),  # dt_s of a differential turn [s]
    seconds: float = 6.0,
) -> dict[str, np.ndarray]:
    """Return yaw rates [rad/s] and verdicts: `place_*` (duty, t_c, phi_s, engine), `diff_*` (dt_s, dphi_o, engine)."""
    t_c, phi_s = study.refine(cycle_times, fineness), study.refine(sweep_angles, fineness)
    offset, slow = study.refine(offsets, fineness), study.refine(slow_times, fineness)

    def place(duty, period, angle):
        gait = dict(cycle_time=period, slow_time=duty * period, sweep_angle=angle, heading="left")
        return Case(gait, seconds=seconds)

    def differential(dt, dphi):
        return Case(dict(offset_difference=dphi, slow_time_difference=dt), seconds=seconds)

    data = {"cycle_time": t_c, "sweep_angle": phi_s, "duty": np.array(duties), "offset": offset, "slow_time": slow}
    for name, case, axes in (("place", place, (duties, t_c, phi_s)), ("diff", differential, (slow, offset))):
        found = study.grid(case, axes, (EXACT, preset), jobs, f"turning, {name}", "yaw_rate", "speed", "verdict")
        data |= {f"{name}_{key}": values for key, values in found.items()}
    return data


def draw(data, figure):
    """Draw the maps of both engines: a row per duty in place, and one of differential turning."""
    n = len(data["duty"])
    figure.set_size_inches(10, 3.5 * (n + 1))
    axes = figure.subplots(n + 1, 2, squeeze=False)
    most = np.nanmax(np.abs(data["place_yaw_rate"]))
    for k, duty in enumerate(data["duty"]):
        for engine, label in enumerate(LABELS):
            rate, verdict = data["place_yaw_rate"][k, ..., engine], data["place_verdict"][k, ..., engine]
            image = grid_map(axes[k, engine], rate, verdict, data["cycle_time"], data["sweep_angle"], vmin=0, vmax=most)
            axes[k, engine].set(title=f"in place, {label}, duty {duty:g}", xlabel="phi_s [rad]", ylabel="t_c [s]")
        figure.colorbar(image, ax=axes[k], label="yaw rate [rad/s], left is positive")
    most = np.nanmax(np.abs(data["diff_yaw_rate"]))
    for engine, label in enumerate(LABELS):
        rate, verdict = data["diff_yaw_rate"][..., engine], data["diff_verdict"][..., engine]
        grid, look = (data["slow_time"], data["offset"]), dict(vmin=-most, vmax=most, cmap="PuOr")
        image = grid_map(axes[n, engine], rate, verdict, *grid, "{:+.3f}", **look)
        axes[n, engine].set(title=f"differential, {label}", xlabel="dphi_o [rad]", ylabel="dt_s [s]")
    figure.colorbar(image, ax=axes[n], label="yaw rate [rad/s], left is positive")


def table(data) -> str:
    """Return yaw rates in place and of the differential turns, Markdown: those of both engines in a cell."""
    rows = []
    for k, duty in enumerate(data["duty"]):
        for i, period in enumerate(data["cycle_time"]):
            both = zip(data["place_yaw_rate"][k, i], data["place_verdict"][k, i], strict=True)
            cells = [", ".join(study.numbers(rates, verdicts, "{:+.3f}")) for rates, verdicts in both]
            rows.append((f"{duty:g}", f"{period:g}", *cells))
    angles = [f"phi_s {angle:g} rad" for angle in data["sweep_angle"]]
    place = markdown_table(["duty", "t_c [s]", *angles], rows)
    head = ["dt_s [s]", *(f"dphi_o {dphi:+g} rad" for dphi in data["offset"])]
    rows = []
    for i, dt in enumerate(data["slow_time"]):
        cells = []
        for j in range(len(data["offset"])):
            pair = study.numbers(data["diff_yaw_rate"][i, j], data["diff_verdict"][i, j], "{:+.3f}")
            cells.append(", ".join(pair))
        rows.append([f"{dt:+g}", *cells])
    return (
        f"Yaw rate [rad/s] in place, exact and MuJoCo:\n\n{place}\n\nDifferential, likewise:\n\n"
        f"{markdown_table(head, rows)}\n\n{_agreement(data)}"
    )


def _agreement(data) -> str:
    walks = (data["diff_verdict"] == Verdict.WALKS).all(-1)
    rate = data["diff_yaw_rate"][walks]
    return f"Greatest difference between the engines in differential turning: {np.abs(np.diff(rate)).max():.4f} rad/s."
