"""What RHex's walks measure: speed, power and feet of a gait on a robot, in either engine.

Runs are those of the numbers that others published or that the two engines are compared by: from rest, means over
whole strides after `SETTLE` seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid import Result, Simulator
from tarsus.analytic.hybrid import compile as compiled
from tarsus.analytic.models.hexapod import HexapodParams, hybrid, orbit
from tarsus.analytic.models.hexapod.rhex import MOTORS
from tarsus.analytic.terrain import Flat, Slope
from tarsus.controllers.clock_gaits import RHEX_FOUND
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.scripts.library.machines.hexapod import HEXAPOD, PlatelessExperiment
from tarsus.scripts.library.machines.hexapod_experiment import Start
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.records import summary
from tarsus.scripts.library.records.electric import Electric, powers

SECONDS, SETTLE = 6.0, 2.0  # of a run, and what of it is left out [s]
RUN_UP, SETTLED = 14, 60  # strides of a run-up, and those in which the gait after it settles
ENGINES = ("exact", "MuJoCo")
MOMENT = 1e-7  # behind a tick of the clock [s]


@dataclass(frozen=True)
class RhexWalk:
    """A gait of a robot on a plane.

    Attributes:
        gait: The gait.
        params: The robot.
        slope: Rise along the robot's way, as an angle [rad].
        seconds: Of the run.
        begin: Where it starts, at mid-stance of the first tripod; at rest if None.
    """

    gait: TripodGait
    params: HexapodParams
    slope: float = 0.0
    seconds: float = SECONDS
    begin: Start | None = None

    @property
    def experiment(self) -> PlatelessExperiment:
        """What is run; the body touches nothing, as in the exact engine."""
        ground = Slope(0.0, float(np.tan(self.slope))) if self.slope else Flat()
        return PlatelessExperiment(self.params, self.gait, ground, "reference", self.begin)


@dataclass(frozen=True)
class WalkNumbers:
    """What a run shows; means over whole strides, in SI units."""

    status: str
    speed: float
    yaw_rate: float
    height: float  # mean above the ground
    bounce: float  # of the height, peak to peak
    cot: float  # positive work of the hips
    electric: Electric
    drive_loss: float  # of the real robot's drive, were it added if the robot has none
    peak_torque: float
    peak_current: float
    peak_voltage: float
    slide: float  # of a foot per stride
    duty: float  # share of the time that a foot is on the ground
    aloft: float  # share of the time that none is
    saturated: float  # share of time and legs at the motor's limit

    @property
    def walks(self) -> bool:
        """Whether the robot was on its legs at the end."""
        return self.status == RunStatus.COMPLETED.value

    @property
    def resistance(self) -> float:
        """Specific resistance at the motors' terminals."""
        return self.electric.drawn / (self.electric.carried or np.nan)

    @property
    def with_drive(self) -> float:
        """The same with what the drive loses besides."""
        return (self.electric.drawn + self.drive_loss) / (self.electric.carried or np.nan)


def stride_near(sim: Simulator, params: HexapodParams, gait: TripodGait, x: np.ndarray) -> orbit.StrideMap:
    """Return the stride map of a gait about a state (52,) at the section: for gaits that no start from rest reaches.

    Args:
        sim: The compiled hexapod on flat ground.
        params: The robot.
        gait: The gait.
        x: About where the gait passes the section, in its heading frame.
    """
    model = hybrid.build(params, Flat(), "open-loop", gait=gait)
    p = dict(zip(model.param_names, model.p0, strict=True))
    t0 = gait.cycle_time + gait.slow_end
    r = sim.run(x, None, p, t0=t0, final_time=t0 + MOMENT, record_period=None)  # finds the toes' and the clock's modes
    return orbit.StrideMap(sim, p, gait, t0, r.chart_end, orbit.in_heading_frame(r.x_end), r.d_end)


def settled_after_run_up(gait: TripodGait, params: HexapodParams) -> orbit.StrideMap:
    """Return the stride map of a gait that no start from rest reaches, about where it has settled after a run-up.

    The run-up is `rhex-fast`, in the exact engine; from one tick of its clock on the robot has the other gait.
    """
    sim = compiled(hybrid.build(params, Flat(), "open-loop"))
    fast = orbit.settle(sim, params, RHEX_FOUND["rhex-fast"], RUN_UP)
    near = stride_near(sim, params, gait, fast.x0)
    r = _run(near, near.t0 + SETTLED * gait.cycle_time)
    return stride_near(sim, params, gait, orbit.in_heading_frame(r.x_end))


def after_run_up(gait: TripodGait, params: HexapodParams) -> RhexWalk:
    """Return the walk of such a gait, from the mid-stance after a section."""
    stride = settled_after_run_up(gait, params)
    cycle = stride.gait.cycle_time
    x = orbit.in_heading_frame(_run(stride, np.ceil(stride.t0 / cycle) * cycle).x_end)
    return RhexWalk(gait, params, begin=Start(*from_exact(params, x)))


def _run(stride: orbit.StrideMap, final_time: float) -> Result:
    how = {"chart": stride.chart, "t0": stride.t0, "record_period": None}
    return stride.sim.run(stride.x0, stride.d0, stride.p, final_time=final_time, **how)


def measure(walk: RhexWalk, engine: str) -> WalkNumbers:
    """Return the measures of a walk in one of `ENGINES`."""
    run = (
        HEXAPOD.exact(walk.experiment, walk.seconds)
        if engine == "exact"
        else HEXAPOD.mujoco(walk.experiment, walk.seconds, fine=False)
    )
    return numbers_of(run.record, walk.params)


def numbers_of(record: xr.Dataset, params: HexapodParams) -> WalkNumbers:
    """Return the measures of a record, over whole strides after `SETTLE` seconds."""
    found = summary.summarise(record, SETTLE)
    inside = found.window.holds(record)
    current, voltage = record["motor_current"].values, record["motor_voltage"].values
    real = replace(params.motor, drive_resist=MOTORS["drive"]["drive_resist"])
    lost = powers(real, current[inside], voltage[inside])["drive_loss"].mean()
    return WalkNumbers(
        status=found.status,
        speed=found.speed,
        yaw_rate=found.yaw_rate,
        height=found.height,
        bounce=float(np.ptp(summary.height(record)[inside])),
        cot=found.cot_positive,
        electric=found.electric,
        drive_loss=float(lost),
        peak_torque=float(np.abs(record["hip_torque"].values[inside]).max()),
        peak_current=float(np.abs(current[inside]).max()),
        peak_voltage=float(np.abs(voltage[inside]).max()),
        slide=float(np.mean(found.foot_slip)),
        duty=float(np.mean(found.duty_factor)),
        aloft=float(np.mean(~record["foot_contact"].values[inside].any(axis=1))),
        saturated=found.saturated,
    )
