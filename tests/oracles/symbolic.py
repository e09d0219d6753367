"""Equations of motion as formulas: a chain of rigid links becomes mass matrix, Coriolis matrix, gravity and Jacobians.

`MACHINES` describes each machine by joints and links, and `terms` turns its formulas into functions of numbers: a
reference, by energies and derivatives, for equations of motion that are computed by recursion from link to link.
The mass matrix comes from the kinetic energy sum_i (m_i |v_i|^2 + w_i^T I_i w_i) / 2 with v_i the derivative of the
position of link i's mass centre and w_i its angular velocity in its own frame; C holds Christoffel's symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@dataclass(frozen=True)
class Link:
    """A rigid link behind a joint; its frame sits on the joint and turns with the link."""

    joint: str  # "hinge" or "slide"
    axis: str  # of the joint: "x", "y" or "z" of the frame before it, which are also the link's own
    offset: tuple = (0, 0, 0)  # of the joint from the frame before it, in that frame
    mass: sp.Expr = sp.S.Zero
    com: tuple = (0, 0, 0)  # mass centre in the link's frame
    inertia: tuple = (0, 0, 0, 0, 0, 0)  # about the mass centre, matrix entries xx, yy, zz, xy, xz, yz


@dataclass(frozen=True)
class Machine:
    """What the formulas are made of."""

    title: str
    coordinates: tuple[sp.Symbol, ...]  # one per link
    parameters: tuple[sp.Symbol, ...]  # in the order of the vector `p`
    links: tuple[Link, ...]
    gravity: sp.Symbol
    up: str  # axis of the world that points up
    points: Callable  # points(frames) -> {name: column of position components}
    rates: tuple[str, ...] = ()  # points whose Jacobian's rate is wanted


@dataclass(frozen=True)
class Formulas:
    """The equations M ddq + C dq + G = generalised forces, and of each point position, Jacobian and its rate."""

    machine: Machine
    speeds: tuple[sp.Symbol, ...]
    M: sp.Matrix
    C: sp.Matrix
    G: sp.Matrix
    V: sp.Matrix  # potential energy, one entry
    position: dict[str, sp.Matrix] = field(default_factory=dict)
    jacobian: dict[str, sp.Matrix] = field(default_factory=dict)
    jacobian_rate: dict[str, sp.Matrix] = field(default_factory=dict)


def rotation(axis: str, angle: sp.Expr) -> sp.Matrix:
    """Return the matrix that takes vectors of the turned frame to the frame before it."""
    turn = {"x": sp.rot_axis1, "y": sp.rot_axis2, "z": sp.rot_axis3}[axis]
    return turn(-angle)  # SymPy's are those of the coordinates


def frames(machine: Machine) -> list[tuple[sp.Matrix, sp.Matrix, sp.Matrix]]:
    """Return rotation to the world, origin in the world and angular velocity per speed in the link, for each link."""
    n = len(machine.links)
    turn, origin, spin = sp.eye(3), sp.zeros(3, 1), sp.zeros(3, n)
    made = []
    for k, (link, q) in enumerate(zip(machine.links, machine.coordinates, strict=True)):
        axis, origin = sp.Matrix(AXES[link.axis]), origin + turn * sp.Matrix(link.offset)
        if link.joint == "hinge":
            step = rotation(link.axis, q)
            turn, spin = turn * step, step.T * spin
            spin[:, k] += axis
        else:
            origin = origin + turn * axis * q
        made.append((turn, origin, spin.copy()))
    return made


def inertia_matrix(entries: tuple) -> sp.Matrix:
    """Return the symmetric matrix of the entries xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = entries
    return sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def formulas(machine: Machine) -> Formulas:
    """Return the equations of a machine."""
    q = sp.Matrix(machine.coordinates)
    speeds = tuple(sp.Symbol(f"d{symbol.name}") for symbol in machine.coordinates)
    made = frames(machine)
    M, potential = sp.zeros(len(q)), sp.S.Zero
    for link, (turn, origin, spin) in zip(machine.links, made, strict=True):
        centre = origin + turn * sp.Matrix(link.com)
        velocity = centre.jacobian(q)
        M += link.mass * velocity.T * velocity + spin.T * inertia_matrix(link.inertia) * spin
        potential += link.mass * machine.gravity * centre.dot(sp.Matrix(AXES[machine.up]))
    position = machine.points(made)
    jacobian = {name: point.jacobian(q) for name, point in position.items()}
    rate = {name: _rate(jacobian[name], q, speeds) for name in machine.rates}
    V = sp.Matrix([potential])
    return Formulas(machine, speeds, M, christoffel(M, q, speeds), V.jacobian(q).T, V, position, jacobian, rate)


def christoffel(M: sp.Matrix, q: sp.Matrix, speeds: tuple) -> sp.Matrix:
    """Return C with C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) dq_k / 2, so that dM/dt - 2 C is skew."""
    n = len(q)
    D = [M.diff(x) for x in q]
    return sp.Matrix(
        n,
        n,
        lambda i, j: sum((D[k][i, j] + D[j][i, k] - D[i][j, k]) * speeds[k] for k in range(n)) / 2,
    )


def _rate(matrix: sp.Matrix, q: sp.Matrix, speeds: tuple) -> sp.Matrix:
    return sum((matrix.diff(x) * v for x, v in zip(q, speeds, strict=True)), sp.zeros(*matrix.shape))


def symbols(text: str) -> tuple[sp.Symbol, ...]:
    """Return real symbols; "mass:4" stands for mass_0 to mass_3."""
    names = []
    for word in text.split():
        name, _, count = word.partition(":")
        names += [f"{name}_{i}" for i in range(int(count))] if count else [name]
    return tuple(sp.Symbol(name, real=True) for name in names)


def hopping_leg() -> Machine:
    """The leg on the boom, after the generation function of the hopping leg simulator (its section 1)."""
    parameters = symbols("g HB LB DB LH LK DK mass:4 com:12 inertia:24")
    g, HB, LB, DB, LH, LK, DK = parameters[:7]
    mass, com, inertia = parameters[7:11], parameters[11:23], parameters[23:47]
    shank = sp.sqrt(LK**2 + DK**2)  # the line from knee to foot, which the knee angle is measured to
    joints = (("z", (0, 0, HB)), ("y", (0, 0, 0)), ("x", (LB, DB, 0)), ("x", (0, 0, -LH)))
    links = tuple(
        Link("hinge", axis, offset, mass[i], com[3 * i : 3 * i + 3], inertia[6 * i : 6 * i + 6])
        for i, (axis, offset) in enumerate(joints)
    )

    def points(made: list) -> dict[str, sp.Matrix]:
        (_, _, _), (_, _, _), (hip_turn, hip, _), (knee_turn, knee, _) = made
        toe = knee + knee_turn * sp.Matrix([0, 0, -shank])
        th3, th4 = coordinates[2:]
        leg = sp.Matrix([LH * sp.sin(th3) + shank * sp.sin(th3 + th4), -LH * sp.cos(th3) - shank * sp.cos(th3 + th4)])
        return {"toe": toe, "knee": knee, "hip": hip, "leg": leg}

    coordinates = symbols("th1 th2 th3 th4")
    return Machine(
        "the hopping leg on its boom", coordinates, parameters, links, gravity=g, up="z", points=points, rates=("toe",)
    )


def slip_leg() -> Machine:
    """The articulated leg, in the plane: x to the right, y up (z of the model), angles counter-clockwise."""
    parameters = symbols(
        "base_mass thigh_mass shank_mass foot_mass thigh_length shank_length thigh_com shank_com thigh_gyration "
        "shank_gyration g"
    )
    base, thigh, shank, foot, l1, l2, c1, c2, r1, r2, g = parameters
    coordinates = symbols("x z hip knee")
    below = shank + foot  # the foot is a point of the shank
    com = (shank * c2 + foot * l2) / below
    spin = shank * (c2**2 + r2**2) + foot * l2**2 - below * com**2
    links = (
        Link("slide", "x"),
        Link("slide", "y", mass=base),
        Link("hinge", "z", mass=thigh, com=(0, -c1, 0), inertia=(0, 0, thigh * r1**2, 0, 0, 0)),
        Link("hinge", "z", offset=(0, -l1, 0), mass=below, com=(0, -com, 0), inertia=(0, 0, spin, 0, 0, 0)),
    )

    def points(made: list) -> dict[str, sp.Matrix]:
        (_, _, _), (_, hip, _), (thigh_turn, _, _), (shank_turn, knee, _) = made
        at_foot = knee + shank_turn * sp.Matrix([0, -l2, 0])
        of_thigh, of_shank = hip + thigh_turn * sp.Matrix([0, -c1, 0]), knee + shank_turn * sp.Matrix([0, -com, 0])
        centre = (base * hip + thigh * of_thigh + below * of_shank) / (base + thigh + below)
        return {"foot": at_foot[:2, :], "com": centre[:2, :]}

    return Machine(
        "the articulated SLIP leg",
        coordinates,
        parameters,
        links,
        gravity=g,
        up="y",
        points=points,
        rates=("foot", "com"),
    )


MACHINES: dict[str, Callable[[], Machine]] = {"hopping_leg": hopping_leg, "slip_leg": slip_leg}


def terms(name: str) -> Callable:
    """Return a function (q, dq, p) of numbers that returns a machine's terms in a dictionary, by the formulas' names.

    M, C, G and V; of a point, e.g. `toe`, the position `toe`, the Jacobian `J_toe` and its rate `dJ_toe`. Behind its
    parameters p may hold others.
    """
    made = formulas(MACHINES[name]())
    n_parameters = len(made.machine.parameters)
    table = {"M": made.M, "C": made.C, "G": made.G, "V": made.V} | made.position
    table |= {f"J_{point}": matrix for point, matrix in made.jacobian.items()}
    table |= {f"dJ_{point}": matrix for point, matrix in made.jacobian_rate.items()}
    arguments = [made.machine.coordinates, made.speeds, made.machine.parameters]
    function = sp.lambdify(arguments, list(table.values()), modules="numpy", cse=True)
    columns = {"G", "V", *made.position}

    def evaluate(q: np.ndarray, dq: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
        values = zip(table, function(q, dq, p[:n_parameters]), strict=True)
        return {key: np.ravel(value) if key in columns else np.asarray(value, float) for key, value in values}

    return evaluate
