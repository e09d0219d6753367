"""A model examined: what `tarsus.contact_doctor` and `tarsus contact-doctor` do."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from tarsus.analytic.spelling import listed
from tarsus.mjcf import own_source
from tarsus.mjcf.contact_converter import law_of, time_constant
from tarsus.mjcf.finite_model import check_numbers
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.doctor import curing, finding, judging, mended_file, replaying, symptoms, watching
from tarsus.scripts.library.doctor.finding import Diagnosis
from tarsus.scripts.library.doctor.replaying import Postures
from tarsus.scripts.library.doctor.report import Contact, Report, Wanted

SECONDS = 2.0  # that a model is watched [s]
SPEED = 1.0  # of the fall whose restitution is told [m/s]
STOOD = 0.2  # that a model must have stood to be examined at rest [s]
WANTS = ("stiffness", "damping", "restitution", "depth", "speed", "within")


def examine(
    mjcf: str | Path,
    *,
    seconds: float = SECONDS,
    controls: np.ndarray | None = None,
    motion: Postures | None = None,
    contact: str | None = None,
    want: Mapping[str, float] | None = None,
) -> Report:
    """Return a report of a model's contacts: their properties, ailments and cures.

    Args:
        mjcf: The name of an MJCF file, or its text.
        seconds: For how long it is watched, from its first keyframe [s]. Its second half counts as rest.
        controls: For each step, shape (n, nu); by default what holds the first keyframe.
        motion: One that is known; its contact flags are compared with when it touches.
        contact: The geom of the wanted contact.
        want: What is wanted of it: some of stiffness [N/m], damping [N s/m], restitution, depth at rest [m], the
            speed at which the restitution holds [m/s], and within what share of it.

    Raises:
        ValueError: If MuJoCo cannot read the file, the controls do not fit, or there is no such geom or contact.
    """
    model = check(mjcf, seconds=seconds, controls=controls, motion=motion, contact=contact, want=want)
    replayed = {} if motion is None else replaying.flags_of(model, motion)
    base, fell, examined = _standing(model, own_source.read(mjcf), float(seconds), controls)

    def watch(other: mujoco.MjModel) -> watching.Watched:
        return watching.watch(other, examined, controls)

    ill = curing.groups(base)
    found, mends, last = curing.cured(base, watch, ill)
    text = mended_file.written(mjcf, model, mends) if mends else ""
    if text and not fell and (bad := _longer(model, text, examined, controls)):
        words = f"all settings together, for {2 * examined:.3g} s: {bad[0]}"
        found = [replace(one, mends=(), after=np.nan, refused=(*one.refused, words)) for one in found]
        mends, text = (), ""
    wanted, wants = _wanted(base, contact, want) if contact is not None and want is not None else (None, ())
    if wants:
        text = mended_file.written(mjcf, model, finding.merged(mends, wants))
    slides = [] if controls is None else [one for k in range(len(base.pairs)) for one in symptoms.slides(base, k)]
    left = [one.ailment for one in found if not np.isfinite(one.after)]
    advice = judging.of_preset(mjcf, base, ill, left, examined) if controls is None and not fell else []
    return Report(
        model=own_source.called(mjcf),
        seconds=examined,
        contacts=tuple(_contact(base, k) for k in range(len(base.pairs))),
        findings=(*fell, *found, *slides),
        mends=tuple(tuple(finding.as_xml(model, one.mends)) for one in (*fell, *found, *slides)),
        notes=(*judging.of_file(own_source.read(mjcf), model), *judging.of_rest(base, controls is not None), *advice),
        moved=controls is not None,
        stance=_numbers(base),
        mended_stance=_numbers(last) if mends else {},
        mended=text,
        difference=mended_file.difference(mended_file.text_of(mjcf), text) if text else "",
        immovable=base.immovable,
        replayed=replayed,
        wanted=wanted,
        ended=base.ended,
        versions=stamp.versions("tarsus", "mujoco", "numpy"),
        date=time.strftime("%Y-%m-%d"),
    )


def _standing(model, spec, seconds: float, controls) -> tuple[watching.Watched, list[Diagnosis], float]:
    """Return the model watched while it stands, a finding if it fell, and for how long it was watched [s].

    What stood before the fall is examined, if that is long enough; else the model with its joints held.
    """
    first = watching.watch(model, seconds, controls)
    if not (falls := first.stance.falls()):
        return first, [], seconds
    column, begins, row, share = min(falls, key=lambda fall: fall[2])
    h, names = model.opt.timestep, tuple(first.stance.names[fall[0]] for fall in falls)
    stood, when = begins * h, row * h
    if stood < max(STOOD, 20 * h) and (held := held_model(spec)) is not None:
        again = watching.watch(held, seconds, controls)
        falls = again.stance.falls()
        stood = min((fall[1] for fall in falls), default=len(again.time)) * h
        if stood >= max(STOOD, 20 * h):
            base = watching.watch(held, stood, controls) if falls else again
            words = "it is examined with its joints held in its first posture by equality constraints"
            return base, [_fell(names, when, share, words)], stood if falls else seconds
        stood = begins * h
    examined = max(stood, 10 * h)
    words = f"what stood before is examined, the {examined:.2g} s until it begins to sink"
    if stood < STOOD:
        words = f"before, it stood {stood:.2g} s, too short for numbers at rest"
    return watching.watch(model, examined, controls), [_fell(names, when, share, words)], examined


def _fell(names: tuple[str, ...], when: float, share: float, words: str) -> Diagnosis:
    left = f"{100 * share:.2g} % of its first height over its contacts" if share > 0 else "no height over its contacts"
    reason = (
        f"Its centre of mass has {left} then; {words}. Controls or a keyframe that hold it let the whole be examined"
    )
    return Diagnosis("fell", names, when, "s after the start", reason)


def _longer(model: mujoco.MjModel, text: str, seconds: float, controls) -> list[str]:
    """Return the faults of the mended model that the model as it is has not, watched twice as long."""
    mended = mujoco.MjModel.from_xml_string(text)
    return judging.worse(*(watching.watch(one, 2 * seconds, controls) for one in (model, mended)))


def _numbers(watched: watching.Watched) -> dict[str, float]:
    """Return the measurements of a model as a whole, at rest."""
    rows, columns = watched.at_rest, range(len(watched.pairs))
    return {
        "force": watched.stance.bears(rows),
        "unrest": watched.stance.unrest(rows),
        "depth": max((symptoms.depth(watched, k) for k in columns), default=0.0),
        "drift": watched.drift,
        "error": watched.error,
    }


def check(mjcf: str | Path, *, seconds, controls, motion, contact, want) -> mujoco.MjModel:
    """Return the compiled model, of which all of this can be asked, as `examine` has it; ValueError if it cannot."""
    spec = own_source.read(mjcf)
    if motion is not None and not isinstance(motion, Postures):
        raise ValueError(f"motion must be `Postures`, as `replaying.load` reads them, got {type(motion).__name__}")
    if want is not None and not isinstance(want, Mapping):
        raise ValueError(f"want must be values by their names, {', '.join(WANTS)}, got {type(want).__name__}")
    if contact is not None and not isinstance(contact, str):
        raise ValueError(f"contact must be the name of a geom, got {type(contact).__name__}")
    try:
        model = check_numbers(spec.compile())
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{own_source.called(mjcf)} makes no model: {error}") from None
    watching.check(model, seconds, controls)
    if motion is not None:
        replaying.check(model, motion)
    if (contact is None) != (want is None):
        raise ValueError("a wanted contact needs both its geom and the wanted values")
    if contact is not None and mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, contact) < 0:
        names = listed(contact, [name for k in range(model.ngeom) if (name := model.geom(k).name)])
        raise ValueError(f"there is no geom {contact!r}; there are {names}")
    if unknown := [name for name in want or {} if name not in WANTS]:
        raise ValueError(f"unknown value {unknown[0]!r} of a wanted contact; there are {listed(unknown[0], WANTS)}")
    return model


def _contact(watched: watching.Watched, k: int) -> Contact:
    pair, rows = watched.pairs[k], watched.at_rest
    law = pair.law
    return Contact(
        name=pair.name,
        solref=law.solref,
        solimp=law.solimp,
        mass=law.mass,
        stiffness=law.stiffness,
        damping=law.damping,
        damping_ratio=float(law.damping_ratio),
        restitution=law.drop(SPEED).restitution,
        depth=symptoms.depth(watched, k),
        force=float(watched.force[rows, k].mean()),
    )


def _wanted(watched: watching.Watched, geom: str, want: Mapping[str, float]) -> tuple[Wanted, tuple[finding.Mend, ...]]:
    """Return a wanted contact, for the mass and the load that it has in the model, and its settings."""
    number, model = watched.model.geom(geom).id, watched.model
    loads = {
        k: watched.force[watched.at_rest, k].mean() for k, pair in enumerate(watched.pairs) if number in pair.geoms
    }
    if not loads:
        raise ValueError(
            f"{geom!r} touched nothing in {watched.time[-1]:.3g} s, so the mass that its contact moves is unknown"
        )
    k = max(loads, key=loads.__getitem__)
    pair, law = watched.pairs[k], watched.pairs[k].law
    known = {"gravity": float(np.linalg.norm(model.opt.gravity)), "load": float(loads[k]) or None}
    made = law_of(law.mass, law.timestep, law.integrator, **known, estimate=law.estimate, **want)
    texts = {"solref": finding.numbers(*made.solref), "solimp": finding.numbers(*made.solimp)}
    geoms = pair.geoms if pair.geoms[1] == number else pair.geoms[::-1]
    mends = finding.of_contact(model, geoms, **texts)
    xml = tuple(finding.as_xml(model, mends))
    return Wanted(pair.name, dict(want), made.solref, made.solimp, time_constant(made), xml), mends


# As integers: to an enum of MuJoCo's on the left of a comparison, an integer of NumPy's is never equal.
LIMBS = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def held_model(spec: mujoco.MjSpec) -> mujoco.MjModel | None:
    """Return the compiled model with an equality that holds each hinge and slide but those of the roots.

    None if there are none. The first posture is the first keyframe's, or the file's.
    """
    made = spec.copy()
    model = made.compile()
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    roots = set(np.array(model.tree_bodyadr).tolist())
    joints = list(made.joints)
    limbs = [k for k in range(model.njnt) if model.jnt_type[k] in LIMBS and model.jnt_bodyid[k] not in roots]
    for k in limbs:
        name = model.joint(k).name
        joint = next((one for one in joints if one.name == name), None) if name else joints[k]
        joint.name = joint.name or f"held joint {k}"
        equality = made.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, name1=joint.name, objtype=mujoco.mjtObj.mjOBJ_JOINT)
        equality.data[:5] = (data.qpos[model.jnt_qposadr[k]] - model.qpos0[model.jnt_qposadr[k]], 0, 0, 0, 0)
        equality.solref[:2], equality.solimp[:3] = (2.0 * model.opt.timestep, 1.0), (0.999, 0.999, 0.001)
    return made.compile() if limbs else None
