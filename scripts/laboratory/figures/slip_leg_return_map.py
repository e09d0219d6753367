"""The articulated leg's apex return map at constant energy, with fixed point, multipliers and apex law.

Runtime: a few seconds, once the model is compiled.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.hybrid import sections
from tarsus.analytic.models.slip_leg import com_state
from tarsus.controllers.slip import SlipControl
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.slip_leg import apex_of, machine

HEIGHTS = np.linspace(0.6, 0.7, 21)  # of the apex [m]
GAINS = (0.0, 0.45, 0.9)  # of the apex law [rad/m]
RTOL, ATOL = 1e-6, 1e-6  # derivatives are differences: another processor moves them by 4e-11


def mapping(control: SlipControl, energy: bool = False):
    """Return the map from one apex to the next: of (height, speed), or with constant `energy` of the height alone."""
    experiment, sim = machine().experiment(gains=control), runners.simulator(machine())
    specific = 0.5 * control.speed**2 + experiment.params.g * control.apex_height

    def lift(z):
        speed = np.sqrt(2 * (specific - experiment.params.g * z[0])) if energy else z[1]
        return apex_of(experiment.params, control, z[0], speed), None

    def project(x, d):
        com = np.empty(4)
        com_state(x, sim.start.model.p0, com)
        return np.array([com[1]]) if energy else com[[1, 2]]

    return sections.return_map(sim, "apex", lift, project, machine().numbers(experiment), rtol=1e-11)


def compute() -> dict[str, np.ndarray]:
    """Return the map at constant energy, its fixed point and slope, and the multipliers in height and speed."""
    data = {"height": HEIGHTS}
    for gain in GAINS:
        control = SlipControl(apex_gain=gain)
        at = mapping(control, energy=True)
        found = sections.fixed_point(at, [0.62], tol=1e-8)
        data[f"map_{gain}"] = np.array([at([height])[0] for height in HEIGHTS])
        data[f"fixed_{gain}"] = np.array([found.z[0], found.jacobian[0, 0], found.residual < 1e-8])
        point = np.array([found.z[0], np.sqrt(2.5**2 + 2 * 9.81 * (0.62 - found.z[0]))])
        data[f"multipliers_{gain}"] = np.real(sections.multipliers(sections.derivative(mapping(control), point)))
    step = 1e-3
    turned = [mapping(SlipControl(angle_of_attack=1.3648113659 + s * step), energy=True)([0.62])[0] for s in (-1, 1)]
    data["slope_angle"] = np.array((turned[1] - turned[0]) / (2 * step))  # [m/rad]
    return data


def draw(data, figure):
    figure.set_size_inches(7, 6)
    axis = figure.subplots()
    axis.plot(HEIGHTS, HEIGHTS, color="0.7", linewidth=1)
    for gain in GAINS:
        fixed, slope, _ = data[f"fixed_{gain}"]
        label = f"apex law {gain} rad/m: slope {slope:+.3f} at {fixed:.4f} m"
        (line,) = axis.plot(HEIGHTS, data[f"map_{gain}"], ".-", label=label)
        axis.plot(fixed, fixed, "o", color=line.get_color(), markersize=8)
    axis.set(xlabel="apex height [m]", ylabel="next apex height [m]", title="Energy of 0.62 m and 2.5 m/s")
    axis.legend()
