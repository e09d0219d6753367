"""The gait of the hopping leg: its limit cycle at each commanded speed, and how a disturbed apex recovers.

Runtime: ten seconds, once the model is compiled.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as model
from tarsus.analytic.models.hopping_leg import HoppingLegParams, hip_height, places
from tarsus.analytic.models.hopping_leg_mechanics import numbers
from tarsus.controllers.raibert import raibert
from tarsus.controllers.raibert_laws import RaibertGains

SPEEDS = (-0.5, 0.0, 0.5, 1.0, 1.5)  # commanded [m/s]
SETTLED = 100  # hops before the one that is drawn
HOPS = 15  # after a disturbance
RAISED = 0.005  # the disturbance, of the hip at an apex [m]
PHASE = np.linspace(0.0, 1.0, 201)  # of the hop, from touchdown to touchdown
PARAMS = HoppingLegParams()
TERMS = ("F_Y", "F_Z", "u_hip", "u_knee")
RTOL, ATOL = 1e-6, 1e-5  # another processor moves forces and torques by 1e-8 N and N m, places by 3e-12 m


def compute() -> dict[str, np.ndarray]:
    """Return, for each speed, a hop at equal phases, and the apex errors after a disturbance."""
    sim = hy.compile(model.build(raibert()))
    hops = [_hop(sim, numbers(PARAMS) | RaibertGains(speed=speed).numbers(PARAMS)) for speed in SPEEDS]
    return {name: np.array([hop[name] for hop in hops]) for name in hops[0]}


def _hop(sim: hy.Simulator, params: dict) -> dict[str, np.ndarray]:
    options = dict(params=params, final_time=60.0, rtol=1e-10)
    before = sim.run(stop_at="touchdown", stop_count=SETTLED, record_period=None, **options)
    start = dict(t0=before.t_end, chart="stance")
    hop = sim.run(before.x_end, before.d_end, stop_at="touchdown", record_period=5e-4, **start, **options)
    period = hop.t_end - before.t_end
    leg = places(PARAMS, hop.x[:, :4]).leg
    phase = (hop.t - before.t_end) / period
    rows = {"hip_z": hip_height(PARAMS, hop.x[:, 1])} | {name: hop.aux[:, model.AUX.index(name)] for name in TERMS}
    rows |= {"foot_y": leg[:, 0], "foot_z": leg[:, 1]}
    keep = np.append(np.diff(phase) > 0, True)
    data = {name: np.interp(PHASE, phase[keep], values[keep]) for name, values in rows.items()}
    data["F_Y"], data["F_Z"] = (np.where(data["F_Z"] > 0, data[name], 0.0) for name in ("F_Y", "F_Z"))
    stance = hop.events.t[hop.events.of("liftoff")][0] - before.t_end
    apexes = sim.run(stop_at="apex", stop_count=SETTLED, record_period=None, **options)
    raised = apexes.x_end - [0, RAISED / np.cos(apexes.x_end[1]), *np.zeros(6)]
    once = dict(stop_at="apex", stop_count=HOPS, t0=apexes.t_end, chart="descent", record_period=None)
    back = sim.run(raised, apexes.d_end, **once, **options)
    heights = hip_height(PARAMS, back.events.x_plus[back.events.of("apex"), 1])
    error = np.concatenate([[RAISED], heights - hip_height(PARAMS, apexes.x_end[1])])
    return data | {"period": np.array(period), "stance_time": np.array(stance), "apex_error": error}


def draw(data, figure):
    from matplotlib import colormaps

    figure.set_size_inches(13, 7)
    axes = figure.subplots(2, 3)
    colors = colormaps["viridis"](np.linspace(0, 0.9, len(SPEEDS)))
    shown = (
        (axes[0, 1], "hip_z", 1e3, "height of the hip [mm]"),
        (axes[1, 0], "F_Z", 1.0, "vertical force [N]"),
        (axes[1, 1], "F_Y", 1.0, "force along the way [N]"),
        (axes[0, 2], "u_knee", 1.0, "torque of the knee [N m]"),
    )
    for k, (speed, color) in enumerate(zip(SPEEDS, colors, strict=True)):
        label = f"{speed:g} m/s: {1e3 * data['period'][k]:.1f} ms, stance {1e3 * data['stance_time'][k]:.1f} ms"
        axes[0, 0].plot(1e3 * data["foot_y"][k], 1e3 * data["foot_z"][k], color=color, label=label)
        for axis, name, scale, _ in shown:
            axis.plot(PHASE, scale * data[name][k], color=color)
        axes[1, 2].semilogy(1e3 * np.abs(data["apex_error"][k]), "o-", ms=3, color=color)
    axes[0, 0].set(xlabel="foot from the hip, forward [mm]", ylabel="up [mm]")
    axes[0, 0].legend(fontsize=7, loc="upper center")
    axes[0, 0].set_ylim(top=axes[0, 0].get_ylim()[1] + 45)
    for axis, _, _, label in shown:
        axis.set(xlabel="share of the hop, from touchdown", ylabel=label, xlim=(0, 1))
    axes[1, 2].set(xlabel="hops after a disturbance", ylabel="error of the apex [mm]")
