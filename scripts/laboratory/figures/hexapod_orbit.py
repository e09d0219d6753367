"""The hexapod's walk as a fixed point: Floquet multipliers, and the decay of its slowest mode in both engines.

Runtime: about 30 s of processor time, and a minute to compile the model's variational equations the first time.

The map is half a stride followed by a reflection, left to right; the multipliers of a stride are the squares.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models.hexapod import HexapodParams, orbit
from tarsus.analytic.terrain import Flat
from tarsus.scripts.laboratory.studies.orbit import exact_sections, modes, mujoco_sections
from tarsus.scripts.library.machines import hexapod_exact as exact

SETTLED = 20  # strides before Newton's method
N = 20  # half strides of decay
DISTURBED = 0.03  # largest entry of the slow mode at the start; it is the pitch rate [rad/s]
LATE = 14  # half strides after which only the slow mode is left in either engine
BODY = len(orbit.BODY)
LABELS = ("z", "tilt x", "tilt y", "v_x", "v_y", "v_z", "w_x", "w_y", "w_z")
# Newton's method starts within 1e-7 and need not step. `test_orbit.py` of the studies has the variations.
GOLDEN = dict(tol=1e-7, n=4, late=4, variational=False)
# Another processor moves multipliers, which are differences, by 3e-6, all else of the exact engine by less than 1e-6.
RTOL, ATOL = 1e-6, 2e-3
# In MuJoCo a landing that rounding puts a timestep of 0.25 ms earlier or later moves the pitch rate by up to 5e-3 rad/s
# (20 N at 0.2 m on 0.2 kg m^2), a sixth of the disturbance. Twelve runs jiggled by rounding before every step scattered
# by 0.006 in amplitude and 0.01 in shape (standard deviations), and by 0.2 % in the mean factor.
TOLERANCES = {
    **{name: {"atol": 0.1} for name in ("amplitude_mujoco", "shape_mujoco")},
    "factor_mujoco": {"rtol": 0.03},
    "cosine_mujoco": {"atol": 0.02},
}


def compute(*, tol: float = 1e-9, n: int = N, late: int = LATE, variational: bool = True) -> dict[str, np.ndarray]:
    """Return the fixed point, its multipliers as (real, imaginary), and the decay of the slow mode in both engines.

    Args:
        tol: Newton's method ends when the map moves no coordinate further.
        n: Half strides of decay.
        late: The half stride whose shape is returned.
        variational: Whether to find the multipliers by variational equations too.
    """
    params = HexapodParams()
    stride = orbit.settle(exact.simulator(Flat()), params, TripodGait(), SETTLED)
    point = sections.fixed_point(stride.half, stride.z0, tol=tol)
    if point.status is not sections.Convergence.CONVERGED:
        raise RuntimeError(f"the gait is no fixed point: {point.status.value}")
    values, right, left = modes(point.jacobian)
    slow, read = right[:, 0].real, left[0].real
    slow *= DISTURBED / np.abs(slow).max() * np.sign(slow[6])
    decay = {
        "exact": exact_sections(stride, point.z + slow, n) - point.z,
        "mujoco": mujoco_sections(stride, params, point.z + slow, n) - mujoco_sections(stride, params, point.z, n),
    }
    data = {"fixed_point": point.z, "multipliers": _parts(values), "shape_mode": slow[:BODY] / slow[6], "late": late}
    data |= {f"amplitude_{engine}": rows @ read / (slow @ read) for engine, rows in decay.items()}
    data |= {f"shape_{engine}": rows[late, :BODY] / rows[late, 6] for engine, rows in decay.items()}
    data["factor_mujoco"] = np.abs(data["amplitude_mujoco"][-1]) ** (1.0 / n)  # mean, of half a stride
    data["cosine_mujoco"] = _cosine(data["shape_mujoco"], data["shape_mode"])
    if variational:
        flowed = stride.by_derivatives(orbit.derivatives_of(), point.z, half=True)
        data["variational"] = _parts(sections.multipliers(flowed))
    return {name: np.asarray(numbers) for name, numbers in data.items()}


def _cosine(one, other) -> float:
    """Return the cosine of the angle between two directions."""
    return one @ other / (np.linalg.norm(one) * np.linalg.norm(other))


def _parts(values) -> np.ndarray:
    return np.stack([values.real, values.imag], axis=1)


def draw(data, figure):
    figure.set_size_inches(13, 4.2)
    axes = figure.subplots(1, 3)
    angle = np.linspace(0.0, 2 * np.pi, 200)
    axes[0].plot(np.cos(angle), np.sin(angle), color="0.7", linewidth=0.8)
    axes[0].plot(*data["multipliers"].T, "o", markerfacecolor="none", markersize=8, label="differences of the map")
    if "variational" in data:
        axes[0].plot(*data["variational"].T, "kx", markersize=5, label="variational equations")
    axes[0].set(xlabel="real part", ylabel="imaginary part", aspect="equal", ylim=(-1.1, 1.6))
    axes[0].set(title="multipliers of half a stride", yticks=(-1, -0.5, 0, 0.5, 1))
    axes[0].legend(loc="upper left", fontsize=8)
    k = np.arange(len(data["amplitude_exact"]))
    axes[1].semilogy(k, np.abs(data["multipliers"][0, 0]) ** k, "k:", linewidth=1, label="largest multiplier")
    for engine, label, style in (("exact", "exact", "C0o-"), ("mujoco", "MuJoCo", "C1s--")):
        axes[1].semilogy(k, np.abs(data[f"amplitude_{engine}"]), style, markersize=4, linewidth=1, label=label)
    axes[1].set(xlabel="half strides", ylabel="slow mode, relative", title="decay of the slowest mode")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    axes[1].legend()
    place, width = np.arange(BODY), 0.27
    for i, (name, label, colour) in enumerate(
        (("mode", "eigenvector", "0.6"), ("exact", "exact", "C0"), ("mujoco", "MuJoCo", "C1"))
    ):
        axes[2].bar(place + (i - 1) * width, data[f"shape_{name}"], width, label=label, color=colour)
    axes[2].set_xticks(place, LABELS, rotation=45)
    axes[2].axhline(0.0, color="0.5", linewidth=0.8)
    axes[2].set(ylabel="body, relative to the pitch rate", title=f"its shape after {data['late']} half strides")
    axes[2].legend()
