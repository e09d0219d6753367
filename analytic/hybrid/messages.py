"""Sentences that say why, when and where a run ended, and what to do."""

import numpy as np

from ..compilation.rebuild import interpreted
from .kernel import codes
from .loader import Functions
from .result import Names, Status

BAD = {
    codes.BAD_STATE: ("state", "state"),
    codes.BAD_FIELD: ("rate of", "state"),
    codes.BAD_GUARD: ("guard", "guards"),
    codes.BAD_PARAMETER: ("parameter", "params"),
    codes.BAD_MEMORY: ("memory", "memory"),
}
STOPS = {
    codes.NO_SIGN: (
        Status.STOP_ITER.value,
        "a guard must be positive on one side of its zero and negative on the other",
    ),
    codes.ONTO_ZERO: (
        "a guard jumps to or from zero without passing it",
        "subtract a small number so that it passes, or, for known times, declare hy.at(times) or hy.every(period)",
    ),
}
SMALLEST = 8.0  # units of rounding in time, as in `kernel/steps.py`
AHEAD = 1e-4  # of the step: how far a guard is followed along the field
JUMPS = 0.5  # of a rate: a change within one of very many steps that is a switching
FEW = 8  # numbers of a state that a sentence has
LATE = 1e3  # a run that begins so many of its lengths after zero has its clock to blame


def message(
    w: np.void, status: Status, names: Names, error: BaseException | None, t0: float, functions: Functions
) -> str:
    """A sentence that says why, when and where a run of a model's functions ended, which began at `t0` [s]."""
    t = float(w["t"])
    chart = names.chart(int(w["chart"]))
    culprit = int(w["culprit"])
    where = f"at t = {t!r} in chart {chart}"
    if status is Status.NONFINITE:
        what, table = BAD[int(w["what"])]
        which = f"{what} {getattr(names, table)[culprit]}"
        return f"{which} is NaN or infinite at t = {float(w['t_culprit'])!r} in chart {chart}"
    if error is not None:
        return f"{status.value}, {where}: {type(error).__name__}: {error}"
    if status is Status.MODEL_ERROR:
        advice = "DECLINE keeps changes of the memory alone; return the chart's code to keep those of the state"
        return f"the transition of guard {names.guards[culprit]} declined and changed the state, {where}; {advice}"
    if status is Status.STOP_ITER:
        what, cure = STOPS[int(w["what"])]
        return f"{what}: guard {names.guards[culprit]} at t = {float(w['t_culprit'])!r} in chart {chart}; {cure}"
    if status is Status.INVALID_ENTRY and int(w["rest"][culprit]) == codes.REFUSES:
        late = _clock(w, t, t0, codes.CLOCK, "gaps")
        return f"a guard that rested at zero became negative: guard {names.guards[culprit]}, {where}{late}"
    if status is Status.CHATTER:
        return f"{status.value}: guard {names.guards[culprit]}, {where}; {_chatter(w, t, t0, functions)}"
    if status is Status.CHART_LIMIT:
        return f"{status.value}: guard {names.guards[int(w['first'])]}, {where}"
    if status in (Status.INVALID_ENTRY, Status.ZENO):
        entry = _entry(w, t == t0, names, functions) if status is Status.INVALID_ENTRY else ""
        return f"{status.value}: guard {names.guards[culprit]}, {where}{entry}{_clock(w, t, t0, codes.CLOCK, 'gaps')}"
    if status is Status.INVALID_CHART:
        by = f"guard {names.guards[culprit]}" if culprit >= 0 else "validate"
        return f"{status.value}: {by}, {where}"
    if status is Status.UNKNOWN_CHART:
        return f"{status.value}: {culprit}, {where}"
    if status is Status.STEP_LIMIT:
        return f"{status.value}, {where}{_steps(w, names)}"
    if status is Status.STEP_TOO_SMALL:
        return f"{status.value}, {where}{_clock(w, t, t0, SMALLEST, 'steps')}"
    return f"{status.value}, {where}"


def _entry(w: np.void, begins: bool, names: Names, functions: Functions) -> str:
    """The guard's value and the state where a chart was refused, and what to do."""
    i, chart, found = int(w["culprit"]), int(w["chart"]), np.full(len(w["sign"]), np.inf)
    interpreted(functions.guards)(float(w["t"]), w["x"], w["d"], w["p"], chart, found)
    value = f"{found[i]:.3g}" if w["sign"][i] * found[i] < 0.0 else f"{found[i]:.3g} and falls"
    state = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names.state, w["x"], strict=False))
    do = "start where it is positive, or in another chart" if begins else "let the event before leave it positive"
    where = f" at {state}" if len(names.state) <= FEW else ""
    return f"; it is {value}{where}: {do}, or declare it with on_entry"


def _chatter(w: np.void, t: float, t0: float, functions: Functions) -> str:
    """What the gaps between events say: a sliding surface, a coarse clock, or a repetition."""
    if _slides(w, functions):
        return "two charts' fields both point at their common boundary: declare it with model.surface"
    if w["jumped"][int(w["culprit"])]:
        return (
            "fifty gaps in a row were too short: the guard jumps back and forth, as rounding does; make it continuous"
        )
    clock = _clock(w, t, t0, codes.CLOCK, "gaps")
    if clock:
        return f"fifty gaps in a row were too short for the clock{clock}"
    gap = max(float(w["min_gap"] * max(w["t_scale"], t - t0)), codes.CLOCK * codes.EPS * abs(t))
    return f"fifty gaps in a row were below {gap:.2g} s (min_gap); a reset may leave its guard at zero"


def _slides(w: np.void, functions: Functions) -> bool:
    """Whether the last guard, whose event only changed the chart, rises along the new chart's field: back across."""
    i, t, x, d, p = int(w["culprit"]), float(w["t"]), w["x"], w["d"], w["p"]
    before, chart = int(w["chart_before"]), int(w["chart"])
    if not w["unchanged"] or chart == before:
        return False
    e, f = max(AHEAD * float(w["h"]), 64.0 * codes.EPS * abs(t)), np.zeros_like(x)
    interpreted(functions.field)(t, x, d, p, chart, f)
    now, later = (np.full(len(w["sign"]), np.inf) for _ in range(2))
    guards = interpreted(functions.guards)
    guards(t, x, d, p, before, now)
    guards(t + e, x + e * f, d, p, before, later)
    return bool(w["sign"][i] * later[i] > w["sign"][i] * now[i])


def _clock(w: np.void, t: float, t0: float, units: float, what: str) -> str:
    """Advice for a run that is short and begins so late that rounding of time decides; else an empty string."""
    resolved = units * codes.EPS * abs(t)
    if abs(t0) < LATE * float(w["t_final"] - t0):
        return ""
    advice = "begin at t0=0 and carry the offset in a parameter"
    return f"; this far from t = 0 the clock resolves {what} of {resolved:.2g} s: {advice}"


def _steps(w: np.void, names: Names) -> str:
    """The state whose rate changed most in the last step, in units of its tolerance, and the step's length."""
    stages, h = w["k"], float(w["s1"] or w["h"])
    change = np.ptp(stages, axis=0)
    i = int(np.argmax(change * h / (w["atol"] + w["rtol"] * np.abs(w["x"]))))
    low, high = float(stages[:, i].min()), float(stages[:, i].max())
    said = f"; the last steps were {h:.2g} s long, {1 / h:.2g} a second, for the rate of {names.state[i]}"
    if change[i] > JUMPS * max(abs(low), abs(high)):
        said += f", which goes from {low:.3g} to {high:.3g} within one"
    return (
        f"{said}: where a field switches, declare a guard, or sliding with model.surface; where it is stiff, "
        'compile with method="rodas5p"; otherwise take a looser rtol, or more max_steps'
    )
