"""A run as an init file describes it: the symbols' names, defaults and meaning.

Source: SimSect manual, sections 2 and 3.4; where its parts spell a symbol differently both spellings are taken, and
the one of its Fig. 1 and its code is used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import hybrid as hy
from .. import terrain
from ..clock import TripodGait
from ..spelling import listed
from .parsing import DEFAULT_FILE, Symbol, parse
from .systems import SYSTEMS

# Symbols of the integrator with the manual's defaults (2.4.2). useGeomview: 0, not the 1 of 3.4.5.
INTEGRATOR: dict[str, float | str] = {
    "systemName": "hexapod",
    "dataBaseName": "SimSect",
    "useGeomview": 0.0,
    "stopPrecision": 1e-10,
    "maxStopIterations": 128.0,
    "recordPeriod": 0.0,
    "measurePeriod": 0.0,
    "maxChartCount": 128.0,
    "finalTime": 1.0,
    "tolerance": 1e-4,
    "maxTimeStep": 1e-2,
    "minTimeStep": 1e-15,
    "rkPower": 0.0,  # 0: the method's own exponent; the manual's 0.33 is that of its third-order scheme
}
# Symbols of the view. The size and the cells of the ground: the hexapod's names; the defaults are SLIP's platform.
VIEW: dict[str, float] = {
    "framerate": 120.0,
    "grid_xsize": 25.0,
    "grid_ysize": 1.0,
    "grid_xsteps": 100.0,
    "grid_ysteps": 5.0,
}
MOVIE = "movie_filename"  # of the authors' files, without effect: `--video` films a run
WHOLE = ("maxStopIterations", "maxChartCount")
MOST_ROWS = 1e7  # of a record, which is kept in memory
FASTEST = 1e4  # framerate [1/s]
MOST_CELLS = 500  # of the ground across a picture


@dataclass(frozen=True)
class Setup:
    """A run as an init file describes it."""

    system: str
    base: str  # of the output files
    settings: dict[str, Any]  # of `Simulator.run`
    state: dict[str, float]
    memory: dict[str, float]
    params: dict[str, float]
    words: dict[str, str]
    view: dict[str, float]  # VIEW's symbols
    use_view: bool
    model: hy.Model = field(repr=False)
    ground: terrain.Terrain = field(repr=False)
    idle: tuple[str, ...] = ()  # symbols of the file that are known and have no effect


def setup(
    symbols: Mapping[str, Symbol], name: str = DEFAULT_FILE, strict: bool = True, gait: TripodGait | None = None
) -> Setup:
    """Return the run that symbols describe.

    Args:
        symbols: From `parse`.
        name: The file's name, for messages.
        strict: Whether an unknown symbol is an error; else it is ignored.
        gait: Of a hexapod, where the symbols set none.
    """
    system = symbols.get("systemName", Symbol(INTEGRATOR["systemName"], 0))
    if system.value not in SYSTEMS:
        where = f"{name}:{system.line}: " if system.line else f"{name}: no systemName, so the default: "
        raise ValueError(f"{where}unknown system {system.value!r}; known: {listed(system.value, SYSTEMS)}")
    kind = SYSTEMS[str(system.value)]
    if gait is not None and not kind.walks:
        walking = ", ".join(known for known, other in SYSTEMS.items() if other.walks)
        raise ValueError(f"{name}: only the system {walking} walks a gait, not {system.value}")
    words = dict(kind.words)
    _read({n: symbol for n, symbol in symbols.items() if n in words}, words, words, name, strict)
    numbers = {n: symbol.value for n, symbol in symbols.items() if isinstance(symbol.value, float)}
    try:
        model = kind.build(numbers | words, gait) if kind.walks else kind.build(numbers | words)
        ground = kind.ground(numbers | words)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    names = {"state": model.state_names, "memory": model.memory_names, "params": model.param_names}
    values = dict(INTEGRATOR) | VIEW | dict(kind.view) | words
    idle = (MOVIE, *kind.idle(words))
    known = [*values, *(n for group in names.values() for n in group), *kind.placing, *idle]
    _read(symbols, values, known, name, strict)
    _check(values, kind.half_width, symbols, name)
    groups = {kind: {n: float(symbols[n].value) for n in group if n in symbols} for kind, group in names.items()}
    view = {n: float(values[n]) for n in VIEW}
    return Setup(
        str(system.value), str(values["dataBaseName"]), settings(values), **groups, words=words, view=view,
        use_view=bool(values["useGeomview"]), model=model, ground=ground, idle=tuple(n for n in symbols if n in idle),
    )  # fmt: skip


def _read(symbols: Mapping[str, Symbol], values: dict[str, Any], known: Iterable[str], name: str, strict: bool) -> None:
    """Put the symbols that are in `values` or `known` there."""
    for symbol, given in symbols.items():
        if symbol not in known:
            if strict:
                raise ValueError(
                    f"{name}:{given.line}: unknown symbol {symbol!r}; known: {listed(symbol, dict.fromkeys(known))}"
                )
            continue
        default = "" if symbol == MOVIE else values.get(symbol, 0.0)
        if isinstance(given.value, tuple) or isinstance(given.value, str) != isinstance(default, str):
            kind = "a quoted string" if isinstance(default, str) else "a number"
            raise ValueError(f"{name}:{given.line}: {symbol} must be {kind}, got {given.value!r}")
        values[symbol] = given.value


def _check(values: Mapping[str, Any], half_width: float, symbols: Mapping[str, Symbol], name: str) -> None:
    """Refuse values that no run or picture can have; those that the engine knows of are left to its `Options`."""

    def refuse(symbol: str, what: str) -> None:
        line = f":{symbols[symbol].line}" if symbol in symbols else ""
        raise ValueError(f"{name}{line}: {symbol} must {what}, got {values[symbol]:g}")

    for symbol in WHOLE:
        if values[symbol] != int(values[symbol]):
            refuse(symbol, "be a whole number")
    if values["finalTime"] < 0:
        refuse("finalTime", "not be negative")
    for symbol in ("recordPeriod", "measurePeriod"):
        if 0 < values[symbol] * MOST_ROWS < values["finalTime"]:
            refuse(symbol, f"be 0 or at least finalTime / {MOST_ROWS:g}")
    for symbol in VIEW:
        if not values[symbol] > 0:
            refuse(symbol, "be positive")
    if values["framerate"] > FASTEST:
        refuse("framerate", f"be at most {FASTEST:g}")
    for axis in "xy":
        size = values[f"grid_{axis}size"] / values[f"grid_{axis}steps"]
        if size * MOST_CELLS < 2 * half_width:
            refuse(f"grid_{axis}steps", f"make squares of {2 * half_width / MOST_CELLS:g} m or more")


def settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the integrator's symbols as settings of `Simulator.run`."""
    return {
        "final_time": values["finalTime"],
        "rtol": values["tolerance"],
        "atol": values["tolerance"],
        "max_step": values["maxTimeStep"],
        "min_step": values["minTimeStep"],
        "exponent": values["rkPower"],
        "record_period": values["recordPeriod"],
        "measure_period": values["measurePeriod"],
        "max_charts": int(values["maxChartCount"]),
        "stop_precision": values["stopPrecision"],
        "max_stop_iter": int(values["maxStopIterations"]),
    }


def load(
    path: str | Path, strict: bool = True, given: Mapping[str, Any] | None = None, gait: TripodGait | None = None
) -> Setup:
    """Return the run that an init file describes, with some symbols or a gait given from outside it."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"cannot read the init file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"cannot read the init file {path}: it is not a text") from None
    symbols = parse(text, path.name) | {symbol: Symbol(value, 0) for symbol, value in (given or {}).items()}
    return setup(symbols, path.name, strict, gait)
