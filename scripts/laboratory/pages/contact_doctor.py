"""What the contact doctor is worth: complaints that were reported elsewhere, examined, and restitution as asked.

Usage: tarsus page contact_doctor [--write]. Runtime: a minute of one core.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.mjcf.contact_converter import law_of
from tarsus.mjcf.contact_law import ContactLaw
from tarsus.mjcf.own_robot import EXAMPLE
from tarsus.mjcf.presets import INTEGRATORS
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.doctor.examining import examine
from tarsus.scripts.library.doctor.finding import Diagnosis

PLACE = Place("crossvalidation.md", "doctor")
PACKAGES = ("tarsus", "mujoco", "numpy")
FOLDER = EXAMPLE.parents[1] / "complaints"
GRAVITY, SPEED, MASS, STEP = 9.81, 1.0, 2.0, 1e-3  # of the dropped spheres
RESTITUTIONS = (0.2, 0.35, 0.5, 0.7, 0.9)
HEIGHTS = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)  # at which spheres start, in steps above the ground


class Complaint(NamedTuple):
    """What somebody reported, and a model that shows it."""

    said: str
    thread: str
    model: str  # in `FOLDER`
    ailments: tuple[str, ...]  # that it is about


AILMENTS = {
    "fell": "the model does not stand, so that at rest there is little to examine",
    "solver has not converged": "the iterations allowed end before the contact forces are right",
    "pyramidal cone": "friction is a pyramid, whose error on measured tosses is twice a cone's",
    "long timestep": "a spring, servo or contact is unstable at this timestep",
    "lengthened contact": "a time constant too short for the timestep, which MuJoCo lengthens silently",
    "blended contact": "two geoms ask for different contacts, and get a mixture",
    "greater friction": "a geom asks for less friction than the other's, and gets the other's",
    "early contact": "a contact is listed, and a flag that counts contacts is true, while no force acts",
    "hovering": "a margin holds geoms apart",
    "flicker": "a contact that stands breaks and returns",
    "loses force": "a contact that stands is listed, but has no force for a moment",
    "creep": "a contact that should hold slides",
    "slides": "a contact that is commanded asks for more friction than there is",
    "sinks": "a contact that rests is deep in the ground",
}
COMPLAINTS = (
    Complaint("the contact of what slides breaks", "mujoco 1768", "dragged_foot", ("flicker", "loses force")),
    Complaint("brief collisions, single steps without force", "mjlab 931", "trained_foot", ("flicker", "loses force")),
    Complaint("objects creep on slopes", "mujoco 2630, 1743, 3328", "leaning_cube", ("creep",)),
    Complaint("two corners of a box made of triangles jitter", "mujoco 1665", "mesh_box", ("flicker", "loses force")),
)


def complaint_rows(complaint: Complaint) -> list[tuple]:
    """Return the lines of a complaint: what the doctor says of it, and the setting with which it is gone."""
    report = examine(FOLDER / f"{complaint.model}.xml")
    pairs = zip(report.findings, report.mends, strict=True)
    found = [(one, mends) for one, mends in pairs if one.ailment in complaint.ailments]
    words = (complaint.said, complaint.thread, f"`{complaint.model}`")
    if not found:
        return [(*words, "not so here", "", "", "")]
    return [
        (*words, one.ailment, _number(one, one.number), _code(mends), _number(one, one.after)) for one, mends in found
    ]


def restitution(law: ContactLaw, height: float) -> float:
    """Return the restitution of a sphere that MuJoCo drops so high over the ground [m], with a speed of 1 m/s."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.integrator = law.timestep, INTEGRATORS[law.integrator]
    ground = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1, 1, 1))
    ground.priority, ground.solref, ground.solimp = 1, law.solref, law.solimp
    body = spec.worldbody.add_body(pos=(0, 0, 0.05 + height))
    body.add_freejoint()
    body.add_geom(size=(0.05, 0, 0), mass=law.mass)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[2] = -SPEED
    while not (data.nefc and data.efc_force[0] > 0):
        mujoco.mj_step(model, data)
    while data.nefc and data.efc_force[0] > 0:
        mujoco.mj_step(model, data)
    after = data.qvel[2] ** 2 + 2 * GRAVITY * (data.qpos[2] - 0.05)
    return float(np.sqrt(after / (SPEED**2 + 2 * GRAVITY * height)))


def bounce_row(integrator: str) -> tuple:
    """Return the largest error of restitution, of spheres that land anywhere within a step."""
    cells = []
    for wanted in RESTITUTIONS:
        try:
            law = law_of(MASS, STEP, integrator, restitution=wanted)
        except ValueError:
            cells.append("refused")
            continue
        found = [restitution(law, part * SPEED * STEP) for part in HEIGHTS]
        cells.append(f"{100 * np.abs(np.array(found) / wanted - 1).max():.1f}")
    return integrator, *cells


def tables() -> Page:
    """Return the complaints, the restitutions, and what is looked for."""
    rows = [row for complaint in COMPLAINTS for row in complaint_rows(complaint)]
    head = ("complaint", "thread", "model", "finding", "number", "setting that mends it", "then")
    bounces = [bounce_row(integrator) for integrator in ("Euler", "implicitfast", "discrete", "RK4")]
    words = (
        f"Spheres of {MASS:g} kg fall at {SPEED:g} m/s with steps of {1e3 * STEP:g} ms; *refused*: in such steps no "
        "contact bounces so little (to 1.5 %) before gravity stops it."
    )
    return Page(
        Table(head, rows, "### Complaints elsewhere"),
        Table(
            ("integrator", *(f"asked {wanted:g}" for wanted in RESTITUTIONS)),
            bounces,
            "### Restitution, largest error [%]",
        ),
        words,
        Table(("ailment", "what it is"), [(f"*{name}*", words) for name, words in AILMENTS.items()], "### Ailments"),
    )


def _number(one: Diagnosis, value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g} {one.unit}"


def _code(mends: tuple[str, ...]) -> str:
    return " ".join(f"`{mend}`" for mend in mends)
