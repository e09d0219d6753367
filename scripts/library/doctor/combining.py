"""Cures tried on top of each other, where none alone mends an ailment and leaves the rest as good as it is.

A soft contact made firm shakes in long steps, and shorter steps alone leave it soft: each is refused, and both mend it.
Of all candidates the one with the least harm is kept, though it may break something, and the next is tried on top of
it. What holds is then thinned out: a cure without which it holds as well is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import mujoco

from tarsus.scripts.library.doctor import judging
from tarsus.scripts.library.doctor.finding import Mend, differing, merged, numbers, option
from tarsus.scripts.library.doctor.watching import Watched

if TYPE_CHECKING:
    from tarsus.scripts.library.doctor.curing import Group, Trials

MOST = 4  # cures on top of each other
FAULT = 0.25  # ailments that something worse than before counts for, while cures are still to come
WORST = 2.0  # times its first number, from which on an ailment is no worse
GAIN = 0.2  # ailments that cures must lessen the harm by
Cure = tuple[Mend, ...]


def search(trials: Trials, found: Sequence[Group], earlier: Cure) -> tuple[Cure, ...]:
    """Return the fewest cures that lessen the harm together, on top of earlier ones, and hold; none if none do.

    Args:
        trials: In which they are tried, as long as steps are left.
        found: The ailments.
        earlier: Settings that were accepted.
    """
    start = trials.watch(earlier) or trials.base
    least, best, chosen = _harm(trials.base, start, found), (), ()
    candidates = list(dict.fromkeys([*_of_the_whole(start.model), *_of(found, start)]))
    while candidates and least > 0 and len(chosen) < MOST:
        tried = []
        for cure in candidates:
            if (again := trials.watch(merged(earlier, *chosen, cure))) is None:
                break
            tried.append((_harm(trials.base, again, found, FAULT), cure, again))
        if not tried:
            break
        for harm, cure, watched in tried:
            if harm < (least if best else least - GAIN) and not judging.worse(trials.base, watched):
                least, best = harm, (*chosen, cure)
        kept = min(tried, key=lambda one: one[0])[1]
        chosen, candidates = (*chosen, kept), [one for one in candidates if one != kept]
    return _thinned(trials, found, earlier, best, least)


def _thinned(trials: Trials, found: Sequence[Group], earlier: Cure, cures: tuple[Cure, ...], harm: float):
    """Return the cures without those that are needless."""
    for cure in cures:
        rest = tuple(one for one in cures if one != cure)
        again = trials.watch(merged(earlier, *rest))
        if again and not judging.worse(trials.base, again) and _harm(trials.base, again, found) <= harm:
            cures = rest
    return cures


def _harm(base: Watched, trial: Watched, found: Sequence[Group], fault: float = 0.0) -> float:
    """Return the ailments that are left, each as a share of its first number, and what is worse than before."""
    if trial.ended or trial.stance.falls():
        return float("inf")
    left = [one.number(trial) / one.diagnosis.number for one in found if one.number(trial) > one.limit]
    return sum(min(share, WORST) for share in left) + fault * len(judging.worse(base, trial))


def _of(found: Sequence[Group], start: Watched) -> Iterator[Cure]:
    """Yield the cures of the ailments that are left."""
    for one in found:
        if one.number(start) > one.limit:
            yield from one.cures


def _of_the_whole(model: mujoco.MjModel) -> Iterator[Cure]:
    """Yield settings of the whole model that others may need: shorter steps, harder friction, another integrator."""
    h, ratio = model.opt.timestep, model.opt.impratio
    made = [option(timestep=numbers(h / k)) for k in (2, 4)]
    made += [option(cone="elliptic", impratio=numbers(max(ratio, least))) for least in (10.0, 100.0)]
    yield from (one for one in (*made, option(integrator="discrete")) if differing(model, one))
