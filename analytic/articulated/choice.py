"""The choice of all modes at once, by the contact problem of accelerations."""

from __future__ import annotations

import numpy as np

from . import contact as problem
from .blocks import BOUNDED, CONE, SLIDING, UNILATERAL, Block, first_rows
from .closed import limit_rows, through_mass
from .contact import pack
from .layout import DRIFT, FRICTIONLOSS, MU, VELOCITY
from .modes import AT_REST, CLOSED, CREEP, CREEP_RATE, FREE, NOT_DRY, OPEN, SLIDE, SMOOTH, STICK, STOPS
from .one_contact import starts
from .outcome import Event, RunStatus
from .run import Run

NEGATIVE = 1e-7  # part of the largest force by which one may break its bound
LEFT = 10.0  # times the acceleration with which rows are left that are held: that is rounding, too
ORDERS = (0, 1, 2, 3), (0, 2), (2,), (0,), (0, 1, 2, 3)  # kinds that give way first, one after the other tried
NONE = 1e-8  # acceleration that is rounding, beside that without contact [m/s^2, rad/s^2]


def solve(matrix, free, blocks, noise):
    """Return the status code, the forces, those of another solution, and the modes of the blocks."""
    force, other, mode = np.zeros(len(free)), np.zeros(len(free)), np.zeros(len(blocks), np.int64)
    others = starts(matrix, blocks)
    code, _, _ = problem.solve_rows(matrix, free, pack(blocks), noise, others, force, other, mode)
    return problem.settled(code, matrix, free, blocks, force, other, mode), force, other, mode


def choose(run: Run, feet: np.ndarray, limits: np.ndarray) -> RunStatus | None:
    """Choose the modes of the feet and limits that touch, and of slow dry joints; return why it cannot, or None.

    A slide that is slow and hardly changes creeps, under a law of its own: the problem is solved again with that.
    If there are two futures, the modes of the one with the least forces are taken, for `undecided="least"`.
    """
    creeps, slides = np.zeros((2, len(feet)), np.bool_)
    while True:
        status = _choose(run, feet, limits, creeps)
        if status is not None:
            return status
        lifted = creeps & (run.contact.foot == FREE) & ~slides
        if lifted.any():  # though it presses as it slides: its law as it creeps has another solution there
            creeps, slides = creeps & ~lifted, slides | lifted
            continue
        slow = (run.contact.foot == SLIDE) & ~creeps & ~slides
        if slow.any():
            speed = np.linalg.norm(run.work.foot[:, VELOCITY + 1 : DRIFT], axis=1)
            slow &= (speed <= run.options.creep_speed) & (run.contact.along >= 0.5 * speed)
        if not slow.any():
            return None
        creeps |= slow


def is_undecided(run: Run, futures: np.ndarray) -> bool:
    """Keep two futures, and return whether the run stops there; if not, the log says that the first was taken."""
    run.futures, undecided = futures, Event(run.time, "undecided", "", 0.0)
    if run.options.undecided == "least":
        run.events += [undecided] * (undecided not in run.events[-1:])
    return run.options.undecided == "stop"


def _choose(run: Run, feet: np.ndarray, limits: np.ndarray, creeps: np.ndarray) -> RunStatus | None:
    """Choose the modes where these feet creep, if they slip."""
    slow = open_all(run)
    touching, shut, joints = np.flatnonzero(feet), np.flatnonzero(limits), np.flatnonzero(slow)
    rows = np.concatenate([run.work.jacobian[touching].reshape(-1, run.robot.nv), limit_rows(run, shut),
                           run.robot.tables.line_row[joints]])  # fmt: skip
    if not len(rows):
        return None
    twice = 2.0 * run.options.drift_rate
    drift = np.concatenate([run.work.foot[touching, DRIFT:].ravel(), np.zeros(len(shut) + len(joints))])
    rate = np.full(len(rows), twice)
    rate[: 3 * len(touching)].reshape(-1, 3)[:, 1:] = CREEP_RATE
    free = rows @ run.contact.qacc + drift + rate * (rows @ run.qvel)
    blocks = [_foot_block(run, i, creeps[i]) for i in touching] + [Block(UNILATERAL)] * len(shut)
    blocks += [Block(BOUNDED, bound=run.robot.tables.line[i, FRICTIONLOSS]) for i in joints]
    back, free_acceleration = through_mass(run, rows), run.contact.qacc.copy()
    noise = max(2.0 * twice * run.options.hold_speed, 1e-9 * np.abs(free).max())
    code, force, other, mode = solve(rows @ back, free, blocks, noise)
    if code in (problem.S_NO_SOLUTION, problem.S_NOT_SOLVED):
        return RunStatus.NO_SOLUTION if code == problem.S_NO_SOLUTION else RunStatus.NOT_SOLVED
    w, size, n = rows @ back @ force + free, np.abs(force).max(), len(touching)
    none = np.maximum(NONE * np.maximum(1.0, np.abs(free)), LEFT * _left(blocks, mode, w))
    for c, i in enumerate(touching):
        at = slice(3 * c, 3 * c + 3)
        _take_foot(run, i, blocks[c], mode[c], force[at], w[at], size, none[at][1:].max())
    for c, k in enumerate(shut):
        presses = w[3 * n + c] <= 1e-9 and force[3 * n + c] > 1e-9 * size
        run.contact.limit[k] = CLOSED if mode[n + c] or presses else OPEN
    run.contact.dry[joints] = -mode[n + len(shut) :]
    held = (np.abs(w) <= none)[3 * n + len(shut) :]  # by others, which come back to where they touch at some 1e-8 m/s
    run.contact.slack[run.robot.n_feet + joints] = np.where(held, run.options.hold_speed, 0.0)
    if code == problem.S_INDETERMINATE:
        if is_undecided(run, free_acceleration + np.array([back @ force, back @ other])):
            return RunStatus.INDETERMINATE
    return None if _agree(run, size) else RunStatus.NOT_SOLVED


def _left(blocks: list[Block], mode: np.ndarray, w: np.ndarray) -> float:
    """Return the largest acceleration of rows that the modes hold: redundant ones contradict each other by that."""
    held = [0.0]
    for block, i, found in zip(blocks, first_rows(blocks), mode, strict=True):
        holds = not found if block.kind == BOUNDED else found
        held += [*np.abs(w[i : i + (3 if block.kind == CONE and found == 1 else 1)])] * bool(holds)
    return max(held)


def open_all(run: Run) -> np.ndarray:
    """Open everything, and free dry lines that are slow; return which those are."""
    dry, speed = run.robot.tables.line[:, FRICTIONLOSS] > 0.0, run.robot.tables.line_row @ run.qvel
    slow = dry & (np.abs(speed) <= 2.0 * run.options.hold_speed)
    run.contact.foot[:], run.contact.limit[:] = FREE, OPEN
    run.contact.dry[:] = np.where(dry & ~slow, np.sign(speed), NOT_DRY)
    run.refresh()
    return slow


def _foot_block(run: Run, i: int, creeps: bool) -> Block:
    slip, mu = run.work.foot[i, VELOCITY + 1 : DRIFT], run.robot.tables.foot[i, MU]
    speed = float(np.linalg.norm(slip))
    slides = speed > 2.0 * run.options.hold_speed and not creeps
    return Block(SLIDING, mu, tuple(slip / speed)) if slides else Block(CONE, mu)


def _take_foot(run: Run, i: int, block: Block, mode: int, force, w, size: float, none: float) -> None:
    """Set the mode of a foot from its part of the solution; accelerations up to `none` are rounding."""
    contact, friction = run.contact, float(np.linalg.norm(force[1:]))
    if mode == 0 and (w[0] > 1e-9 or force[0] <= 1e-9 * size):
        return
    if block.mu == 0.0:
        contact.foot[i] = SMOOTH
    elif block.kind == SLIDING:
        contact.foot[i], contact.direction[i] = SLIDE, block.direction
    elif mode == 1 or friction == 0.0:
        contact.foot[i] = STICK
        contact.settling[i] = CREEP_RATE
    else:  # at the cone: it begins to slip, or others hold it there, and the rest of the rows are no more redundant
        slip = float(np.linalg.norm(w[1:]))
        contact.foot[i] = CREEP if slip > none else STOPS
        contact.direction[i] = w[1:] / slip if slip > none else -force[1:] / friction
        contact.slack[i] = 0.0 if slip > none else run.options.hold_speed


def _agree(run: Run, size: float) -> bool:
    """Check the modes with the forces of the field; where redundant ones break a bound, give way there, one by one.

    What breaks its bound most gives way first; if something then closes that gave way, limits and normals do.
    """
    contact = run.contact
    modes = contact.foot, contact.direction, contact.limit, contact.dry
    chosen = [mode.copy() for mode in modes]
    for first in ORDERS:
        for mode, was in zip(modes, chosen, strict=True):
            mode[...] = was
        agrees = _give_way(run, size, first)
        if agrees and not _closes(run, chosen[0], chosen[2]):
            break
    return agrees


def _closes(run: Run, foot: np.ndarray, limit: np.ndarray) -> bool:
    """Return whether a foot or limit that had these modes, and gave way, is accelerated into what it touched."""
    contact, work = run.contact, run.work
    feet = (foot != FREE) & (contact.foot == FREE)
    gone = (limit == CLOSED) & (contact.limit == OPEN)
    if not (feet.any() or gone.any()):
        return False
    away = [*(work.jacobian[feet, 0] @ contact.qacc + work.foot[feet, DRIFT]),
            *(limit_rows(run, gone) @ contact.qacc)]  # fmt: skip
    return min(away) < -LEFT * 2.0 * run.options.drift_rate * run.options.hold_speed


def _give_way(run: Run, size: float, first: tuple[int, ...]) -> bool:
    """Let what breaks its bound give way, one by one, the kinds (normal, cone, limit, dry) that are first before all.

    Returns whether all bounds are kept in the end.
    """
    contact, robot = run.contact, run.robot.tables
    for _ in range(4 * len(run.fired) + 4):
        run.refresh()
        force, closed = contact.foot_force, contact.foot != FREE
        excess = np.hypot(force[:, 1], force[:, 2]) - robot.foot[:, MU] * np.maximum(force[:, 0], 0.0)
        over = [
            np.where(closed, -force[:, 0], 0.0), np.where(contact.foot == STICK, excess, 0.0),
            np.where(contact.limit == CLOSED, -contact.limit_force, 0.0),
            np.where(contact.dry == AT_REST, np.abs(contact.dry_force) - robot.line[:, FRICTIONLOSS], 0.0),
        ]  # fmt: skip
        worst = np.array([part.max(initial=0.0) for part in over])
        large = worst > NEGATIVE * max(size, 1e-3 * run.weight)
        if not large.any():
            return True
        if large[list(first)].any():
            large[[kind for kind in range(4) if kind not in first]] = False
        kind = int(np.argmax(np.where(large, worst, -1.0)))
        i = int(np.argmax(over[kind]))
        if kind == 0:
            contact.foot[i] = FREE
        elif kind == 1:
            contact.foot[i], contact.direction[i] = CREEP, -force[i, 1:] / np.linalg.norm(force[i, 1:])
        elif kind == 2:
            contact.limit[i] = OPEN
        else:
            contact.dry[i] = -1 if contact.dry_force[i] > 0.0 else 1
    return False
