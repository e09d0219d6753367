"""An exact, event-driven run of a robot with rigid contact: `start`, then `Simulation.to` a time.

Impacts are plastic or with Newton's restitution, all touching feet and limits at once, with Coulomb friction
(Moreau's law). Between events the modes do not change and the field is smooth. A run that cannot be decided ends with
a status, never by chattering.
"""

from dataclasses import dataclass, field

import numpy as np

from ..compilation import entry
from . import assembly, closed, events, flow, guards
from .layout import GAP, MASS, workspace
from .mechanics import array_of
from .modes import N_BOOKS, contact_of
from .outcome import Event, RunStatus
from .robot import Robot
from .scheme import SCHEMES, path_of

FLOWS = (None, None, RunStatus.STEP_TOO_SMALL, RunStatus.NONFINITE, RunStatus.STEP_LIMIT, None)
NO_ENDS = np.zeros(0)
CLOSE, MOST_CLOSE = 1e-3, 1000  # so many events within that time [s] of one of them are chatter


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
class Simulation:
    """A run; `start` makes one. Its arrays are those of the compiled functions: look, and do not write.

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

    def set_controls(self, ctrl) -> None:
        """Change the controls; forces jump, and the modes are chosen anew if they do not allow it."""
        self.ctrl = array_of("ctrl", ctrl, self.robot.nu)
        if self._follow(self.ctrl[None], np.array([self.time]), True) is not RunStatus.FINAL_TIME:
            self.refresh()

    def to(self, time: float) -> RunStatus:
        """Run to a time [s] and return the status; a run that stopped stays where it is.

        Raises:
            ValueError: If the time is not finite, or has passed.
        """
        if not self.time <= time < np.inf:
            raise ValueError(f"time must be finite and not before {self.time:g} s, where the run is, got {time!r}")
        return self._follow(self.ctrl[None], np.array([float(time)]), False)

    def follow(self, controls: np.ndarray, ends: np.ndarray) -> RunStatus:
        """Run through controls, shape (n, nu), each held until its end, shape (n,) [s]; as `set_controls` and `to`.

        Raises:
            ValueError: If a shape is wrong, a number not finite, or an end before where the run is, or the end before.
        """
        ends, controls = np.array(ends, float), np.array(controls, float, order="C")
        if ends.ndim != 1 or controls.shape != (len(ends), self.robot.nu):
            raise ValueError(f"controls must have shape (n, {self.robot.nu}) and ends (n,), got {controls.shape} and "
                             f"{ends.shape}")  # fmt: skip
        if not (np.isfinite(controls).all() and np.isfinite(ends).all()):
            raise ValueError("controls and ends must be finite; they hold NaN or infinity")
        if (np.diff(ends, prepend=self.time) < 0.0).any():
            raise ValueError(f"ends must not fall, nor lie before {self.time:g} s, where the run is")
        return self._follow(controls, ends, True)

    def _follow(self, controls: np.ndarray, ends: np.ndarray, fresh: bool) -> RunStatus:
        while len(ends) and self.status is RunStatus.FINAL_TIME:
            how, done, self.time, self.step = self.call(flow.FLOW, controls, ends, fresh)
            self.ctrl = controls[min(done, len(ends) - 1)].copy()
            controls, ends, fresh = controls[done:], ends[done:], False
            if self.path.logged[0]:
                self._take_log()
            if how == flow.BROKEN:
                self._stop(events.settle(self, False))
            elif how == flow.EVENT:
                self._stop(events.transition(self, self.fired))
                self._count_event(self.time)
            elif how == flow.STEP_TOO_SMALL and events.grows(self):
                self._stop(events.settle(self, False, events.jams(self)))
                self._count_event(self.time)
            elif how == flow.STEP_TOO_SMALL and events.stops_abruptly(self):
                self.step = flow.SMALLEST
                self._count_event(self.time)
            else:
                self._stop(FLOWS[how])
        return self.status

    def _take_log(self) -> None:
        """Add the events of dry lines that turned back or yielded."""
        for time, line, what in self.path.log[: self.path.logged[0]].tolist():
            words = "stops" if what == guards.TURNED_BACK else "yields"
            self.events.append(Event(time, words, self.robot.line_names[int(line)], 0.0))
            self._count_event(time)

    def _count_event(self, time: float) -> None:
        """Stop where events crowd."""
        since, crowd = self.crowd
        self.crowd = (since, crowd + 1) if time - since < CLOSE else (time, 1)
        if self.crowd[1] == MOST_CLOSE:
            self._stop(RunStatus.CHATTER)

    def _stop(self, status: RunStatus | None) -> None:
        if status is not None:
            self.status = status


def start(robot: Robot, qpos, qvel=None, ctrl=None, act=None, options: Options | None = None) -> Simulation:
    """Return a run at its start, in which feet that touch the ground are closed.

    Args:
        robot: The robot.
        qpos: Positions, shape (nq,).
        qvel: Speeds, shape (nv,); None: at rest.
        ctrl: Controls, shape (nu,); None: zero.
        act: Activations, shape (na,); None: zero.
        options: How it is simulated.

    Raises:
        ValueError: If a shape is wrong, a number not finite, a quaternion zero, a foot inside the ground, a joint
            beyond its limit, or an equality not met: `assembly.assemble` moves a robot to where they are.
    """
    options = options or Options()
    parts = [("qpos", qpos, robot.nq), ("qvel", qvel, robot.nv), ("act", act, robot.na)]
    x = np.concatenate([array_of(name, np.zeros(n) if value is None else value, n) for name, value, n in parts])
    robot.check_quaternions(x)
    x[: robot.nq + robot.nv] = assembly.closed(robot, x[: robot.nq], x[robot.nq : robot.nq + robot.nv])
    ctrl = array_of("ctrl", np.zeros(robot.nu) if ctrl is None else ctrl, robot.nu)
    run = Simulation(robot, options, ctrl, np.concatenate([x, np.zeros(N_BOOKS)]))
    gap = run.work.foot[:, GAP]
    if gap.min(initial=0.0) < -options.touching:
        deep = int(np.argmin(gap))
        raise ValueError(f"foot {robot.foot_names[deep]!r} is {-gap[deep]:.3g} m inside the ground; lift the robot")
    beyond = closed.limit_gaps(run)
    if beyond.min(initial=0.0) < -options.touching:
        far = int(np.argmin(beyond))
        raise ValueError(f"joint {robot.limit_names[far]!r} is {-beyond[far]:.3g} beyond its limit; move it within")
    run._stop(events.settle(run, False))
    return run
