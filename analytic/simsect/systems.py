"""The machines that init files know by name. A system joins by a line in `SYSTEMS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from .. import hybrid as hy
from .. import terrain
from ..models import slip
from ..models.hexapod import HexapodParams, element_symbols, robot, with_symbols
from ..models.hexapod import hybrid as hexapod

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


def _slip(symbols: Symbols) -> hy.Model:
    names = [entry.name for entry in fields(slip.Slip)]
    return slip.build(params=slip.Slip(**{name: symbols[name] for name in names if name in symbols}))


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
    params = with_symbols(
        robot(str(symbols["robot"])), {name: value for name, value in symbols.items() if name in table}
    )
    return hexapod.build(params, _hexapod_ground(symbols))


SYSTEMS: dict[str, System] = {
    "slip": System(_slip),
    "hexapod": System(
        _hexapod,
        words={"robot": "table2"} | {name: getattr(TABLE_2, name) for name in ("terrain_type", "control_type")},
        view={n: getattr(TABLE_2, n) for n in ("grid_xsize", "grid_ysize", "grid_xsteps", "grid_ysteps", "framerate")},
        unused=(*TERRAIN_ARGS, "frame_width", "frame_height", "supply_voltage", "drive_resist"),
        reach=0.5,
        ground=_hexapod_ground,
    ),
}
