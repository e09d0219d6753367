"""What a gait of the hexapod is worth: how it walks in the exact engine, and whether it is stable in both.

A gait is stable if MuJoCo walks it from rest too and as fast, `tarsus stability` calls its orbit in the exact engine
stable, and the orbit is come back to after four pushes of `PUSH`.
"""

from dataclasses import dataclass

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import N_LEGS, HexapodParams, hybrid
from tarsus.analytic.models.hexapod.orbit import heading, moved
from tarsus.analytic.models.hexapod.outputs import BODY, LEG_OUTPUTS
from tarsus.analytic.models.hexapod.state import SCALE, VELOCITY
from tarsus.analytic.terrain import Flat
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import simulate
from tarsus.scripts.library.machines.outcome import SAMPLE_PERIOD, RunStatus
from tarsus.scripts.library.records import summary
from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.result import Stability
from tarsus.scripts.library.stability.verdict import Kind

SECONDS = 4.0  # of walking from rest
VARIATION = 0.01  # of the last strides' lengths, relative
JUDGED = 1.5  # seconds of last strides
PUSH = 0.2  # change of the body's velocity [m/s]
DIRECTIONS = tuple(0.5 * np.pi * k for k in range(4))  # from ahead towards left [rad]
AGREEMENT = 0.02  # of the engines' speeds
STARTS = 16  # starts that are not quite at rest
START_VELOCITY = 0.01  # of the body in them, standard deviation along each axis [m/s]
SETTINGS = {"rtol": exact.RTOL, "atol": exact.RTOL * SCALE}


@dataclass(frozen=True)
class ExactWalk:
    """How the exact robot walks a gait from rest."""

    lasted: float  # share of the time on its legs
    speed: float  # of the last strides, forward [m/s]
    variation: float  # of their lengths, relative
    resistance: float = np.inf  # specific, electric: power drawn over weight and speed
    aloft: float = 0.0  # share of the time with no foot on the ground

    @property
    def steady(self) -> bool:
        """Whether it walks on and on, every stride like the last."""
        return self.lasted == 1.0 and self.variation < VARIATION

    @property
    def penalty(self) -> float:
        """What a gait that does not walk costs a search: more the sooner the robot falls."""
        return 1.0 - 0.5 * self.lasted + 0.1 * min(self.variation, 1.0)


def walk(
    sim: hy.Simulator, params: HexapodParams, gait: TripodGait, velocity=(0.0, 0.0, 0.0), electric: bool = False
) -> tuple[ExactWalk, hy.Result]:
    """Return the walk of a gait, from that velocity of the body [m/s], and the result with rows at the strides' ends.

    If `electric`, resistance and how long the robot flies are found, from rows a `SAMPLE_PERIOD` apart.
    """
    model = hybrid.build(params, Flat(), "open-loop", gait=gait)
    x0 = model.x0.copy()
    x0[VELOCITY : VELOCITY + 3] += velocity
    p = dict(zip(model.param_names, model.p0, strict=True))
    period = gait.cycle_time
    n = int(np.ceil(SECONDS / period))
    rows = int(np.ceil(period / SAMPLE_PERIOD)) if electric else 1
    r = sim.run(x0, None, p, final_time=n * period, record_period=period / rows, **SETTINGS)
    if r.status is not hy.Status.FINAL_TIME:
        return ExactWalk(min(r.t_end / (n * period), 0.999), 0.0, 1.0), r
    judged = max(3, int(np.ceil(JUDGED / period)))
    once = np.concatenate([[True], np.diff(r.t) > 0])  # a period's end that is an event has two rows
    x, aux = r.x[once], r.aux[once]
    strides = ways(x[::rows][-1 - judged :])
    speed, variation = strides.mean() / period, np.ptp(strides) / max(np.abs(strides).max(), 1e-9)
    if not electric:
        return ExactWalk(1.0, float(speed), float(variation)), r
    legs = aux[-judged * rows :, len(BODY) :].reshape(-1, N_LEGS, len(LEG_OUTPUTS))
    outputs = dict(zip(LEG_OUTPUTS, np.moveaxis(legs, -1, 0), strict=True))
    power = np.maximum(outputs["current"] * outputs["voltage"], 0.0).sum(axis=-1).mean()
    aloft = np.all(outputs["force_z"] == 0.0, axis=-1).mean()
    resistance = power / (params.total_mass * params.g * speed) if speed > 0 else np.inf
    return ExactWalk(1.0, float(speed), float(variation), float(resistance), float(aloft)), r


def ways(x) -> np.ndarray:
    """Return the forward way of every stride, from states (n + 1, 52) at strides' ends, shape (n,) [m]."""
    return np.array([moved(b - np.pad(a[:2], (0, 50)), (0, 0), -heading(a))[1] for a, b in zip(x, x[1:], strict=False)])


def starts(sim: hy.Simulator, params: HexapodParams, gait: TripodGait) -> int:
    """Return from how many of `STARTS` starts, at rest but for a small random velocity, the robot walks the gait."""
    velocities = np.random.default_rng(0).normal(scale=START_VELOCITY, size=(STARTS, 3))
    return sum(walk(sim, params, gait, velocity)[0].steady for velocity in velocities)


@dataclass(frozen=True)
class Proof:
    """What else is known of a gait."""

    gait: TripodGait
    exact: summary.Summary
    mujoco: summary.Summary
    started: int  # of `STARTS`, in the exact engine
    stability: Stability  # of the exact engine's orbit
    survived: int  # of four pushes of it

    @property
    def stable(self) -> bool:
        walks = self.exact.status == self.mujoco.status == RunStatus.COMPLETED.value
        same = abs(self.mujoco.speed / self.exact.speed - 1) < AGREEMENT
        return walks and same and self.survived == len(DIRECTIONS) and self.stability.verdict == Kind.STABLE.value


def follows(params: HexapodParams, gait: TripodGait, speed: float) -> bool:
    """Return whether MuJoCo walks a gait from rest with the exact engine's speed [m/s] too: the quickest refutation."""
    run = simulate(HexapodExperiment(params, gait, Flat()), SECONDS + JUDGED, progress=False)
    return run.completed and abs(summary.summarise(run.record).speed / speed - 1) < AGREEMENT


def prove(sim: hy.Simulator, params: HexapodParams, gait: TripodGait) -> Proof | None:
    """Return the answer of `tarsus stability` on a gait that walks from rest, and the numbers of both engines.

    None if it is no gait that repeats.
    """
    from tarsus.scripts.library.stability import gaits, pushes, single  # slow to import

    experiment = HexapodExperiment(params, gait, Flat())
    try:
        orbit = gaits.hexapod(params, gait)
    except ValueError:
        return None
    pushed = pushes.PushedGait(orbit)
    survived = sum(pushed(Trial(direction, 0.0, PUSH, 0)) for direction in DIRECTIONS)
    runs = exact.simulate(experiment, SECONDS + JUDGED), simulate(experiment, SECONDS + JUDGED, progress=False)
    numbers = (summary.summarise(made.record) for made in runs)
    return Proof(gait, *numbers, starts(sim, params, gait), single.asked(orbit, orbit.name), survived)


def table(proof: Proof, walked: int, converged: bool) -> str:
    """Return the page's table of the best of so many gaits, Markdown."""
    rows = [
        ["mean speed [m/s]", *(f"{s.speed:.4f}" for s in (proof.exact, proof.mujoco))],
        ["cost of transport, positive work", *(f"{s.cot_positive:.3f}" for s in (proof.exact, proof.mujoco))],
        ["cost of transport, electrical", *(f"{s.cot_electrical:.3f}" for s in (proof.exact, proof.mujoco))],
        ["at the motors' limit", *(f"{100 * s.saturated:.0f} %" for s in (proof.exact, proof.mujoco))],
        ["duty factor, mean of the legs", *(f"{s.duty_factor.mean():.2f}" for s in (proof.exact, proof.mujoco))],
        [f"pushes of {PUSH} m/s survived, of four", str(proof.survived), ""],
        [f"starts at {START_VELOCITY:g} m/s from rest that walk, of {STARTS}", str(proof.started), ""],
        ["largest multiplier of a stride", f"{proof.stability.largest[0]:.3f}", ""],
    ]
    gait = proof.gait
    title = (
        f"t_c {gait.cycle_time:.4f} s, duty {gait.slow_time / gait.cycle_time:.4f}, phi_s {gait.sweep_angle:.4f} rad, "
        f"phi_o {gait.leg_offset:+.4f} rad; the fastest stable one of {walked} gaits tried "
        f"({'the search converged' if converged else 'the search was ended before it converged'})."
    )
    return title + "\n\n" + stamp.markdown_table(["", "exact", "MuJoCo, reference"], rows)
