"""Dry lines that turn back, or yield, while all else stays as it is: no contact problem.

Modes that hold all their guards are a solution. Where those that are tried do not, all are to be chosen anew.
"""

from ..compilation import jit
from .constrained import field
from .guards import broken, guards
from .modes import AT_REST
from .vectors import dot

TURNED_BACK, YIELDED = range(2)  # what the log of a path has


@jit(views=True)
def begin(robot, work, contact, path, setting, ctrl, x):
    """Write the field and the guards at a start, and which of them are armed."""
    field(robot, work, contact, setting, ctrl, x, path.stage[0])
    guards(robot, work, contact, setting, path.before, path.tol)
    for k in range(len(path.tol)):
        path.armed[k] = path.before[k] > path.tol[k]


@jit(views=True)
def mark_yielding(robot, contact, path, fired):
    """Mark dry lines at rest that friction does not hold."""
    first = len(fired) - len(contact.dry)
    for i in range(len(contact.dry)):
        fired[first + i] = contact.dry[i] == AT_REST and path.before[first + i] < 0.0


@jit(views=True)
def let_go(robot, work, contact, path, setting, ctrl, x, t, fired):
    """Let dry lines that fired go the other way, or where they are pushed; return whether they do, and all is well.

    If so they are logged, `fired` is cleared, and the flow may go on; if not, nothing has changed.
    """
    first, others = len(fired) - len(contact.dry), False
    for k in range(first):
        others = others or fired[k]
    if others or not _turned(contact, path, fired, first):
        return False
    begin(robot, work, contact, path, setting, ctrl, x)
    goes = not broken(robot, contact, path.before, path.tol) and path.logged[0] + len(contact.dry) <= len(path.log)
    least = setting.drift_rate * setting.hold_speed
    for i in range(len(contact.dry)):
        if fired[first + i]:
            goes = goes and contact.dry[i] * dot(robot.line_row[i], contact.qacc) > least
    for i in range(len(contact.dry)):
        if fired[first + i] and goes:
            path.log[path.logged[0], 0], path.log[path.logged[0], 1] = t, i
            path.log[path.logged[0], 2] = YIELDED if path.dry[i] == AT_REST else TURNED_BACK
            path.logged[0] += 1
            fired[first + i] = False
        elif not goes:
            contact.dry[i] = path.dry[i]
    if not goes:
        begin(robot, work, contact, path, setting, ctrl, x)
    return goes


@jit(views=True)
def _turned(contact, path, fired, first):
    """Let the lines that fired go; return whether there is one."""
    found = False
    for i in range(len(contact.dry)):
        path.dry[i] = contact.dry[i]
        if fired[first + i]:
            found = True
            pushed = -1 if contact.dry_force[i] > 0.0 else 1
            contact.dry[i] = pushed if path.dry[i] == AT_REST else -path.dry[i]
    return found
