"""Feedback of a gait once a stride: what is left of a disturbance decides the gait of the next one.

The section is that of `orbit`, a tick of the clock; the controls are numbers of the gait. One of them, the time of the
legs' fast phase, moves the next tick: a robot that was thrown up lands later, and its legs are to be there then. The
section is still the tick, whenever it comes, so every stride begins at one time of the clock (`tick_memory`). A robot
does not know its toes' states, but nine numbers of its body: height, tilt, velocity, angular velocity in its heading
frame (`body_numbers`). They are the first nine coordinates of the section.

Source: the equations of `analytic.hybrid.feedback`; symmetric gaits as in `orbit`.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import Result, Status, feedback, sections
from tarsus.analytic.models.hexapod.orbit import BODY, StrideMap, in_heading_frame, mirrored
from tarsus.analytic.models.hexapod.parameters import N_LEGS
from tarsus.analytic.models.hexapod.state import SCALE

CONTROLS = (
    *("leg_offset", "sweep_angle", "rear_lean", "front_lean", "offset_difference", "sweep_difference"),
    "flight_time",  # of the fast phase; the cycle is longer by as much
)
LARGE = np.array([0.05, 0.1, 0.05, 0.05, 0.05, 0.1, 0.01])  # a large step of each [rad], of the last [s]
STEP = 2e-4  # of the differences, in large steps
N_BODY = len(BODY)
EFFORT, PRICE = 0.1, 0.23  # of LQR's controls, in large steps; of a gain's difference from LQR's
TOLERANCES = {"rtol": 1e-6, "atol": 1e-6 * SCALE}  # of walks; those of derivatives are finer
CLOSE = 1e-7  # of a fixed point, in scaled numbers


def body_numbers(x: np.ndarray) -> np.ndarray:
    """Return the nine numbers of the body, scaled as coordinates are, shape (9,), of a state (52,) or its first 13."""
    whole = np.zeros(SCALE.size)
    whole[: len(x)] = x
    return (in_heading_frame(whole) / SCALE)[BODY]


def refuse_phases(gait: TripodGait) -> None:
    """Raise a ValueError if the gait's legs have different phases."""
    if np.ptp(gait.clock().phase) > 0.0:
        raise ValueError("all legs must have one phase: a cycle that changes would throw others out of step")


def stride_with(stride: StrideMap, u: np.ndarray, x, d, chart: int, **settings) -> Result:
    """Return the run of a stride with controls u (7,) [rad, s], which are added to the gait's.

    Args:
        stride: The gait, whose legs have one phase.
        u: In the order of `CONTROLS`.
        x: State at the section, at `stride.t0`; as the memory `d` and the chart.
        d: Memory, see `tick_memory`.
        chart: Chart.
        **settings: Of the run.
    """
    params = stride.p | {name: stride.p[name] + value for name, value in zip(CONTROLS, u, strict=True)}
    longer = params["flight_time"] - stride.p["flight_time"]
    params["cycle_time"] = stride.p["cycle_time"] + longer
    released, turn = _times(stride)
    later = d[turn[0]] * longer  # the tick follows its mid-stance as ever, and this the cycles before it
    d = np.array(d)
    d[released] += later
    begin, end = stride.t0 + later, stride.t0 + later + 2.0 * params["cycle_time"]
    how = stride.start(False) | {"t0": begin, "chart": chart, "final_time": end} | settings
    return sections.return_to(stride.sim, stride.section(False), x, d, params, **how)


def tick_memory(stride: StrideMap, r: Result) -> np.ndarray:
    """Return the memory at the end of a stride as of a cycle earlier: the next stride begins at `stride.t0` again."""
    released, turn = _times(stride)
    d = r.d_end.copy()
    d[released] -= r.t_end - stride.t0
    d[turn] = stride.d0[turn]
    return d


def _times(stride: StrideMap) -> tuple[list[int], list[int]]:
    """Return the slices of the memory that hold times of the toes' last releases, and the legs' turns."""
    names = stride.sim.model.memory_names
    return tuple([names.index(f"{what}{leg}") for leg in range(N_LEGS)] for what in ("released", "turn"))


def differences(stride: StrideMap, z: np.ndarray) -> feedback.SectionModel:
    """Return A and B about coordinates z (m,) by central differences.

    Where feet land within a step of one another they change with it: the map has kinks there.
    """
    return feedback.from_differences(lambda z, u: _period(stride, z, u), z, CONTROLS, LARGE, STEP)


def _period(stride: StrideMap, z: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the coordinates (m,) a stride with controls u (7,) later, as of `stride_with`; NaN if the robot falls."""
    r = stride_with(stride, u, stride.lift(z), stride.d0, stride.chart, rtol=1e-9, atol=1e-9 * SCALE)
    return stride.project(r.x_end) if r.status is Status.STOPPED else np.full(z.shape, np.nan)


def linear_model(stride: StrideMap, *, newton: int = 6) -> feedback.SectionModel:
    """Return the linear model of a gait with equal sides, about its fixed point.

    A and B are differences near the settled gait. Newton's steps with them, each made symmetric, lead to the fixed
    point; where they become slow, A and B are made anew. (Derivatives of a whole stride cost more here: 44 differences
    take ten seconds.)

    Args:
        stride: The settled gait, or one on the way there.
        newton: How often A and B are made.

    Raises:
        ValueError: If the legs have different phases, the robot falls, or the steps do not lead to a fixed point.
    """
    refuse_phases(stride.gait)
    z, none, mirror = stride.z0, np.zeros(len(CONTROLS)), _mirror(stride)
    off, near = _period(stride, z, none) - z, False
    for _ in range(newton):
        made = differences(stride, z)
        if near:
            return feedback.SectionModel(made.a, made.b, 0.5 * (z + mirror @ z), CONTROLS, LARGE)
        inverse, before = np.linalg.inv(np.eye(len(z)) - made.a), np.inf
        while CLOSE < np.abs(off).max() < 0.5 * before:
            before = np.abs(off).max()
            step = inverse @ off
            z = z + 0.5 * (step + mirror @ step)
            off = _period(stride, z, none) - z
        near = np.abs(off).max() <= CLOSE
    raise ValueError(f"the gait is no fixed point: A and B were made {newton} times, it is {np.abs(off).max():.1e} off")


def body_feedback(model: feedback.SectionModel, limit: float, starts: int = 1) -> feedback.Feedback:
    """Return the feedback from the body's nine numbers: LQR's, with smaller multipliers as far as it is not far away.

    A gain far from LQR's, which is blind to the toes, has smaller multipliers, and holds fewer large pushes.

    Args:
        model: The linear model.
        limit: Of a control, in large steps.
        starts: From how many gains to begin, as in `feedback.output_feedback`.
    """
    m = len(model.z)
    weights = np.diag(np.concatenate([np.ones(N_BODY), np.full(m - N_BODY, 1e-3)]))  # toes matter by what they do
    first = feedback.lqr(model, weights, EFFORT * np.eye(len(CONTROLS))).gain[:, :N_BODY]
    return feedback.output_feedback(
        model, np.eye(m)[:N_BODY], gain=first, about=first, price=PRICE, starts=starts, limit=limit
    )


def walk(stride: StrideMap, law: feedback.Feedback, z: np.ndarray, n_strides: int, **settings) -> np.ndarray:
    """Return the coordinates at the sections of a held walk, shape (n_strides + 1, m); NaN from where the robot falls.

    Between sections the whole state goes on: far from the gait toes stand or slide that do not on it.

    Args:
        stride: The gait.
        law: Its feedback.
        z: Coordinates at the beginning, shape (m,).
        n_strides: Strides.
        **settings: Of the runs.
    """
    rows, target = np.full((n_strides + 1, len(z)), np.nan), law.model.z[:N_BODY]
    if not np.isfinite(z).all():
        return rows
    rows[0], x, d, chart = z, stride.lift(z), stride.d0, stride.chart
    for row in rows[1:]:
        u = law.of_measured(body_numbers(x) - target)
        r = stride_with(stride, u, x, d, chart, **settings)
        if r.status is not Status.STOPPED:
            break
        x, d, chart = r.x_end, tick_memory(stride, r), r.chart_end
        row[:] = stride.project(x)
    return rows


def _mirror(stride: StrideMap) -> np.ndarray:
    """Return the reflection of coordinates, shape (m, m)."""
    free, columns = stride.free, []
    for i in free:
        x = np.zeros(SCALE.size)
        x[i] = SCALE[i]
        columns.append((mirrored(x) / SCALE)[free])
    return np.stack(columns, axis=1)
