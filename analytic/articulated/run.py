"""The state of a run: options, arrays, modes and books, and what is evaluated of them.

Events change it, and `simulation.Simulation` runs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..compilation import entry
from . import flow
from .layout import MASS, workspace
from .modes import N_BOOKS, contact_of
from .outcome import Event, RunStatus
from .robot import Robot
from .scheme import SCHEMES, path_of

NO_ENDS = np.zeros(0)


@dataclass(frozen=True)
class Options:
    """How a robot is simulated.

    Attributes:
        rtol: Relative tolerance of the integration; a tenth of it is the absolute one.
        method: "dop853", of order 8, or "dopri5", of order 5, which is faster from `rtol` 1e-7 on.
        drift_rate: At which closed contacts that drifted come back [1/s]; faster makes the field stiff.
        hold_speed: What is slower is at rest where modes are chosen [m/s]: an error of this order.
        creep_speed: Slip speed below which friction follows the slip at a bounded rate (`modes`) [m/s]: an error of its
            square. Less takes more steps where a foot slips slowly.
        rest_speed: A foot that leaves an impact at less, and is pushed back, rests: the end of rattling [m/s].
        touching: Gap below which a foot takes part in an impact [m].
        undecided: "stop" where two futures are found, or "least" to go on with the least forces, each time with an
            event "undecided".
        max_steps: Between two events.
    """

    rtol: float = 1e-9
    method: str = "dop853"
    drift_rate: float = 20.0
    hold_speed: float = 1e-5
    creep_speed: float = 1e-3
    rest_speed: float = 5e-4
    touching: float = 1e-9
    undecided: str = "stop"
    max_steps: int = 100_000

    def __post_init__(self) -> None:
        for name in ("rtol", "hold_speed", "creep_speed", "rest_speed", "touching"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be a positive number, got {getattr(self, name)!r}")
        if self.method not in SCHEMES:
            raise ValueError(f"method must be one of {', '.join(SCHEMES)}, got {self.method!r}")
        if self.undecided not in ("stop", "least"):
            raise ValueError(f"undecided must be 'stop' or 'least', got {self.undecided!r}")

    @property
    def speeds(self) -> tuple[float, float, float]:
        """`hold_speed`, `creep_speed`, and that at which a sudden stop is one, well above the tolerance."""
        return self.hold_speed, self.creep_speed, min(self.hold_speed, max(1e-2 * self.hold_speed, 1e2 * self.rtol))


@dataclass
class Run:
    """The state of a run. Its arrays are those of the compiled functions: look, and do not write.

    Attributes:
        robot: The robot.
        options: How it is simulated.
        ctrl: Controls, which `to` holds.
        x: State: qpos, qvel, act, then the books [J]: work of actuators, losses in dampers, sliding feet, dry joints.
        time: [s]
        lost: Energy lost in impacts and where rattling ends [J].
        impulse: Of all impacts so far on each foot, along the ground's normal and tangents, shape (n_feet, 3) [N s].
        status: Why it stopped.
        events: All events.
        futures: Accelerations of the two futures if the status is INDETERMINATE, shape (2, nv), or speeds after it.
    """

    robot: Robot
    options: Options
    ctrl: np.ndarray
    x: np.ndarray
    time: float = 0.0
    lost: float = 0.0
    status: RunStatus = RunStatus.FINAL_TIME
    events: list[Event] = field(default_factory=list)
    futures: np.ndarray | None = None

    def __post_init__(self) -> None:
        tables = self.robot.tables
        self.work, self.contact = workspace(tables), contact_of(tables)
        self.weight = float(tables.body[:, MASS].sum() * np.linalg.norm(tables.gravity)) or 1.0
        self.fired = np.zeros(3 * len(tables.foot) + len(tables.limit) + len(tables.line), np.bool_)
        options, scheme = self.options, SCHEMES[self.options.method]
        self.path = path_of(scheme, len(self.x), len(self.fired), len(tables.line))
        self.setting = flow.Setting(self.robot.nq, options.drift_rate, *options.speeds, self.weight, options.rtol,
                                    options.max_steps)  # fmt: skip
        self.impulse = np.zeros((self.robot.n_feet, 3))
        self.step, self.crowd = 1e-4, (0.0, 0)  # the next step [s]; since when events are counted, and how many
        self._enter = flow.call
        self.refresh()
        self._enter = entry(flow.call)  # the types are known from here on

    @property
    def qpos(self) -> np.ndarray:
        """Positions, shape (nq,); quaternions are normalised at events."""
        return self.x[: self.robot.nq].copy()

    @property
    def qvel(self) -> np.ndarray:
        """Speeds, shape (nv,)."""
        return self.x[self.robot.nq : self.robot.nq + self.robot.nv].copy()

    @property
    def foot_force(self) -> np.ndarray:
        """Forces on the feet along the ground's normal and tangents, shape (n_feet, 3) [N]."""
        return self.contact.foot_force.copy()

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        return sum(self.call(flow.ENERGY)[2:])

    @property
    def balance(self) -> float:
        """Energy, less the work done, plus all losses [J]: the same at all times but for errors."""
        work, *losses = self.x[-N_BOOKS:]
        return float(self.energy - work + sum(losses) + self.lost)

    def call(self, what: int, controls: np.ndarray | None = None, ends=NO_ENDS, fresh: bool = False) -> tuple:
        """Do something compiled, see `flow.call`."""
        return self._enter(
            what, self.robot.tables, self.work, self.contact, self.path, SCHEMES[self.options.method], self.setting,
            self.ctrl[None] if controls is None else controls, ends, fresh, (self.time, self.step), self.x, self.fired,
        )  # fmt: skip

    def refresh(self, rest: bool = False) -> float:
        """Evaluate mechanics, forces and guards at the present state and modes, after `let_rest`; return the energy."""
        broken, _, kinetic, potential = self.call(flow.REST if rest else flow.FORCES)
        self.broken = bool(broken)
        return kinetic + potential
