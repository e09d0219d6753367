"""What happens at an event: changes of modes, impacts, and the end of rattling.

Forces are continuous at all events but impacts and stops: then the modes follow from the guard that fired, and the
others stay unless one of theirs is violated. Otherwise all modes are chosen at once, by the contact problem.
"""

from __future__ import annotations

import itertools

import numpy as np

from . import contact as problem
from . import jam
from .blocks import CONE, UNILATERAL, Block
from .choice import choose, is_undecided, open_all, solve
from .closed import closed_rows, let_turn, limit_gaps, limit_rows, limit_speeds, slow_rows, stop_rows, through_mass
from .guards import FORCE_TOL
from .layout import DRIFT, GAP, MU, RESTITUTION, VELOCITY
from .modes import AT_REST, CLOSED, CREEP, CREEP_RATE, FREE, OPEN, SLIDE, STICK, STOPS
from .outcome import Event, RunStatus
from .run import Run

CLOSING = 1e-9  # speed at which a touching foot is in an impact [m/s]
BOUNCES = 1e-6  # and from which on restitution counts [m/s]
PULLS = 1e-6  # weights: a foot that lifts off is not pulled by less, that is rounding
AT_ONCE = 1e-6  # [s]
ABRUPT = 1e-9  # [s]
AGAIN = 3  # times at most that modes are chosen
JAMS = [(jam.CLOSING, False), *((jam.CLOSING * 10.0**k, True) for k in range(4))]  # impacts that end a jam, in turn
GROWN = 10.0  # weights, that a force has where the step fell below rounding as it grew without bound


def transition(run: Run, fired: np.ndarray) -> RunStatus | None:
    """Perform the events of the guards that fired; return why the run cannot go on, or None."""
    contact, n = run.contact, run.robot.n_feet
    impact, anew, fresh, slips = False, False, False, []
    for k in np.flatnonzero(fired):
        foot, guard = divmod(int(k), 3)
        if foot < n:
            what, name = _foot_event(run, foot, guard), run.robot.foot_names[foot]
        else:
            what, name = _joint_event(run, int(k) - 3 * n)
        again = what in ("slip", "sticks") and _slipped_just_now(run, name)
        vain = what == "sticks" and _stuck_in_vain(run, name)
        fresh = fresh or not (again or vain)
        if what is None:
            continue
        impact, anew = impact or what == "impact", anew or what == "stops" or (what == "sticks" and again and not vain)
        if vain or (what == "slip" and again):
            contact.foot[foot], contact.slack[foot] = STOPS, run.options.hold_speed
        elif what in ("slip", "fast"):
            slips.append(foot)
        run.events.append(Event(run.time, what, name, 0.0))
    if impact:
        return settle(run, True)
    run.refresh()
    lifted = [i for i in np.flatnonzero(fired[: 3 * n : 3]) if contact.foot[i] == FREE]
    pressed = any(_pull(run, i) < 0.0 for i in lifted)
    if anew or pressed or (fresh and (any(_may_leave(run, i) for i in slips) or run.broken)):
        return settle(run, False, pressed and jams(run))
    return None


def _joint_event(run: Run, i: int) -> tuple[str, str]:
    """Change the mode of a limit or dry line whose guard fired; return what happened, and its name."""
    contact, limits = run.contact, len(run.robot.limit_names)
    if i < limits:
        was, contact.limit[i] = contact.limit[i], OPEN
        return ("limit_open" if was == CLOSED else "impact"), run.robot.limit_names[i]
    i -= limits
    was = contact.dry[i]
    if was == AT_REST:
        contact.dry[i] = -1 if contact.dry_force[i] > 0.0 else 1
    return ("yields" if was == AT_REST else "stops"), run.robot.line_names[i]


def _foot_event(run: Run, i: int, guard: int) -> str | None:
    """Change the mode of a foot whose guard fired; return what happened, or None where another guard settled it."""
    contact, slip, force = run.contact, run.work.foot[i, VELOCITY + 1 : DRIFT], run.contact.foot_force[i, 1:]
    mode, speed = contact.foot[i], float(np.linalg.norm(run.work.foot[i, VELOCITY + 1 : DRIFT]))
    if guard == 0:
        contact.foot[i] = FREE
        return "impact" if mode == FREE else "liftoff"
    if mode == FREE:
        return None
    if mode == STICK:
        if np.linalg.norm(force) <= FORCE_TOL * run.weight:  # the cone shrank to its tip: nothing presses any more
            contact.foot[i] = FREE
            return "liftoff"
        contact.foot[i], contact.direction[i] = CREEP, -force / np.linalg.norm(force)
        return "slip"
    if mode == STOPS:
        return "stops"
    if mode == CREEP and guard == 1 and speed <= run.options.hold_speed:
        contact.foot[i], contact.settling[i] = STICK, CREEP_RATE  # w is zero at both: forces are continuous
        return "sticks"
    contact.direction[i] = slip / speed
    if mode == SLIDE and guard == 1:
        if speed > run.options.speeds[2]:
            return "turns"
        contact.foot[i], contact.slack[i] = STOPS, 0.0
        return None
    if mode == SLIDE and contact.along[i] < 0.25 * speed:
        return "stops"
    contact.foot[i] = CREEP if mode == SLIDE else SLIDE
    return "slow" if mode == SLIDE else "fast"


def _slipped_just_now(run: Run, name: str) -> bool:
    """Return whether a foot began to slip just before: others hold it at its cone, all but exactly."""
    recent = itertools.takewhile(lambda event: run.time - event.time <= AT_ONCE, reversed(run.events))
    return next((event.what for event in recent if event.name == name), "") == "slip"


def _stuck_in_vain(run: Run, name: str) -> bool:
    """Return whether a foot was to stick just before, too, and modes were chosen since: others hold it at its cone."""
    return any((event.name, event.what) == (name, "sticks") and run.time - event.time <= AT_ONCE
               for event in run.events[-AGAIN:])  # fmt: skip


def _pull(run: Run, i: int) -> float:
    """Return the acceleration of a foot from the ground, zero where it is rounding [m/s^2]."""
    row = run.work.jacobian[i, 0]
    away = float(row @ run.contact.qacc + run.work.foot[i, DRIFT])
    return away if abs(away) > PULLS * run.weight * (row @ np.linalg.solve(run.work.mass, row)) else 0.0


def _may_leave(run: Run, i: int) -> bool:
    """Return whether a foot that presses could as well leave: its friction presses it deeper than the ground lifts."""
    mode = run.contact.foot[i]
    run.contact.foot[i] = FREE
    run.refresh()
    leaves = _pull(run, i) > 0.0
    run.contact.foot[i] = mode
    run.refresh()
    return leaves


def grows(run: Run) -> bool:
    """Return whether the force of a foot that slides grows without bound: its slide is at its end, its mobility none.

    There friction jams, or, where the foot might have left all along, nothing but that is left.
    """
    run.refresh()
    return any(run.contact.foot_force[i, 0] > GROWN * run.weight for i in np.flatnonzero(run.contact.foot == SLIDE))


def stops_abruptly(run: Run) -> bool:
    """Let feet that would stop within `ABRUPT` keep the direction of friction, which turns faster than steps follow."""
    run.refresh()
    contact, found = run.contact, False
    for i in np.flatnonzero(contact.foot == SLIDE):
        slip = run.work.foot[i, VELOCITY + 1 : DRIFT]
        speed = float(np.linalg.norm(slip))
        if 0.0 < speed < -contact.along[i] * CREEP_RATE * ABRUPT:
            contact.foot[i], contact.direction[i], contact.slack[i], found = STOPS, slip / speed, 0.0, True
    return found


def jams(run: Run, *touching: np.ndarray) -> bool:
    """Return whether friction jams: the impact of what touches, now or then, does not end as its speed goes to zero.

    So it is where the force of a foot that slides grows without bound, before Coulomb's law has no solution: no other
    end is the limit of stiff feet (Nordmark, Varkonyi and Champneys, SIAM Journal on Applied Dynamical Systems 17,
    2018).
    """
    touching = touching or _touching(run)
    found = (_impulses(run, *touching, closing) for closing in (jam.CLOSING, 0.1 * jam.CLOSING))
    large, small = (impulses @ back.T for impulses, back in found)
    return len(large) and len(small) and 0.0 < np.linalg.norm(large[0]) < 2.0 * np.linalg.norm(small[0])


def settle(run: Run, impact: bool, jammed: bool = False) -> RunStatus | None:
    """Perform an impact if anything that touches closes, and choose all modes; that of a jam where there is one."""
    for q in run.robot.quaternions:
        run.x[q : q + 4] /= np.linalg.norm(run.x[q : q + 4])
    before = run.refresh()
    feet, limits = _touching(run)
    closing = np.concatenate([run.work.foot[feet, VELOCITY], limit_speeds(run)[limits]]).min(initial=0.0)
    impact = not jammed and (impact or closing < -CLOSING)
    status = _impact(run, feet, limits) if impact else None
    if status is not None:
        return status
    status = RunStatus.NO_SOLUTION if jammed else _rest_and_choose(run, feet, limits)
    for closing, falls in JAMS:
        if status is RunStatus.NOT_SOLVED and jams(run, feet, limits):  # of several cones no other proof is known
            status = RunStatus.NO_SOLUTION
        if status is not RunStatus.NO_SOLUTION:
            break
        held = run.energy
        ends = _impact(run, feet, limits, closing, falls)
        if ends is None:
            run.events.append(Event(run.time, "jams", "", held - run.energy))
            status = _rest_and_choose(run, feet, limits)
        elif ends is RunStatus.INDETERMINATE:
            status = ends
    lost = before - run.refresh(rest=True)
    run.lost += lost
    if impact:
        run.events.append(Event(run.time, "modes", "", lost))
    return status


def _rest_and_choose(run: Run, feet: np.ndarray, limits: np.ndarray) -> RunStatus | None:
    """Stop what is slow, and choose all modes of what touches and does not leave; see `choose`.

    What closes is stopped, which turns slips: the modes are chosen again where they do not bear that.
    """
    feet = feet & (run.work.foot[:, VELOCITY] <= run.options.rest_speed)
    limits = limits & (limit_speeds(run) <= run.options.rest_speed)
    for _ in range(AGAIN):
        stop_rows(run, *slow_rows(run, feet, limits))
        status, speeds = choose(run, feet, limits), run.qvel
        if status is None or status is RunStatus.INDETERMINATE:
            stop_rows(run, *closed_rows(run))
            let_turn(run)
        if status is not None or np.abs(run.qvel - speeds).max() <= run.options.hold_speed:
            break
        run.refresh()
        if not run.broken:
            break
    return status


def _touching(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the feet and limits that touch."""
    feet = (run.contact.foot != FREE) | (run.work.foot[:, GAP] <= run.options.touching)
    return feet, (run.contact.limit == CLOSED) | (limit_gaps(run) <= run.options.touching)


def _impact(
    run: Run, feet: np.ndarray, limits: np.ndarray, closing: float = 0.0, falls: bool = False
) -> RunStatus | None:
    """Replace the speeds by those after an impact, see `_impulses`; return why it cannot, or None."""
    impulses, back = _impulses(run, feet, limits, closing, falls)
    if not len(impulses):
        return RunStatus.NOT_SOLVED
    changes = impulses @ back.T
    if len(changes) == 2 and is_undecided(run, run.qvel + changes):
        return RunStatus.INDETERMINATE
    run.x[run.robot.nq : run.robot.nq + run.robot.nv] += changes[0]
    run.impulse = run.impulse.copy()
    run.impulse[feet] += impulses[0, : 3 * feet.sum()].reshape(-1, 3)
    run.refresh()
    return None


def _free_acceleration(run: Run) -> np.ndarray:
    """Return the acceleration without contact, limits and dry friction of what rests, shape (nv,)."""
    modes = run.contact.foot, run.contact.limit, run.contact.dry
    kept = [mode.copy() for mode in modes]
    open_all(run)
    acceleration = run.contact.qacc.copy()
    for mode, was in zip(modes, kept, strict=True):
        mode[:] = was
    run.refresh()
    return acceleration


def _impulses(
    run: Run, feet: np.ndarray, limits: np.ndarray, closing: float, falls: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the impulses of an impact, shape (n, rows): n = 0 if it was not solved, 2 if it has two ways.

    With `closing` [m/s, rad/s] what rests closes at least at that speed, an impact without collision; with `falls` as
    it would begin to fall without contact, the fastest at that speed. Rows are three for each foot that touches, then
    one for each limit; the second array takes them to changes of speed, shape (nv, rows).
    """
    robot = run.robot.tables
    touching, shut = np.flatnonzero(feet), np.flatnonzero(limits)
    rows = np.concatenate([run.work.jacobian[touching].reshape(-1, run.robot.nv), limit_rows(run, shut)])
    if not len(rows):
        return np.zeros((1, 0)), np.zeros((run.robot.nv, 0))
    blocks = [Block(CONE, robot.foot[i, MU]) for i in touching] + [Block(UNILATERAL)] * len(shut)
    free = rows @ run.qvel
    normal = free[: 3 * len(touching) : 3]
    normal[:] += np.where(normal < -BOUNCES, robot.foot[touching, RESTITUTION] * normal, 0.0)
    if closing > 0.0:
        normals = np.r_[0 : 3 * len(touching) : 3, 3 * len(touching) : len(rows)]
        rests = normals[free[normals] <= run.options.rest_speed]
        free[rests] = np.minimum(free[rests], -closing)
        if falls:
            fall = rows @ _free_acceleration(run)
            fall[: 3 * len(touching)] += run.work.foot[touching, DRIFT:].ravel()
            free[rests] = closing * fall[rests] / max(-fall[rests].min(initial=0.0), 1e-9)
    back = through_mass(run, rows)
    code, *ways, _ = solve(rows @ back, free, blocks, 1e-10)
    return np.array(ways)[: {problem.S_SOLVED: 1, problem.S_INDETERMINATE: 2}.get(code, 0)], back
