"""Whether a mended model holds: all that is measured of it, against the model as it is; and notes beside findings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import mujoco
import numpy as np

from tarsus.mjcf import own_repairs, own_source
from tarsus.mjcf.own_options import apply_preset
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.library.doctor import settings, symptoms, watching
from tarsus.scripts.library.doctor.watching import Watched

COMING = 0.8  # drift of the last quarter over that of the third, below which a model is coming to rest
MOVES = 1e-5  # drift that is none [m/s]

UNCONVERGED = 0.01  # error of the contact forces over the weight that is an ailment
SHARE = 0.05  # by which a number may grow: less is not told from round-off
BORNE = 0.01  # weights by which the vertical force may be off
RESTLESS = 0.02  # weights by which it may be less steady
DEPTH, DRIFT = 2e-5, 1e-4  # by which a contact may be deeper [m], a body drift faster [m/s]
STILL = 0.5 * symptoms.CREEP  # drift that is no fault, however little it was [m/s]


def worse(base: Watched, trial: Watched) -> list[str]:
    """Return the faults of a mended model that the model as it is has not, in sentences; none if it holds."""
    if trial.ended:
        return [trial.ended]
    if fallen := trial.stance.falls():
        column, _, row, _ = fallen[0]
        return [f"{trial.stance.names[column]} falls after {trial.time[row]:.2g} s"]
    return [*_whole(base, trial), *_contacts(base, trial), *_settings(base, trial)]


def _whole(base: Watched, trial: Watched) -> Iterator[str]:
    rows, again = base.at_rest, trial.at_rest
    before, after = base.stance.bears(rows), trial.stance.bears(again)
    right = 1.0 if base.stance.is_free else before
    if abs(after - right) > max(BORNE, (1 + SHARE) * abs(before - right)):
        yield f"the ground bears {after:.3g} weights instead of {before:.3g}"
    before, after = base.stance.unrest(rows), trial.stance.unrest(again)
    if after > (1 + SHARE) * before + RESTLESS:
        yield f"that force varies by {after:.2g} weights instead of {before:.2g}"
    if trial.drift > max(STILL, (1 + SHARE) * base.drift + DRIFT):
        yield f"it drifts at {1e3 * trial.drift:.3g} mm/s instead of {1e3 * base.drift:.2g}"
    if trial.error > max(UNCONVERGED, (1 + SHARE) * base.error):
        yield f"the solver's forces are {100 * trial.error:.2g} % of the weight off instead of {100 * base.error:.2g}"


def _contacts(base: Watched, trial: Watched) -> Iterator[str]:
    for k, pair in enumerate(base.pairs):
        again = trial.column(pair.geoms)
        if symptoms.stands(base, k) and (again is None or not symptoms.stands(trial, again)):
            yield f"{pair.name} no longer stands"
    for again, pair in enumerate(trial.pairs):
        k = base.column(pair.geoms)
        if k is None and symptoms.stands(trial, again):
            yield f"{pair.name} touches, which did not"
        before, after = (
            0.0 if at is None else symptoms.depth(*at) for at in (None if k is None else (base, k), (trial, again))
        )
        known = k is not None and symptoms.stands(base, k)
        if known and after > (1 + SHARE) * before + DEPTH:
            yield f"{pair.name} is {1e3 * after:.3g} mm deep instead of {1e3 * before:.3g} mm"
        for ailment, symptom in symptoms.SYMPTOMS.items():
            number = symptom.measure(trial, again)
            was = 0.0 if k is None else symptom.measure(base, k)
            if number > max(symptom.limit, (1 + SHARE) * was):
                scale, unit, _ = symptom.say(trial, again)
                yield f"{ailment}, {pair.name}: {scale * number:.3g} {unit} instead of {scale * was:.2g}"


def _settings(base: Watched, trial: Watched) -> Iterator[str]:
    before = {(one.ailment, one.places): one.number for one in settings.findings(base)}
    for one in settings.findings(trial):
        was = before.get((one.ailment, one.places), settings.healthy(one.unit))
        if one.number > (1 + SHARE) * was:
            yield f"{one.ailment}, {one.where}: {one.number:.3g} {one.unit}"


def of_file(spec: mujoco.MjSpec, model: mujoco.MjModel) -> list[str]:
    """Return sentences on a file without a ground, and on ranges that look like radians."""
    fixed = model.body_weldid[model.geom_bodyid] == 0
    solid = (model.geom_contype > 0) | (model.geom_conaffinity > 0)
    solid[np.concatenate([model.pair_geom1, model.pair_geom2])] = True
    ground = [] if (fixed & solid).any() else [
        'There is no ground in the file: nothing that is fixed may be touched; add <geom type="plane" size="5 5 0.1"/> '
        "to the worldbody, or take the scene that includes the file."
    ]  # fmt: skip
    return [*ground, *(f"{words[0].upper()}{words[1:]}." for words in own_repairs.tiny_ranges(spec))]


def of_rest(watched: watching.Watched, moved: bool) -> list[str]:
    """Return a sentence on a model that still slows down where it counts as at rest, if it does."""
    n, seconds = len(watched.time), len(watched.time) * watched.model.opt.timestep
    before, after = (watched.stance.drift(rows) for rows in (slice(n // 2, 3 * n // 4), slice(3 * n // 4, n)))
    if moved or before < MOVES or after > COMING * before:
        return []
    return [
        f"It is not yet at rest: it drifts at {1e3 * before:.2g} mm/s in the third quarter of the time and at "
        f"{1e3 * after:.2g} in the last, and settings are judged by that; try --seconds {5 * seconds:.3g}."
    ]


def of_preset(
    mjcf: str | Path, base: watching.Watched, ill: Sequence, left: Sequence[str], seconds: float
) -> list[str]:
    """Return a sentence on a preset that mends what no setting alone mended, if one does.

    Args:
        mjcf: The file, or its text.
        base: As it is.
        ill: Groups of ailments, as `curing.groups` returns them.
        left: Ailments that no setting mended.
        seconds: That it was watched [s].
    """
    for name in PRESETS if left else ():
        spec = own_source.read(mjcf)
        apply_preset(spec, name)
        again = watching.watch(spec.compile(), seconds)
        mended = all(one.number(again) <= one.limit for one in ill if one.diagnosis.ailment in left)
        if mended and not worse(base, again):
            return [
                f"The preset {name!r} mends {', '.join(left)} and leaves the rest as good as it is: "
                f"`mjcf.apply_preset(spec, {name!r})`, or its elements in the page on presets."
            ]
    return []
