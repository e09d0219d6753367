"""What contacts do wrong while a model is watched, each in a number per pair, and settings that may mend it.

A setting is not believed: `curing` watches the model again with it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import mujoco
import numpy as np

from tarsus.scripts.library.doctor import flicker
from tarsus.scripts.library.doctor.finding import Diagnosis, Mend, merged, numbers, of_contact, option
from tarsus.scripts.library.doctor.watching import Watched

FLICKERS = 3  # false touchdowns that are needed to say so
LOST = 0.002  # share of a stance without contact, or without force
CREEP = 1e-3  # of a contact that should hold; the preset `rl` creeps a little less on a slope of 0.1 [m/s]
SATURATED, SLIDES = 0.98, 0.05  # of friction times normal force, and of its stances, from which on a contact slides
IN_CONE = 0.9  # of friction times normal force: less tangential force has no reason to slide
SINKS = 0.005  # depth at rest over the height of the centre of mass above the contact
STANDS = 0.9  # share of the time at rest for which a contact presses that stands
WIDTH = 5e-4  # of an impedance that rises from zero [m]
SMALL = 1e-3  # of the mean force: less is none
LANDS = 0.01  # after a touchdown a soft contact rings so long [s]


class Cure(NamedTuple):
    """Settings of contacts, and of the whole model, by MuJoCo's names."""

    contact: dict[str, str]
    option: dict[str, str]

    def of(self, model: mujoco.MjModel, places: Iterable[tuple[int, int]]) -> tuple[Mend, ...]:
        """Return the settings for the pairs of geoms that have the ailment."""
        made = option(**self.option)
        for geoms in places if self.contact else ():
            made = merged(made, of_contact(model, geoms, **self.contact))
        return made


class Symptom(NamedTuple):
    """An ailment of a pair of geoms: its measure, the threshold, its description, and its possible cures."""

    measure: Callable[[Watched, int], float]
    limit: float
    say: Callable[[Watched, int], tuple[float, str, str]]  # what the number is multiplied by, unit, reason
    candidates: Callable[[Watched, int], Iterator[Cure]]  # from the gentlest on


def flickers(watched: Watched, k: int) -> float:
    """Return the share of its stances for which a contact is lost, if that makes false touchdowns; else 0."""
    found = flicker.compare(watched.time, *_gap_and_flags(watched, k))
    return found.lost if len(found.false_touchdowns) >= FLICKERS else 0.0


def loses_force(watched: Watched, k: int) -> float:
    """Return the share of its stances, but for their landings, for which a contact touches and does not press."""
    gap, presses = _gap_and_flags(watched, k)
    mean = float(watched.force[presses, k].mean()) if presses.any() else 0.0
    exact = flicker.exact_stances(watched.time, gap)
    exact[:, 0] = np.maximum(exact[:, 0], watched.time[0]) + LANDS
    flags = (gap >= 0) | (watched.force[:, k] > SMALL * mean)
    return flicker.compare(watched.time, gap, flags, exact[exact[:, 1] > exact[:, 0]]).lost


def creep(watched: Watched, k: int) -> float:
    """Return the sliding speed of a contact that presses at rest, within its cone [m/s]; 0 if it does not stand."""
    rows, pair = watched.at_rest, watched.pairs[k]
    force, tangential = watched.force[rows, k], watched.tangential[rows, k]
    holds = (force > 0) & (tangential <= IN_CONE * pair.friction * force)
    if pair.friction == 0 or not len(holds) or holds.mean() < STANDS:
        return 0.0
    return float(np.linalg.norm(watched.slip_velocity[rows, k][holds].mean(axis=0)))


def slides(watched: Watched, k: int) -> Iterator[Diagnosis]:
    """Yield a finding on a contact that slides at the limit of its friction, if it does for `SLIDES` of its stances."""
    pair, force = watched.pairs[k], watched.force[:, k]
    presses = force > SMALL * max(float(force.mean()), 1e-12)
    speed = np.linalg.norm(watched.slip_velocity[:, k], axis=1)
    saturated = presses & (watched.tangential[:, k] > SATURATED * pair.friction * force) & (speed > CREEP)
    share = saturated.sum() / max(presses.sum(), 1)
    if pair.friction > 0 and share > SLIDES:
        reason = (
            f"Its friction cone of mu {pair.friction:g} is saturated then, and it slides at "
            f"{speed[saturated].mean():.2g} m/s in the mean: no contact setting but more friction holds it, or a gait "
            "that asks for less"
        )
        yield Diagnosis("slides", (pair.name,), 100 * share, "% of its stances", reason)


def depth(watched: Watched, k: int) -> float:
    """Return the mean depth of a contact that stands at rest [m]; 0 of one that does not."""
    return max(0.0, -_gap_at_rest(watched, k)) if stands(watched, k) else 0.0


def sinks(watched: Watched, k: int) -> float:
    """Return the depth over the height of the centre of mass above the contact."""
    height = watched.pairs[k].height
    return depth(watched, k) / height if height > 0 else 0.0


def stands(watched: Watched, k: int) -> bool:
    """Return whether a contact presses for nearly all of the time at rest."""
    presses = watched.force[watched.at_rest, k] > 0
    return bool(len(presses) and presses.mean() >= STANDS)


def _say_flicker(watched: Watched, k: int) -> tuple[float, str, str]:
    gap, flags = _gap_and_flags(watched, k)
    found = flicker.compare(watched.time, gap, flags)
    n, whole = len(found.false_touchdowns), len(found.stances)
    reason = (
        f"Its flag has {n} touchdowns that are none, in {whole} {'stance' if whole == 1 else 'stances'}: with an "
        f"impedance of {watched.pairs[k].law.solimp[0]:g} at the onset a contact that rises by a micrometre loses its "
        "whole force at once, and falls again"
    )
    return 100.0, "% of its stances", reason


def _say_force(watched: Watched, k: int) -> tuple[float, str, str]:
    reason = (
        "In those steps the geoms touch and nothing presses: the damping of the contact pulls where they part, and "
        "MuJoCo's force cannot pull"
    )
    return 100.0, "% of its stances", reason


def _say_creep(watched: Watched, k: int) -> tuple[float, str, str]:
    pair, rows = watched.pairs[k], watched.at_rest
    loaded = watched.tangential[rows, k].mean() / max(watched.force[rows, k].mean() * pair.friction, 1e-300)
    reason = (
        f"It holds with {100 * loaded:.0f} % of its friction and slides all the same: friction in MuJoCo is soft, and "
        "creeps as 1 / impratio"
    )
    return 1e3, "mm/s", reason


def _say_depth(watched: Watched, k: int) -> tuple[float, str, str]:
    pair, force = watched.pairs[k], watched.force[watched.at_rest, k].mean()
    reason = (
        f"That is {100 * sinks(watched, k):.2g} % of the centre of mass's height over it: under {force:.3g} N, "
        f"{force / (pair.law.mass * 9.81):.3g} times the weight of the {pair.law.mass:.3g} kg that the contact moves "
        f"by itself, a time constant of {float(pair.law.time_constant()):.3g} s yields so far"
    )
    return 1e3 * pair.height, "mm", reason


def _onsets(watched: Watched, k: int) -> Iterator[Cure]:
    """Yield settings whose impedance rises from zero."""
    pair, h = watched.pairs[k], watched.model.opt.timestep
    for most, width in ((max(pair.law.solimp[1], 0.99), WIDTH), (0.999, WIDTH), (0.999, WIDTH / 5)):
        soft = {"solimp": numbers(0.0, most, width)}
        yield Cure(soft, {})
        yield Cure(soft | {"solref": numbers(2 * h, 1.0)}, {})
        yield Cure(soft | {"solref": numbers(1.6 * h, 1.2)}, {"integrator": "discrete"})
        finer = {"integrator": "discrete", "timestep": numbers(h / 2)}
        yield Cure(soft | {"solref": numbers(0.8 * h, 1.2)}, finer)


def _grips(watched: Watched, k: int) -> Iterator[Cure]:
    """Yield settings whose friction is harder."""
    model, most = watched.model, watched.pairs[k].law.solimp[1]
    asked = model.opt.impratio * 2 * creep(watched, k) / CREEP
    for ratio in sorted({10.0, float(np.clip(10 * np.ceil(asked / 10), 10.0, 100.0))}):
        if ratio > model.opt.impratio or model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL:
            yield Cure({}, {"cone": "elliptic", "impratio": numbers(max(ratio, model.opt.impratio))})
    firm = {"cone": "elliptic", "impratio": numbers(max(100.0, model.opt.impratio))}
    harder = {"solref": numbers(2 * model.opt.timestep, 1.0), "solimp": numbers(0.0, max(most, 0.99), WIDTH)}
    yield Cure(harder, firm)
    yield Cure({}, firm | {"noslip_iterations": "10"})


def _firmer(watched: Watched, k: int) -> Iterator[Cure]:
    """Yield settings of which the law says that the contact is half as deep as it may be, from the gentlest on."""
    pair, model = watched.pairs[k], watched.model
    h, (least, most, width, *_) = model.opt.timestep, pair.law.solimp
    pressing = float(watched.force[watched.at_rest, k].mean()) / pair.law.mass
    limit = 0.5 * SINKS * pair.height
    for timestep, upper in ((h, most), (h, 0.99), (h, 0.999), (h / 2, 0.999), (h / 4, 0.999)):
        if upper < most:
            continue
        thin = min(width, max(limit, 1e-4))  # a wide onset is depth itself
        for constant in (4 * timestep, 2 * timestep):
            law = replace(
                pair.law, timestep=timestep, solref=(constant, 1.0), solimp=(least, upper, thin, *pair.law.solimp[3:])
            )
            if law.depth_at_rest(pressing) - pair.presses < limit or timestep < h / 2:
                settings = {"solref": numbers(constant, 1.0), "solimp": numbers(least, upper, thin)}
                yield Cure(settings, {"timestep": numbers(timestep)} if timestep < h else {})


def _gap_at_rest(watched: Watched, k: int) -> float:
    presses = watched.force[watched.at_rest, k] > 0
    return float(watched.gap[watched.at_rest, k][presses].mean())


def _gap_and_flags(watched: Watched, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the gap of a contact to where it presses, and whether it does."""
    return watched.gap[:, k] - watched.pairs[k].presses, watched.force[:, k] > 0


SYMPTOMS = {
    "flicker": Symptom(flickers, LOST, _say_flicker, _onsets),
    "loses force": Symptom(loses_force, LOST, _say_force, _onsets),
    "creep": Symptom(creep, CREEP, _say_creep, _grips),
    "sinks": Symptom(sinks, SINKS, _say_depth, _firmer),
}
