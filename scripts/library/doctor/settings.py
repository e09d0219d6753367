"""What a model's settings say before anything moves: cone, timestep, and what two geoms ask of one contact."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import mujoco
import numpy as np

from tarsus.mjcf.own_robot import rest_controls
from tarsus.mjcf.presets import INTEGRATORS
from tarsus.scripts.library.doctor.finding import (
    Diagnosis,
    Mend,
    joint_of,
    merged,
    movable,
    name_of,
    numbers,
    of_contact,
    option,
    pair_of,
)
from tarsus.scripts.library.doctor.springs import GROWS, growth, longest_timestep, springs_of
from tarsus.scripts.library.doctor.watching import Pair, Watched

# MuJoCo's mean error of place over 570 measured tosses of a cube, over its width, in MuJoCo 4.0.0 with a friction of
# 0.18: with default softness, and stiff. The data: Pfrommer, Halm and Posa (2020).
TOSSES = {"pyramidal": (27.9, 26.6), "elliptic": (14.3, 13.1)}  # [%]
EARLY = 1e-4  # between where contacts are listed and where they press, that a flag would be early by [m]
HOVERS = 1e-4  # of a margin that holds geoms apart [m]
SAME = 1e-3  # relative difference of settings that is none
SHORTEST = 1e-3  # of the timestep: what is stable only below that is not for its length
SAFETY = 0.8  # of the longest stable timestep


def findings(watched: Watched) -> list[Diagnosis]:
    """Return the findings about the settings of a model and of its pairs that touched."""
    model = watched.model
    found = [*_of_cone(watched), *_of_springs(model)]
    for k, pair in enumerate(watched.pairs):
        for find in (_of_timestep, _of_blend, _of_friction):
            found += find(model, pair)
        found += _of_margin(watched, k)
    return found


def cures(model: mujoco.MjModel, found: Sequence[Diagnosis]) -> Iterator[tuple[Mend, ...]]:
    """Yield settings that may mend one ailment at all of its places, from the gentlest on."""
    mends: tuple[Mend, ...] = ()
    for one in found:
        mends = merged(mends, one.mends)
    if mends:
        yield mends
    if found[0].ailment == "pyramidal cone":
        yield option(cone="elliptic")
    if found[0].ailment == "long timestep":
        yield option(integrator="discrete")


def healthy(unit: str) -> float:
    """Return the number that is no ailment, in a unit of these findings."""
    return 1.0 if unit.startswith("times") else 0.0


def _of_cone(watched: Watched) -> Iterator[Diagnosis]:
    option_of = watched.model.opt
    if option_of.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL and any(pair.friction > 0 for pair in watched.pairs):
        soft, stiff = (TOSSES["pyramidal"][k] / TOSSES["elliptic"][k] for k in (0, 1))
        reason = (
            "Over 570 measured tosses of a cube MuJoCo's pyramids were {:g} % of its width off, cones {:g} % (with "
            "stiff contacts {:g} and {:g} %): a pyramid has 29 % less friction along its diagonals"
        ).format(*(TOSSES[cone][k] for k in (0, 1) for cone in TOSSES))
        mends = option(cone="elliptic", impratio=numbers(max(10.0, option_of.impratio)))
        yield Diagnosis(
            "pyramidal cone", ("the model",), round(max(soft, stiff), 2), "times the error of a cone", reason, mends
        )


def _of_springs(model: mujoco.MjModel) -> Iterator[Diagnosis]:
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = rest_controls(model)
    springs, h = springs_of(model, data), model.opt.timestep
    integrator = next(name for name, value in INTEGRATORS.items() if value == model.opt.integrator)
    radius, dof = growth(springs, h, integrator)
    if radius > 1 + GROWS:
        longest = longest_timestep(springs, h, integrator)
        name = joint_of(model, int(model.dof_jntid[dof]))
        grows = f"About the first posture the springs, servos and dampers at {name} grow {radius:.3g} times in a step"
        if longest < SHORTEST * h:
            reason = f"{grows}, and in shorter steps as well: a gain or a damping has the wrong sign"
            yield Diagnosis("long timestep", (name,), radius, "times in a step", reason)
            return
        reason = f"{grows}; {integrator} bears {longest:.3g} s at most, and the integrator discrete any spring"
        mends = option(timestep=numbers(float(f"{SAFETY * longest:.2g}")))
        yield Diagnosis("long timestep", (name,), h / longest, "times the timestep that it bears", reason, mends)


def _of_timestep(model: mujoco.MjModel, pair: Pair) -> Iterator[Diagnosis]:
    law = pair.law
    if not law.is_stable:
        low, high = 0.0, law.timestep
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if replace(law, timestep=middle).is_stable else (low, middle)
        low = max(low, SHORTEST * law.timestep)
        reason = (
            f"At {law.stiffness:.3g} N/m and {law.damping:.3g} N s/m on {law.mass:.3g} kg the contact itself grows; "
            f"steps may be {low:.3g} s, or the integrator discrete"
        )
        mends = option(timestep=numbers(float(f"{SAFETY * low:.2g}")))
        yield Diagnosis(
            "long timestep", (pair.name,), law.timestep / low, "times the timestep that it bears", reason, mends
        )
    elif not law.is_direct and (used := float(law.time_constant())) > law.solref[0] * (1 + SAME):
        reason = (
            f"The file says {law.solref[0]:g} s and MuJoCo takes {used:.3g} s, for steps of {law.timestep:g} s: "
            f"contacts are {(used / law.solref[0]) ** 2:.2g} times as soft as the file says"
        )
        mends = option(timestep=numbers(law.timestep * law.solref[0] / used))
        yield Diagnosis(
            "lengthened contact",
            (pair.name,),
            used / law.solref[0],
            "times the time constant that the file says",
            reason,
            mends,
        )


def _of_blend(model: mujoco.MjModel, pair: Pair) -> Iterator[Diagnosis]:
    first, second = pair.geoms
    if pair_of(model, pair.geoms) is not None or model.geom_priority[first] != model.geom_priority[second]:
        return
    for name in ("solref", "solimp"):
        asked = getattr(model, f"geom_{name}")[[second, first]]
        got = np.array(getattr(pair.law, name))
        off = (np.abs(got - asked[0]) / np.where(asked[0] == 0, 1.0, np.abs(asked[0]))).max()
        if off > SAME:
            reason = (
                f"{name_of(model, second)} says {name} {numbers(*asked[0])}, {name_of(model, first)} "
                f"{numbers(*asked[1])}, and their contact has {numbers(*got)}; a priority makes one of them hold"
            )
            mends = of_contact(model, pair.geoms, **{name: numbers(*asked[0])})
            yield Diagnosis("blended contact", (pair.name,), 100 * off, f"% off its own {name}", reason, mends)


def _of_friction(model: mujoco.MjModel, pair: Pair) -> Iterator[Diagnosis]:
    first, second = pair.geoms
    if (
        pair_of(model, pair.geoms) is not None
        or model.geom_priority[first] != model.geom_priority[second]
        or pair.friction == 0
    ):
        return
    for mine, other in ((second, first), (first, second)):
        asked = float(model.geom_friction[mine, 0])
        is_default = asked == 1.0  # nobody asked
        if asked < pair.friction * (1 - SAME) and not is_default:
            reason = (
                f"{name_of(model, mine)} says {asked:g} and gets {pair.friction:g} of {name_of(model, other)}: of two "
                "coefficients MuJoCo takes the greater; a priority makes one hold"
            )
            settings = {"friction": numbers(*model.geom_friction[mine])}
            mends = of_contact(model, (other, mine), **settings)
            number, unit = (pair.friction / asked, "times what it says") if asked else (pair.friction, "instead of 0")
            yield Diagnosis("greater friction", (pair.name,), number, unit, reason, mends)


def _of_margin(watched: Watched, k: int) -> Iterator[Diagnosis]:
    pair = watched.pairs[k]
    if (early := pair.listed - pair.presses) > EARLY:
        reason = (
            f"MuJoCo lists the contact {1e3 * early:.3g} mm before it presses, and what counts contacts (`ncon`, a "
            "contact sensor's `found`) says that it touches; a normal force says it rightly"
        )
        mends = _set(watched.model, pair, "gap", 0.0)
        yield Diagnosis("early contact", (pair.name,), 1e3 * early, "mm", reason, mends)
    presses = watched.force[watched.at_rest, k] > 0
    apart = float(watched.gap[watched.at_rest, k][presses].mean()) if presses.any() else 0.0
    if apart > HOVERS:
        reason = (
            f"The margins of the two geoms add up to {1e3 * pair.presses:.3g} mm, and their contact presses from "
            "there: they rest apart"
        )
        mends = _set(watched.model, pair, "margin", max(0.0, pair.presses - apart))  # so that they rest at the surface
        yield Diagnosis("hovering", (pair.name,), 1e3 * apart, "mm", reason, mends)


def _set(model: mujoco.MjModel, pair: Pair, attribute: str, value: float) -> tuple[Mend, ...]:
    """Return settings of an attribute of a declared pair, or of its geom that moves, where the other's is then zero."""
    declared = pair_of(model, pair.geoms)
    wanted = {("pair", declared): value}
    if declared is None:
        mine, other = movable(model, pair.geoms)
        wanted = {("geom", mine): value, ("geom", other): 0.0}
    found = {key: value for key, value in wanted.items() if getattr(model, f"{key[0]}_{attribute}")[key[1]] != value}
    return tuple(Mend(kind, k, attribute, numbers(value)) for (kind, k), value in found.items())
