"""SimSect's front end: init files, the symbols they set, and the output files.

An init file is a list of `name = value;` with a real number or a quoted string; `#` begins a comment, outside quotes;
of two assignments to a name the last holds. Source: SimSect manual, sections 2 and 3.4; where its parts spell a symbol
differently both spellings are taken, and the one of its Fig. 1 and its code is used here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import hybrid as hy
from . import terrain
from .models import slip
from .models.hexapod import HexapodParams, element_symbols, with_symbols
from .models.hexapod import hybrid as hexapod

Symbols = Mapping[str, float | str]


@dataclass(frozen=True)
class System:
    """A machine as init files know it.

    Attributes:
        build: Makes the model from the symbols that are set.
        words: Symbols whose values are words, with their defaults.
        view: Its own defaults of the view's symbols.
        unused: Further symbols of its table, which are taken and have no effect.
        reach: Half the width of its picture [m].
        ground: Makes the terrain to draw, from the symbols that are set.
    """

    build: Callable[[Symbols], hy.Model]
    words: Mapping[str, str] = field(default_factory=dict)
    view: Mapping[str, float] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    reach: float = 1.5
    ground: Callable[[Symbols], terrain.Terrain] = lambda symbols: terrain.Flat()


TABLE_2 = HexapodParams()
TERRAIN_ARGS = ("terrain_arg1", "terrain_arg2", "terrain_arg3")


def _hexapod_ground(symbols: Symbols) -> terrain.Terrain:
    """Return the terrain that is named, with its own defaults where no argument is set (erratum 24)."""
    kind = terrain.make(symbols["terrain_type"])
    names = [item.name for item in fields(kind)]
    given = {name: symbols[arg] for name, arg in zip(names, TERRAIN_ARGS, strict=False) if arg in symbols}
    return replace(kind, **given)


def _hexapod(symbols: Symbols) -> hy.Model:
    table = element_symbols().keys() | vars(TABLE_2).keys()
    params = with_symbols(TABLE_2, {name: value for name, value in symbols.items() if name in table})
    return hexapod.build(params, _hexapod_ground(symbols))


# A system joins by a line here.
SYSTEMS: dict[str, System] = {
    "slip": System(lambda symbols: slip.build()),
    "hexapod": System(
        _hexapod,
        words={name: getattr(TABLE_2, name) for name in ("terrain_type", "control_type")},
        view={n: getattr(TABLE_2, n) for n in ("grid_xsize", "grid_ysize", "grid_xsteps", "grid_ysteps", "framerate")},
        unused=(*TERRAIN_ARGS, "frame_width", "frame_height"),
        reach=0.5,
        ground=_hexapod_ground,
    ),
}

DEFAULT_FILE = "SimSect.rc"

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
ALIASES = {
    "power": "rkPower",
    "maxStopIter": "maxStopIterations",
    "frameRate": "framerate",
    "spr_i": "spri",
    "spr_j": "sprj",
}

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+|#[^\n]*)|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<number>[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)"
    r'|(?P<string>"[^"\n]*")|(?P<sign>[=;])'
)


@dataclass(frozen=True)
class Symbol:
    """A value from an init file, and where it stands."""

    value: float | str
    line: int


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


def parse(text: str, name: str = DEFAULT_FILE) -> dict[str, Symbol]:
    """Return the symbols that an init file sets.

    Raises:
        ValueError: With file and line, if the text is not a list of assignments.
    """
    tokens = list(_tokens(text, name))
    symbols: dict[str, Symbol] = {}
    i = 0
    while i < len(tokens):
        line = tokens[i][2]
        part = tokens[i : i + 4]
        kinds = [kind for kind, _, _ in part]
        if kinds[:1] != ["name"]:
            raise ValueError(f"{name}:{line}: expected a name, got {part[0][1]!r}")
        if len(part) < 2 or part[1][1] != "=":
            raise ValueError(f"{name}:{line}: expected '=' after {part[0][1]}")
        if len(part) < 3 or kinds[2] not in ("number", "string"):
            raise ValueError(f"{name}:{line}: {part[0][1]} needs a number or a quoted string")
        if len(part) < 4 or part[3][1] != ";":
            raise ValueError(f"{name}:{part[2][2]}: expected ';' after the value of {part[0][1]}")
        value = float(part[2][1]) if kinds[2] == "number" else part[2][1][1:-1]
        symbols[ALIASES.get(part[0][1], part[0][1])] = Symbol(value, line)
        i += 4
    return symbols


def _tokens(text: str, name: str):
    place, line = 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(f"{name}:{line}: cannot read {text[place : place + 20].splitlines()[0]!r}")
        if match.lastgroup != "space":
            yield match.lastgroup, match.group(), line
        line += match.group().count("\n")
        place = match.end()


def setup(symbols: Mapping[str, Symbol], name: str = DEFAULT_FILE, strict: bool = True) -> Setup:
    """Return the run that symbols describe.

    Args:
        symbols: From `parse`.
        name: The file's name, for messages.
        strict: Whether an unknown symbol is an error; else it is ignored.

    Raises:
        ValueError: With file and line, for an unknown system or symbol, or a value of the wrong type.
    """
    system = symbols.get("systemName", Symbol(INTEGRATOR["systemName"], 0))
    if system.value not in SYSTEMS:
        where = f"{name}:{system.line}: " if system.line else f"{name}: no systemName, so the default: "
        raise ValueError(f"{where}unknown system {system.value!r}; known: {', '.join(SYSTEMS)}")
    kind = SYSTEMS[str(system.value)]
    words = dict(kind.words)
    _read({n: symbol for n, symbol in symbols.items() if n in words}, words, words, name, strict)
    numbers = {n: symbol.value for n, symbol in symbols.items() if not isinstance(symbol.value, str)}
    try:
        model, ground = kind.build(numbers | words), kind.ground(numbers | words)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    names = {"state": model.state_names, "memory": model.memory_names, "params": model.param_names}
    values = dict(INTEGRATOR) | VIEW | dict(kind.view) | words
    known = [*values, *(n for group in names.values() for n in group), *kind.unused]
    _read(symbols, values, known, name, strict)
    groups = {kind: {n: float(symbols[n].value) for n in group if n in symbols} for kind, group in names.items()}
    view = {n: float(values[n]) for n in VIEW}
    return Setup(
        str(system.value), str(values["dataBaseName"]), settings(values), **groups, words=words, view=view,
        use_view=bool(values["useGeomview"]), model=model, ground=ground,
    )  # fmt: skip


def _read(symbols: Mapping[str, Symbol], values: dict[str, Any], known: Iterable[str], name: str, strict: bool) -> None:
    """Put the symbols that are in `values` or `known` there.

    Raises:
        ValueError: With file and line, for an unknown symbol if strict, or a value of the wrong type.
    """
    for symbol, given in symbols.items():
        if symbol not in known:
            if strict:
                raise ValueError(
                    f"{name}:{given.line}: unknown symbol {symbol!r}; known: {', '.join(dict.fromkeys(known))}"
                )
            continue
        if isinstance(given.value, str) != isinstance(values.get(symbol, 0.0), str):
            kind = "a quoted string" if isinstance(values.get(symbol), str) else "a number"
            raise ValueError(f"{name}:{given.line}: {symbol} must be {kind}, got {given.value!r}")
        values[symbol] = given.value


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


def load(path: str | Path, strict: bool = True) -> Setup:
    """Return the run that an init file describes.

    Raises:
        ValueError: If the file cannot be read or is wrong.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"cannot read the init file {path}: {error.strerror}") from None
    return setup(parse(text, path.name), path.name, strict)


def write_inputs(run: Setup, sim: hy.Simulator) -> tuple[Path, Path]:
    """Write `<base>.initial` and `<base>.param`, which reproduce the run together with its integrator symbols."""
    model = sim.model
    state = dict(zip(model.state_names, model.x0, strict=True)) | run.state
    state |= dict(zip(model.memory_names, model.d0, strict=True)) | run.memory
    params = dict(zip(model.param_names, model.p0, strict=True)) | run.params | run.words
    paths = Path(f"{run.base}.initial"), Path(f"{run.base}.param")
    for path, table in zip(paths, (state, params), strict=True):
        path.write_text("".join(f"{name} = {_quoted(value)};\n" for name, value in table.items()), encoding="utf-8")
    return paths


def _quoted(value: float | str) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(float(value))


def write_data(run: Setup, result: hy.Result) -> Path:
    """Write `<base>.data`: a row of auxiliary functions per recorded point (time, states, memory if there are none)."""
    rows = result.aux if result.names.aux else np.column_stack([result.t, result.x, result.d])
    path = Path(f"{run.base}.data")
    np.savetxt(path, rows, fmt="%.17g")
    return path


def integrate(run: Setup, sim: hy.Simulator, **callbacks: Any) -> hy.Result:
    """Run it; `on_measure` and `on_frame` (at the view's frame rate) are called on the way."""
    more = {"frame_period": 1.0 / run.view["framerate"]} if "on_frame" in callbacks else {}
    return sim.run(run.state, run.memory, run.params, **run.settings, **more, **callbacks)


def find_root(function: Callable[[float], float], start: float, tol: float = 1e-12, max_iter: int = 50) -> float:
    """Return a zero of a scalar function near `start` by Newton's method with a difference quotient (3.4.4).

    Raises:
        ValueError: If it does not converge.
    """
    x = float(start)
    for _ in range(max_iter):
        value = function(x)
        if not math.isfinite(value):
            break
        h = 1e-6 * max(1.0, abs(x))
        slope = (function(x + h) - function(x - h)) / (2.0 * h)
        if slope == 0.0:
            break
        step = value / slope
        x -= step
        if abs(step) <= tol * max(1.0, abs(x)):
            return x
    raise ValueError(f"no zero found near {start} in {max_iter} steps")
