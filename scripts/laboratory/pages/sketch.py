"""Sketches of the cases, drawn from their data: shapes, motion at the start, joints, belts and forces."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

from tarsus.scripts.suite.case import Case
from tarsus.scripts.suite.measure import rotate

ROUND = np.linspace(0, 2 * math.pi, 41)
GROUND, BELT, BODY, MOTION, FORCE = "0.75", "#d9a441", "#7aa6c2", "#1f4e79", "#b03030"
PANELS = 4
VIEWS = {"side": ((0, 2), "xz"), "top": ((0, 1), "xy")}


def view_of(case: Case) -> str:
    """Return from where a case is seen: from above if something moves, turns or is pushed across the x-z plane."""
    moves = [body["velocity"][1] for body in case["bodies"]]
    moves += [force["force"][1] for force in case["forces"]]
    moves += [body["motion"]["axis"][1] for body in case["bodies"] if "motion" in body]
    spins = [body["angular_velocity"][2] for body in case["bodies"]]
    return "top" if any(abs(value) > 1e-12 for value in moves + spins) else "side"


def draw(case: Case) -> Figure:
    """Draw a case as it is at t = 0: a panel for each group of bodies that do not touch the others, four at most."""
    found = groups(case)
    shown = found[:PANELS]
    figure = Figure(figsize=(1.6 + 1.6 * len(shown), 2.4), layout="constrained")
    for axis, group in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
        _draw_group(axis, group)
    more = f", and {len(found) - PANELS} more alike" if len(found) > PANELS else ""
    figure.suptitle(_said(case) + more, fontsize=7)
    return figure


def groups(case: Case) -> list[Case]:
    """Return the case's parts that do not touch each other: what moves freely, and the supports that it touches."""
    free = [body["name"] for body in case["bodies"] if "mass" in body]
    touched = [[name.partition(".")[0] for name in contact["between"]] for contact in case["contacts"]]
    linked = [*touched, *([joint["parent"], joint["child"]] for joint in case["joints"])]
    group_of = {name: {name} for name in free}
    for one, other in linked:
        if one in group_of and other in group_of and group_of[one] is not group_of[other]:
            merged = group_of[one] | group_of[other]
            group_of |= dict.fromkeys(merged, merged)
    parts = []
    for names in {id(group): group for group in group_of.values()}.values():
        near = names | {name for pair in touched if set(pair) & names for name in pair}
        parts.append(
            case
            | {"bodies": [body for body in case["bodies"] if body["name"] in near]}
            | {"joints": [joint for joint in case["joints"] if joint["child"] in names]}
            | {"forces": [force for force in case["forces"] if force["body"] in names]}
        )
    return parts


def _draw_group(axis: Axes, case: Case) -> None:
    axes, names = VIEWS[view_of(case)]
    low, high = _extent(case, axes)
    size = max(high - low)
    for body in sorted(case["bodies"], key=lambda body: "mass" in body):
        for shape in body["shapes"]:
            _draw_shape(axis, body, shape, axes, low, high)
        _draw_motion(axis, body, axes, size)
    for joint in case["joints"]:
        _draw_joint(axis, joint, case, axes)
    for force in case["forces"]:
        body = next(body for body in case["bodies"] if body["name"] == force["body"])
        start = _world(body, np.array([force["point"]]))[0][list(axes)]
        _arrow(axis, start, np.asarray(force["force"])[list(axes)], 0.3 * size, FORCE)
    margin = 0.12 * size
    axis.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin), aspect="equal")
    axis.set_xlabel(f"{names[0]} [m]", fontsize=7)
    axis.set_ylabel(f"{names[1]} [m]", fontsize=7)
    axis.tick_params(labelsize=6)


def _said(case: Case) -> str:
    """Return friction and restitution of the contacts in words."""
    frictions = {str(contact["friction"]).strip("[]") for contact in case["contacts"]}
    bounces = {contact["restitution"] for contact in case["contacts"]} - {0}
    said = "friction " + (", ".join(sorted(frictions)) if len(frictions) < 4 else f"{len(frictions)} values")
    return said + (f"; restitution {', '.join(f'{e:g}' for e in sorted(bounces))}" if bounces else "")


def outline(shape: dict) -> np.ndarray:
    """Return points of which a shape is the convex hull, in its frame, shape (points, 3) [m]; a plane has none."""
    kind, size = shape["type"], shape["size"]
    circle = np.stack([np.cos(ROUND), np.sin(ROUND)], axis=1)
    if kind == "box":
        return np.array(np.meshgrid(*([-half, half] for half in size))).reshape(3, -1).T
    if kind in ("sphere", "capsule"):
        ball = np.concatenate([np.insert(circle, axis, 0, axis=1) for axis in range(3)]) * size[0]
        lift = [0, 0, size[1] if kind == "capsule" else 0]
        return np.concatenate([ball + lift, ball - lift])
    if kind == "cylinder":
        disc = np.insert(circle * size[0], 2, size[1], axis=1)
        return np.concatenate([disc, disc * [1, 1, -1]])
    return np.zeros((int(kind == "point"), 3))


def _world(frame: dict, points: np.ndarray) -> np.ndarray:
    """Return points of a body or shape, shape (points, 3), where its position and quaternion put them."""
    return np.asarray(frame["position"], float) + rotate(np.asarray(frame["quaternion"], float), points)


def _points(body: dict, shape: dict) -> np.ndarray:
    """Return the outline of a shape in the world."""
    return _world(body, _world(shape, outline(shape)))


def _extent(case: Case, axes: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of the picture: around all that has a mass, and what of the rest is near."""
    of = [body for body in case["bodies"] if "mass" in body]
    outlines = [_points(body, shape) for body in of for shape in body["shapes"]]
    points = np.concatenate([*outlines, *([body["position"]] for body in of)])[:, list(axes)]
    low, high = points.min(axis=0), points.max(axis=0)
    grounds = [body["position"][axes[1]] for body in case["bodies"] if "mass" not in body]
    if axes == VIEWS["side"][0] and grounds and low[1] - max(grounds) < 5 * max(high - low):
        low[1] = min(low[1], max(grounds))  # what it will fall onto
    middle, half = (low + high) / 2, max((high - low).max() / 2, 0.02)
    return middle - [1.25 * half, half], middle + [1.25 * half, half]


def _draw_shape(axis: Axes, body: dict, shape: dict, axes, low: np.ndarray, high: np.ndarray) -> None:
    colour = BODY if "mass" in body else BELT if "motion" in body else GROUND
    if shape["type"] == "plane":
        _draw_plane(axis, body, shape, axes, low, high, colour)
        return
    points = _points(body, shape)[:, list(axes)]
    if shape["type"] == "point":
        leg = np.stack([np.asarray(body["position"])[list(axes)], points[0]])
        axis.plot(*leg.T, color="0.5", lw=1.5, zorder=1.5)
        axis.plot(*points[0], "o", color=MOTION, ms=3)
    elif np.linalg.matrix_rank(points - points[0], tol=1e-12) == 2:
        hull = points[ConvexHull(points).vertices]
        axis.fill(*hull.T, facecolor=colour, edgecolor="0.3", lw=0.8, alpha=0.8)


def _draw_plane(axis: Axes, body: dict, shape: dict, axes, low: np.ndarray, high: np.ndarray, colour: str) -> None:
    """Draw all that lies below a plane: nothing where it is seen from above, but for the colour."""
    point, tip = _world(body, np.array([shape["position"], np.add(shape["position"], [0, 0, 1])]))[:, list(axes)]
    normal = tip - point
    if np.linalg.norm(normal) < 1e-9:
        axis.set_facecolor("0.95" if colour == GROUND else "#f7ecd4")
        return
    along, far = np.array([normal[1], -normal[0]]), 10 * max(high - low)
    middle = (low + high) / 2
    foot = point + along * ((middle - point) @ along)
    corners = [foot - far * along, foot + far * along, foot + far * (along - normal), foot - far * (along + normal)]
    axis.fill(*np.array(corners).T, facecolor=colour, edgecolor="0.3", lw=0.8, alpha=0.6)


def _draw_motion(axis: Axes, body: dict, axes, size: float) -> None:
    start, velocity = np.asarray(body["position"])[list(axes)], np.asarray(body["velocity"], float)
    if "motion" in body:
        axis_, speeds = np.asarray(body["motion"]["axis"], float), body["motion"]["velocities"]
        velocity = axis_ * next((speed for speed in speeds if speed), 0.0)
    _arrow(axis, start, velocity[list(axes)], 0.3 * size, MOTION)
    spin = body["angular_velocity"][3 - sum(axes)]
    if "mass" in body and spin:
        turn = spin * (-1 if axes == (0, 2) else 1)
        axis.annotate("↺" if turn > 0 else "↻", start, ha="center", va="center", fontsize=13, color=MOTION)


def _arrow(axis: Axes, start: np.ndarray, vector: np.ndarray, length: float, colour: str) -> None:
    norm = np.linalg.norm(vector)
    if norm > 1e-12:
        axis.annotate("", start + length * vector / norm, start, arrowprops={"arrowstyle": "-|>", "color": colour})


def _draw_joint(axis: Axes, joint: dict, case: Case, axes) -> None:
    places = {body["name"]: np.asarray(body["position"], float) for body in case["bodies"]}
    child = places[joint["child"]][list(axes)]
    if joint["type"] == "hinge":
        axis.plot(*np.asarray(joint["anchor"])[list(axes)], "o", mfc="white", mec="k", ms=5)
    elif joint["type"] == "slide":
        parent = places.get(joint["parent"], places[joint["child"]])[list(axes)]
        axis.plot(*np.array([parent, child]).T, "k:" if joint["stiffness"] else "k-", lw=1)
