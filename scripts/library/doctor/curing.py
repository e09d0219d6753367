"""The ailments of a watched model, grouped by kind, and the settings that mend them together, tried.

A setting is not believed. The model is watched again with all settings that were accepted before and with this one, and
it is accepted only if the ailment is gone, or less, and nothing that is measured of the model is worse.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import mujoco

from tarsus.scripts.library.doctor import combining, judging, settings, symptoms
from tarsus.scripts.library.doctor.finding import Diagnosis, Mend, as_xml, differing, mended, merged, option, with_unit
from tarsus.scripts.library.doctor.watching import Watched

BUDGET = 60  # steps that are tried, over those that the model was watched
LESS = 0.8  # of its number: an ailment that is less than that is mended in part
ENOUGH = {"iterations": "100", "ls_iterations": "50"}  # MuJoCo's defaults
TOLD = 3  # settings that were tried alone in vain, and that are told of an ailment

Watch = Callable[[mujoco.MjModel], Watched]


@dataclass(frozen=True)
class Group:
    """An ailment at all of its places."""

    diagnosis: Diagnosis  # as it is
    limit: float  # number above which it is an ailment
    number: Callable[[Watched], float]  # measures the number of a watched model, at the worst of these places
    cures: tuple[tuple[Mend, ...], ...]  # settings that may mend it, the gentlest first


def groups(watched: Watched) -> list[Group]:
    """Return the ailments of a watched model: the solver's, those of the settings, those of the contacts."""
    return [*_of_solver(watched), *_of_settings(watched), *_of_symptoms(watched)]


def cured(watched: Watched, watch: Watch, found: Sequence[Group]) -> tuple[list[Diagnosis], tuple[Mend, ...], Watched]:
    """Return the findings with what mends them, all settings together, and the model watched with these."""
    trials = Trials(watched, watch)
    own: dict[int, tuple[Mend, ...]] = {}
    refused: dict[int, tuple[str, ...]] = {}
    for k, group in enumerate(found):
        own[k], refused[k] = trials.search(
            group, merged(*own.values()), [one for n, one in enumerate(found) if own.get(n)]
        )
    joint: dict[int, tuple[str, ...]] = {}
    last = trials.watch(merged(*own.values())) or watched
    if left := [k for k, one in enumerate(found) if one.number(last) > one.limit]:
        trials.refill()
        if cures := combining.search(trials, found, merged(*own.values())):
            own[left[0]] = merged(own[left[0]], merged(*cures))
            joint[left[0]] = tuple(" ".join(as_xml(watched.model, cure)) for cure in cures)
    _spare(trials, found, own)
    together = merged(*own.values())
    last = trials.watch(together) or watched
    made = [
        replace(one.diagnosis, mends=own[k], after=one.number(last), refused=refused[k], joint=joint.get(k, ()))
        if together and one.number(last) < LESS * one.diagnosis.number or one.number(last) <= one.limit
        else replace(one.diagnosis, refused=refused[k])
        for k, one in enumerate(found)
    ]
    return made, together, last


def _spare(trials: "Trials", found: Sequence[Group], own: dict[int, tuple[Mend, ...]]) -> None:
    """Leave out, in place, what a later setting has made needless."""
    for k in [k for k in own if own[k]]:
        again = trials.watch(merged(*(mends for n, mends in own.items() if n != k)))
        mends_as_well = again and all(
            one.number(again) <= max(one.limit, one.number(trials.watch(merged(*own.values()))) * (1 + judging.SHARE))
            for one in found
        )
        if mends_as_well and not judging.worse(trials.base, again):
            own[k] = ()


class Trials:
    """Simulations with settings, each done once, and no more than `BUDGET` allows."""

    def __init__(self, base: Watched, watch: Watch) -> None:
        self.base, self._watch, self.done = base, watch, {frozenset(): base}
        self.refill()

    def refill(self) -> None:
        """Allow as many steps again."""
        self.left = BUDGET * len(self.base.time)

    def watch(self, mends: Sequence[Mend]) -> Watched | None:
        """Return the model watched with settings; None if no steps are left for it."""
        mends = differing(self.base.model, mends)
        key = frozenset(mends)
        if key not in self.done:
            model = mended(self.base.model, mends)
            steps = len(self.base.time) * self.base.model.opt.timestep / model.opt.timestep
            if steps > self.left:
                return None
            self.left -= steps
            self.done[key] = self._watch(model)
        return self.done[key]

    def search(self, group: Group, earlier: tuple[Mend, ...], mended_before: list[Group]):
        """Return the settings to add to earlier ones for an ailment, and those that were refused, in words."""
        start = self.watch(earlier) or self.base
        least, best, refused = group.number(start), (), {}
        if least <= group.limit:
            return (), ()
        for cure in self._with_iterations(group.cures):
            if not differing(start.model, cure):
                continue
            together = merged(earlier, cure)
            if (again := self.watch(together)) is None:
                break
            bad = judging.worse(self.base, again)
            bad += [
                f"{one.diagnosis.ailment} returns"
                for one in mended_before
                if one.number(again) > max(one.limit, 1.05 * one.number(start))
            ]
            number = group.number(again)
            if bad or number > group.limit:
                left = f"{with_unit(number, group.diagnosis.unit)} is left"
                refused[cure] = f"`{' '.join(as_xml(self.base.model, cure))}`: {bad[0] if bad else left}"
            if bad:
                continue
            if number <= group.limit or number < LESS * least:
                least, best = number, cure
            if number <= group.limit:
                break
        told = [words for cure, words in refused.items() if cure != best]
        return differing(self.base.model, best), tuple(told[:TOLD])

    def _with_iterations(self, cures: Sequence[tuple[Mend, ...]]) -> Iterator[tuple[Mend, ...]]:
        """Yield settings, each as it is and with the solver's iterations, if the file allows fewer than MuJoCo does."""
        allowed = self.base.model.opt
        few = {name: value for name, value in ENOUGH.items() if getattr(allowed, name) < int(value)}
        for cure in cures:
            yield cure
            if few:
                yield merged(cure, option(**few))


def _of_solver(watched: Watched) -> Iterator[Group]:
    if watched.error > judging.UNCONVERGED:
        allowed = watched.model.opt
        reason = (
            f"With iterations {allowed.iterations} and ls_iterations {allowed.ls_iterations} the contact forces of a "
            "step are so far from those of the same step solved with many"
        )
        cures = option(**{name: str(max(int(value), getattr(allowed, name))) for name, value in ENOUGH.items()})
        exact = merged(cures, option(solver="Newton", tolerance="1e-8"))
        made = Diagnosis("solver has not converged", ("the model",), 100 * watched.error, "% of the weight", reason)
        yield Group(made, 100 * judging.UNCONVERGED, lambda other: 100 * other.error, (cures, exact))


def _of_settings(watched: Watched) -> Iterator[Group]:
    kinds: dict[tuple[str, str], list[Diagnosis]] = {}
    for one in settings.findings(watched):
        kinds.setdefault((one.ailment, one.unit), []).append(one)
    for (ailment, unit), found in kinds.items():
        worst = max(found, key=lambda one: one.number)
        places = (*worst.places, *(place for one in found if one is not worst for place in one.places))
        whole = replace(worst, places=places, mends=())

        def number(other: Watched, ailment=ailment, unit=unit, places=frozenset(places)) -> float:
            again = [
                one.number for one in settings.findings(other) if one.ailment == ailment and places & set(one.places)
            ]
            return max(again, default=settings.healthy(unit))

        yield Group(whole, settings.healthy(unit), number, tuple(settings.cures(watched.model, found)))


def _of_symptoms(watched: Watched) -> Iterator[Group]:
    for ailment, symptom in symptoms.SYMPTOMS.items():
        found = {k: symptom.measure(watched, k) for k in range(len(watched.pairs))}
        ill = sorted((k for k in found if found[k] > symptom.limit), key=lambda k: -found[k])
        if not ill:
            continue
        scale, unit, reason = symptom.say(watched, ill[0])
        geoms = [watched.pairs[k].geoms for k in ill]
        made = Diagnosis(ailment, tuple(watched.pairs[k].name for k in ill), scale * found[ill[0]], unit, reason)

        def number(other: Watched, symptom=symptom, scale=scale, geoms=tuple(geoms)) -> float:
            columns = [column for pair in geoms if (column := other.column(pair)) is not None]
            return scale * max((symptom.measure(other, column) for column in columns), default=0.0)

        cures = dict.fromkeys(cure.of(watched.model, geoms) for cure in symptom.candidates(watched, ill[0]))
        yield Group(made, scale * symptom.limit, number, tuple(cures))
