"""What the exact run of any robot costs: its field, a stand and a drop, and the exact row of a certificate.

Usage: tarsus benchmark articulated [--seconds 20] [--rounds 5]. Runtime: about three minutes, and one to compile.
CPU time of this process on one thread: medians over interleaved rounds, with the least and the most. The robot is
`mjcf/assets/robots/dog.xml`, with dry joints; the policy is the first that was trained for `Dog-v0`.
"""

from __future__ import annotations

import mujoco
import numpy as np

from tarsus.analytic.articulated.constrained import field
from tarsus.analytic.articulated.mechanics import mechanics
from tarsus.analytic.articulated.modes import FREE
from tarsus.analytic.articulated.simulation import Simulation, start
from tarsus.analytic.compilation import jit
from tarsus.envs.dog import FILE
from tarsus.mjcf.articulated import convert
from tarsus.scripts.command.signature import Count, Seconds
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.library.certificates import replay, settings
from tarsus.scripts.library.learning import loading, playing

PACKAGES = ("tarsus", "mujoco", "numpy", "numba")
FEET = ("FL", "FR", "RL", "RR")
FIELDS, RUN = 20_000, 2.0  # in a round; how long a stand or a drop is [s]
HEIGHTS = {"standing": 0.0, "dropped by .1 m": 0.1}  # of the feet at the start [m]
POLICY, ROWS = "dog-0", ("rl", "reference", "exact")


@jit
def fields(robot, work, contact, setting, ctrl, x, dx, n):
    """Evaluate the field so many times."""
    for _ in range(n):
        field(robot, work, contact, setting, ctrl, x, dx, True)


def placed(height: float) -> Simulation:
    """Return the dog in its pose, its servos holding it, with its lowest foot at a height above the ground [m]."""
    model = mujoco.MjModel.from_xml_path(str(FILE))
    robot, qpos = convert(model, FEET), model.key_qpos[0].copy()
    qpos[2] += height - mechanics(robot, qpos, np.zeros(model.nv)).gap.min()
    return start(robot, qpos, ctrl=qpos[7:])


def field_table(rounds: int) -> Table:
    """Return the cost of the field, with no foot on the ground and with all four."""
    runs = {name: placed(height) for name, height in HEIGHTS.items()}

    def evaluate(run: Simulation) -> None:
        numbers = run.setting, run.ctrl, run.x, np.empty_like(run.x), FIELDS
        fields(run.robot.tables, run.work, run.contact, *numbers)

    took = timing.rounds({name: lambda run=run: evaluate(run) for name, run in runs.items()}, rounds)
    feet = {name: int((run.contact.foot != FREE).sum()) for name, run in runs.items()}
    rows = [(name, feet[name], took[name].median(1e6 / FIELDS)) for name in runs]
    return Table(("start", "feet that stand", "field [us]"), rows, "### The field")


def run_table(rounds: int) -> Table:
    """Return the costs of the dog's runs."""
    took = timing.rounds({name: lambda h=height: placed(h).to(RUN) for name, height in HEIGHTS.items()}, rounds)
    rows = [(name, took[name].median(1.0 / RUN)) for name in HEIGHTS]
    return Table(("start", "CPU [s] by second"), rows, f"### The dog for {RUN:g} s")


def certificate_table(seconds: float, rounds: int) -> Table:
    """Return the costs of a certificate's rows."""
    candidate = loading.load(POLICY, None, {})
    env = playing.make(candidate.environment, {})
    fan = {one.name: one for one in settings.fan(env.unwrapped.config)}
    env.close()
    took = timing.rounds({n: lambda n=n: replay.play(candidate, fan[n], [0], seconds) for n in ROWS}, rounds)
    base = np.median(took["reference"].cpu)
    rows = [(n, took[n].median(), f"{np.median(took[n].cpu) / base:.2f}") for n in ROWS]
    return Table(("row", "CPU [s]", "by `reference`"), rows, f"### An episode of {POLICY}, {seconds:g} s")


def tables(seconds: Seconds = 20.0, rounds: Count = 5) -> Page:
    """Return everything, measured in one run.

    Args:
        seconds: How long an episode is [s].
        rounds: Measurements of each; the median is shown.
    """
    return Page(field_table(rounds), run_table(rounds), certificate_table(seconds, rounds))
