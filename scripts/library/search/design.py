"""Design by gradient: the hexapod's gait and SLIP's spring, by SciPy's optimisers over exact derivatives.

Usage: python -m tarsus.design
Runtime: about 5 min of processor time, one of which compiles the hexapod with its derivatives the first time.

What a design costs is counted in strides run, those with derivatives apart: `Count`.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import OptimizeResult, least_squares, minimize

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TURN, TripodGait
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.hybrid.derived_map import DerivedMap
from tarsus.analytic.hybrid.sections import Convergence
from tarsus.analytic.models import slip
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.models.hexapod.orbit import SECTION, derivatives_of, in_heading_frame
from tarsus.analytic.models.hexapod.state import SCALE
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.hexapod_state import from_exact
from tarsus.scripts.library.machines import hexapod_exact, hexapod_mujoco
from tarsus.scripts.library.machines.hexapod import HexapodExperiment, Start
from tarsus.scripts.library.records import summary

RANGES = {"cycle_time": (0.2, 1.2), "duty": (0.3, 0.8), "sweep_angle": (0.2, 2.0), "leg_offset": (-0.6, 0.6)}
SETTINGS = {"rtol": 1e-6, "atol": 1e-6 * SCALE}
FROM_REST = 4.0  # seconds of the first walk
SETTLING = 8  # strides from the orbit of another gait before the derivatives begin
JUDGED = 2  # strides with derivatives; the last one is measured
STEEP = 4.0  # of the parabola that leads back from a gait that falls


@dataclass
class Count:
    """Strides run by a design."""

    plain: int = 0
    derived: int = 0  # with derivatives


def moves(gait: TripodGait) -> dict[str, dict[str, float]]:
    """Return the derivatives of the engine's parameters by cycle time, duty, sweep and offset of a gait."""
    duty = gait.slow_time / gait.cycle_time
    return {
        "cycle_time": {"cycle_time": 1.0, "flight_time": 1.0 - duty},
        "duty": {"flight_time": -gait.cycle_time},
        "sweep_angle": {"sweep_angle": 1.0},
        "leg_offset": {"leg_offset": 1.0},
    }


@dataclass
class FastGait:
    """The negative speed of the hexapod's gait [m/s] and its gradient, as a function of its place in the ranges.

    It walks on from the orbit of the fastest gait so far. A gait that falls, or whose derivative does not exist, is
    answered by a parabola about that gait, so that a line search shortens its step.
    """

    params: HexapodParams
    settling: int = SETTLING
    sim: hy.Simulator = field(init=False)
    derivatives: Derivatives = field(init=False)
    count: Count = field(default_factory=Count)
    best: tuple | None = None  # (unit (4,), speed, start)

    def __post_init__(self) -> None:
        self.derivatives = derivatives_of(self.params)
        model = self.derivatives.model
        self.sim = hy.compile(model)
        self.turns = [i for i, name in enumerate(model.memory_names) if name.startswith("turn")]
        self.times = [i for i, name in enumerate(model.memory_names) if name.startswith("released")]

    @property
    def bounds(self) -> np.ndarray:
        """Least and greatest value of each number, shape (4, 2); a hip turns at nine tenths of its no-load speed."""
        bounds = np.array(list(RANGES.values()))
        bounds[0, 0] = max(bounds[0, 0], TURN / (0.9 * self.params.motor.no_load_speed))
        return bounds

    def unit(self, gait: TripodGait) -> np.ndarray:
        """Return a gait's place in the ranges, from 0 to 1 each, shape (4,)."""
        values = gait.cycle_time, gait.slow_time / gait.cycle_time, gait.sweep_angle, gait.leg_offset
        return (np.array(values) - self.bounds[:, 0]) / np.ptp(self.bounds, axis=1)

    def gait(self, unit: np.ndarray) -> TripodGait:
        """Return the gait of a place in the ranges."""
        cycle_time, duty, sweep, offset = (self.bounds[:, 0] + unit * np.ptp(self.bounds, axis=1)).tolist()
        return TripodGait(cycle_time, duty * cycle_time, sweep, offset)

    def __call__(self, unit: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the negative speed and its gradient at a place in the ranges."""
        gait = self.gait(unit)
        model = hybrid.build(self.params, Flat(), "open-loop", gait=gait)
        start = self._settled(gait, model)
        made = None if start is None else self._speed(gait, model, start)
        if made is None:
            if self.best is None:
                raise ValueError(f"the robot cannot walk the initial gait {gait}: begin with one that it can walk")
            away = unit - self.best[0]
            return STEEP * away @ away - self.best[1], 2.0 * STEEP * away
        speed, by = made
        if self.best is None or speed > self.best[1]:
            self.best = unit.copy(), speed, start
        return -speed, -by * np.ptp(self.bounds, axis=1)

    def _settled(self, gait: TripodGait, model: hy.Model) -> tuple | None:
        """Return state, memory and chart of the settled gait at the clock's start, or None where the robot falls."""
        x, d, chart = (model.x0, None, None) if self.best is None else self.best[2]
        n = int(np.ceil(FROM_REST / gait.cycle_time)) if self.best is None else self.settling
        end = n * gait.cycle_time
        r = self.sim.run(x, d, model.p0, chart=chart, final_time=end, record_period=None, **SETTINGS)
        self.count.plain += n
        if r.status is not hy.Status.FINAL_TIME:
            return None
        d = r.d_end.copy()
        d[self.turns] -= n
        d[self.times] -= end
        return in_heading_frame(r.x_end), d, r.chart_end

    def _speed(self, gait: TripodGait, model: hy.Model, start: tuple) -> tuple[float, np.ndarray] | None:
        """Return the speed of the last stride and its derivatives (4,), or None where they do not exist."""
        x, d, chart = start
        run = self.derivatives.run(
            moves(gait), x, d, model.p0, chart=chart, stop_at=SECTION, stop_count=1 + 2 * JUDGED,
            final_time=(JUDGED + 2) * gait.cycle_time, **SETTINGS,
        )  # fmt: skip
        self.count.derived += JUDGED + 1
        if run.existence is not Existence.EXISTS:
            return None
        begin, end = run.at(SECTION, -3), run.at(SECTION, -1)  # a leg's clock has two kinks in a cycle
        return speed_between(begin, end, gait.cycle_time)


def speed_between(begin, end, cycle_time: float) -> tuple[float, np.ndarray]:
    """Return the speed of a stride between two derived states [m/s], and its derivatives by the gait, shape (4,)."""
    way, by = end.x[:2] - begin.x[:2], end.x_by[:2] - begin.x_by[:2]
    speed = float(np.hypot(*way)) / cycle_time
    by = way @ by / np.hypot(*way) / cycle_time
    by[0] -= speed / cycle_time
    return speed, by


def fastest(task: FastGait, start: TripodGait, iterations: int = 25) -> tuple[TripodGait, float]:
    """Return the fastest gait that L-BFGS-B finds from a start, and its speed [m/s].

    Raises:
        ValueError: If the robot does not walk the start.
    """
    options = {"maxiter": iterations}
    minimize(task, task.unit(start), jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 4, options=options)
    return task.gait(task.best[0]), task.best[1]


RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
ENERGY = 0.5 * 25.0 + 9.81  # of the runner per mass: 5 m/s at 1 m [J/kg]


@dataclass
class Spring:
    """A runner's stiffness and touchdown angle for an orbit of a given apex height [m] and stride [s]."""

    height: float
    duration: float
    mode: str = "auto"
    count: Count = field(default_factory=Count)
    apex: float = 0.97  # where the search for an orbit begins [m]

    def __post_init__(self) -> None:
        self.map = DerivedMap(
            slip.build("fixed", RUNNER), "apex", _lift, lambda x, d, p: x[1:2], 1, ("k", "touchdown_angle"),
            mode=self.mode, settings={"chart": "descent"},
        )  # fmt: skip

    def orbit(self, unit: np.ndarray):
        """Return the orbit of (stiffness over the runner's, angle [rad]), shape (2,).

        Raises:
            ValueError: If there is none near the last one.
        """
        found = self.map.fixed_point([self.apex], {"k": unit[0] * RUNNER.k}, {"touchdown_angle": unit[1]})
        self.count.derived += found.n_maps
        if found.status is not Convergence.CONVERGED:
            raise ValueError(f"no orbit at {unit[0]:.3f} times the stiffness and {unit[1]:.4f} rad: {found.message}")
        self.apex = float(found.z[0])
        return found

    def residuals(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the residuals of height and stride, shape (2,), and their derivatives, shape (2, 2)."""
        found = self.orbit(unit)
        duration, by = found.measure(lambda t, x, d, p: t)
        scale = np.array([RUNNER.k, 1.0])
        missed = np.array([found.z[0] - self.height, duration - self.duration])
        return missed, np.stack([found.by[0], by]) * scale

    def tune(self, start=(1.0, 0.4)) -> OptimizeResult:
        """Return SciPy's answer from a start."""
        last: dict = {}

        def once(unit):
            if last.get("at") != unit.tobytes():
                last.update(at=unit.tobytes(), made=self.residuals(unit))
            return last["made"]

        return least_squares(lambda u: once(u)[0], np.array(start), jac=lambda u: once(u)[1], xtol=1e-12, gtol=1e-12)


def _lift(z, d, p):
    return np.array([0.0, z[0], np.sqrt(2.0 * (ENERGY - p[slip.P.g_flight] * z[0])), 0.0]), d


def confirm(task: FastGait, seconds: float = 4.0) -> tuple[summary.Summary, summary.Summary]:
    """Return the walks of the exact engine and MuJoCo with the fastest gait, from where its derivatives began."""
    begin = Start(*from_exact(task.params, task.best[2][0]))
    experiment = HexapodExperiment(task.params, task.gait(task.best[0]), Flat(), "reference", begin)
    runs = hexapod_exact.simulate(experiment, seconds), hexapod_mujoco.simulate(experiment, seconds, progress=False)
    return summary.summarise(runs[0].record), summary.summarise(runs[1].record)


def main() -> int:
    """Tune both and print what it took."""
    spring = Spring(0.96, 0.35)
    made = spring.tune()
    print(f"SLIP: k {made.x[0] * RUNNER.k:.6g} N/m, {np.degrees(made.x[1]):.5f} degrees")
    print(f"missed by {np.abs(made.fun).max():.1e} after {spring.count.derived} strides with derivatives")
    task = FastGait(HexapodParams())
    gait, speed = fastest(task, TripodGait())
    print(f"hexapod: {speed:.4f} m/s at {gait}")
    print(f"{task.count.plain} strides and {task.count.derived} with derivatives")
    for engine, walked in zip(("exact", "MuJoCo"), confirm(task), strict=True):
        print(f"{engine}: {walked.status}, {walked.speed:.4f} m/s, stance {walked.duty_factor.mean():.2f}")
    return 0
