"""The result on one start of a closed loop, or on the gait of a return map."""

import datetime
import hashlib
import time
from collections.abc import Callable
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.stability import bound
from tarsus.scripts.library.stability.cycle import Cycle, Repetition, kind_of
from tarsus.scripts.library.stability.displacements import displace
from tarsus.scripts.library.stability.examining import RANDOM, Examined, examine, not_periodic
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Ended, Loop, State
from tarsus.scripts.library.stability.parting import RUNS, SMALL, Parting, growth, pooled
from tarsus.scripts.library.stability.result import Stability, numbers
from tarsus.scripts.library.stability.store import Store
from tarsus.scripts.library.stability.verdict import Kind, Verdict, sentences

Said = Callable[[str], Any]
PACKAGES = ("tarsus", "mujoco", "numpy")
STARTED = 1.0  # after which it is seen whether a run repeats bit for bit [s]
PARTING = 10.0  # time over which it is seen whether nearby runs part [s]


def silent(words: str) -> None:
    """Say nothing."""


def asked(
    subject: Loop | Gait, policy: str, seed: int = 0, store: Path | None = None, said: Said = silent
) -> Stability:
    """Return the result on a loop that starts by a seed, or on a gait; `store` is a file; see `asking.stability`."""
    began, versions = time.process_time(), stamp.versions(*PACKAGES)
    if isinstance(subject, Gait):
        named: tuple[str, str, str] = policy, subject.name, "exact"
        options, lines = {}, subject.lines
        found = examine(subject.system, Store(store, [*named, versions, mark(subject)]), said)
        more: dict[str, Any] = {"period": subject.period}
    else:
        candidate = subject.candidate
        named = policy, candidate.environment, str(subject.base.config.engine)
        options = {name: value for name, value in candidate.options.items() if name != "max_episode_steps"}
        found, more = _found(subject, seed, store, [*named, repr(options), seed, versions], said)
        lines = (*candidate.lines, *subject.lines)
    return Stability(
        *named,
        **numbers(found) | more,
        options=options,
        lines=lines + found.lines,
        seed=seed,
        versions=versions,
        computer=stamp.computer(),
        date=datetime.date.today().isoformat(),
        cpu=time.process_time() - began,
    )


def _found(loop: Loop, seed: int, file: Path | None, of: list, said: Said) -> tuple[Examined, dict[str, Any]]:
    """Return the findings about a loop, and the fields of the result that say how it goes."""
    try:
        store = Store(file, [*of, mark(loop, seed)])
        if not repeatable(loop, loop.state()):
            return Examined(Verdict(Kind.STOCHASTIC, RANDOM)), {}
        settled = bound.settle(loop, seed, said=said)
    except Ended as error:
        return Examined(Verdict(Kind.FALLS, f"{error}.")), {}
    more: dict[str, Any] = {"speed": settled.speed, "sections": settled.gaps}
    if settled.stands:
        return Examined(Verdict(Kind.STANDS, "its body does not move, so that there is no gait to be stable.")), more
    if not (settled.found and settled.found.periodic):
        parting = _parting_of(loop, settled, store, said)
        return _not_periodic(settled, parting, loop), more | {"parting": astuple(parting)}
    system = bound.LoopSystem(loop, settled)
    loop.restore(settled.base)
    closed, more["period"] = ", ".join(loop.closed), system.steps * loop.ctrl_dt
    found = examine(system, store, said)
    if closed:
        words = f"what {closed} fix by standing is not displaced: its multipliers are 0"
        found = replace(found, lines=(words, *found.lines))
    if found.verdict.kind is not Kind.NOT_DETERMINED:
        return found, more
    parting = _parting_of(loop, settled, store, said)
    words = sentences(found.verdict.reason, str(parting))
    return replace(found, verdict=Verdict(Kind.NOT_DETERMINED, words)), more | {"parting": astuple(parting)}


def mark(subject: Loop | Gait, seed: int = 0) -> str:
    """Return a digest of where a loop is after a second, or a gait stands: a policy or robot that changed has another.

    Raises:
        Ended: If the episode ends before.
    """
    if isinstance(subject, Gait):
        arrays = [subject.system.at]
    else:
        started = subject.steady(STARTED, seed)
        arrays = [started.qpos, started.qvel]
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


def repeatable(loop: Loop, base: State, steps: int = 50) -> bool:
    """Whether a loop goes on bit for bit from a state: it draws nothing, and nothing is remembered outside of it."""
    ends = []
    for _ in range(2):
        loop.restore(base)
        loop.advance(steps)
        ends.append(loop.apart(base, loop.state()))
    return np.array_equal(*ends)


def _not_periodic(settled: bound.Settled, parting: Parting, loop: Loop) -> Examined:
    """Return the verdict on a loop that does not repeat, of which nearby runs part so fast."""
    found = settled.found or Cycle(Repetition.QUASI_PERIODIC, 1, np.inf)
    if parting.parts or found.kind is Repetition.QUASI_PERIODIC:
        found = replace(found, kind=kind_of(parting.parts, parting.meets), drift=None)
    names = [settled.drift] * (1 + (found.drift or (0, 0))[0])
    words = [not_periodic(found, names).reason, str(parting)]
    if settled.clock:
        words.append(f"its clock takes {settled.clock:.6g} control periods{_made_whole(settled.clock, loop)}")
    return Examined(Verdict(Kind.NOT_PERIODIC, sentences(*words)))


def _made_whole(clock: float, loop: Loop) -> str:
    """Return the option that gives a baseline's clock a whole number of control periods, if it has none, in words."""
    whole, corrects = max(round(clock), 1), getattr(getattr(loop.base.task, "corrections", None), "period", None)
    if not corrects or abs(clock - whole) < 1e-6 * clock:
        return ""
    return f": --option baseline_period={whole * loop.ctrl_dt:g} makes it {whole}"


def _parting_of(loop: Loop, settled: bound.Settled, store: Store, said: Said) -> Parting:
    """Return the rate at which nearby runs part, which is kept."""
    said("whether nearby runs part")
    return Parting(*store.part("parting", lambda: astuple(_parting(loop, settled))))


def _parting(loop: Loop, settled: bound.Settled) -> Parting:
    """Return the rate at which runs part that begin next to each other at several times of a gait."""
    steps, apart = round(PARTING / loop.ctrl_dt), (settled.steps or bound.LONGEST) // RUNS + 1

    def grown(k: int) -> tuple[float, int]:
        loop.restore(settled.base)
        loop.advance(k * apart)
        system = bound.LoopSystem(loop, replace(settled, base=loop.state()), steps=1)
        sized = np.array([name not in system.symmetric for name in system.names]) & ~system.hidden
        by = np.random.default_rng(k).standard_normal(len(system.names)) * sized
        path = [system.base]
        for _ in range(steps):
            loop.advance()
            path.append(loop.state())

        def deviate(by: np.ndarray, at: int, n: int) -> np.ndarray:
            displace(loop, by * system.scale, path[at])
            found = [by]
            while len(found) <= n and np.linalg.norm(found[-1][sized]) <= SMALL and loop.advance():
                found.append(system.apart(path[at + len(found)], loop.state()) / system.scale)
            return np.array(found)

        return growth(deviate, by, steps, sized)

    return pooled([grown(k) for k in range(RUNS)], loop.ctrl_dt)
