"""The hexapod under the clock, for a comparison of the two engines.

In MuJoCo its body's plate touches nothing here: the exact hexapod has none, and a robot that lies on its plate's edge
in one engine and has toppled in the other could not be compared.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import mujoco
import numpy as np

from tarsus.analytic.hybrid import Result
from tarsus.analytic.models.hexapod import N_LEGS, energy
from tarsus.analytic.models.hexapod.layout import Variants
from tarsus.analytic.models.hexapod.state import assemble
from tarsus.mjcf.hexapod_state import start_state, toe_positions
from tarsus.mjcf.presets import find
from tarsus.scripts import arguments
from tarsus.scripts.comparison.machine import Machine, Trial
from tarsus.scripts.runs import exact
from tarsus.scripts.runs.experiment import Experiment, Start
from tarsus.scripts.runs.hexapod_options import add_robot_options, gait_from, params_from, terrain_from
from tarsus.scripts.runs.simulate import SAMPLE_PERIOD, Status, simulate


@dataclass(frozen=True)
class PlatelessExperiment(Experiment):
    """An experiment whose body touches nothing."""

    def model(self) -> mujoco.MjModel:
        """Return the compiled model."""
        model = super().model()
        model.geom("torso").contype[:] = 0
        return model

    def exact_state(self) -> np.ndarray | None:
        """Return the exact engine's state of the start; None is its own start, the same."""
        if self.begin is None:
            return None
        qpos, qvel = self.begin.qpos, self.begin.qvel
        joints, rates = qpos[7:].reshape(N_LEGS, 3), qvel[6:].reshape(N_LEGS, 3)
        return assemble(self.params, qpos[:3], qpos[3:7], joints, qvel[:3], qvel[3:6], rates)


class HexapodMachine(Machine):
    """The compliant hexapod."""

    name = "hexapod"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add gait, ground, robot and start."""
        add_robot_options(parser)
        start = parser.add_argument_group("start; by default at rest")
        start.add_argument(
            "--velocity", nargs=3, type=arguments.finite, metavar=("X", "Y", "Z"), help="of the body [m/s]"
        )
        start.add_argument(
            "--spin", nargs=3, type=arguments.finite, metavar=("X", "Y", "Z"), help="of the body, own axes [rad/s]"
        )
        start.add_argument(
            "--turn", nargs=3, type=arguments.finite, metavar=("X", "Y", "Z"), help="rotation vector [rad]"
        )
        start.add_argument("--lift", type=arguments.finite, default=0.0, help="of the lowest toe above the ground [m]")

    def experiment(self, args: argparse.Namespace) -> PlatelessExperiment:
        """Return what the command line asks for."""
        if args.lift < 0:
            raise ValueError(f"--lift must not be negative, or the lowest toe is underground; got {args.lift:g}")
        find(args.preset)
        params = params_from(args.set)
        gait, ground = gait_from(args, params), terrain_from(args.terrain, params)
        qpos, qvel = start_state(params, ground, gait.clock()(0.0)[0]), np.zeros(6 + 3 * N_LEGS)
        if args.turn is not None:
            mujoco.mju_quatIntegrate(qpos[3:7], np.array(args.turn), 1.0)
        x, y, z = toe_positions(params, qpos).T
        qpos[2] += args.lift - np.min(z - ground.height(x, y))
        qvel[:3], qvel[3:6] = args.velocity or (0, 0, 0), args.spin or (0, 0, 0)
        return PlatelessExperiment(params, gait, ground, args.preset, Start(qpos, qvel))

    def exact(self, experiment: PlatelessExperiment, seconds: float, period: float, **accuracy: float) -> Trial:
        """Run the exact engine; `accuracy` may have `rtol` and `slide_speed` [m/s]."""
        variants = Variants(slide_speed=accuracy.pop("slide_speed", Variants().slide_speed))
        options = dict(x0=experiment.exact_state(), variants=variants, record_period=period, **accuracy)
        result = exact.run(experiment, seconds, **options)
        if not len(result.t):
            raise RuntimeError(f"the exact engine refused the start: {result.message}")
        record = exact.to_record(experiment, result)
        keep = np.concatenate([[True], np.diff(result.t) > 0])
        x, d = result.x[keep], result.d[keep]
        budget = {
            "energy": energy.energy(experiment.params, x, variants),
            "motor_work": energy.motor_work(x),
            "damper_loss": energy.damper_loss(x),
            "contact_loss": energy.slide_loss(x) + energy.impact_loss(d),
        }
        record = record.assign({name: ("time", values) for name, values in budget.items()})
        feet = tuple(_stances(result, leg) for leg in range(N_LEGS))
        return Trial(record, feet, record.attrs["status"] == Status.COMPLETED.value)

    def mujoco(self, experiment: PlatelessExperiment, seconds: float, fine: bool = True) -> Trial:
        """Run MuJoCo."""
        every = max(1, round(SAMPLE_PERIOD / find(experiment.preset).timestep))
        run = simulate(experiment, seconds, every=1 if fine else every, progress=False)
        return Trial.of(run.record, run.completed, every if fine else 1)

    def stride(self, experiment: PlatelessExperiment) -> float:
        """Return the clock's period [s]."""
        return experiment.gait.cycle_time


def _stances(result: Result, leg: int) -> np.ndarray:
    """Return a toe's stances from the event log: exact times, shape (n, 2) [s]."""
    log = result.events
    before, after = ((chart >> (2 * leg)) & 3 > 0 for chart in (log.chart_before, log.chart_after))
    begin, end = log.t[~before & after], log.t[before & ~after]
    if (int(result.chart[0]) >> (2 * leg)) & 3:
        begin = np.concatenate([[-np.inf], begin])
    if len(end) < len(begin):
        end = np.append(end, np.inf)
    return np.stack([begin, end], axis=-1)


HEXAPOD = HexapodMachine()
