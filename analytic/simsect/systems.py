"""The machines that init files know by name. A system joins by a line in `SYSTEMS`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np

from .. import hybrid as hy
from .. import terrain
from ..clock import TripodGait
from ..models import slip
from ..models.hexapod import N_LEGS, HexapodParams, element_symbols, robot, state, with_symbols
from ..models.hexapod import hybrid as hexapod

Symbols = Mapping[str, float | str]


@dataclass(frozen=True)
class System:
    """A machine as init files know it.

    Attributes:
        build: Makes the model from the symbols that are set, and of a system that `walks` a gait, or None.
        words: Symbols whose values are words, with their defaults.
        view: Its own defaults of the view's symbols.
        placing: Symbols that place it, which `build` takes besides the model's own.
        idle: Symbols of its table that are known and have no effect.
        half_width: Half the width of its picture [m].
        ground: Makes the terrain to draw, from the symbols that are set.
        walks: Whether it takes a gait of the hexapod's clock.
    """

    build: Callable[..., hy.Model]
    words: Mapping[str, str] = field(default_factory=dict)
    view: Mapping[str, float] = field(default_factory=dict)
    placing: tuple[str, ...] = ()
    idle: Callable[[Symbols], tuple[str, ...]] = lambda symbols: ()
    half_width: float = 1.5
    ground: Callable[[Symbols], terrain.Terrain] = lambda symbols: terrain.Flat()
    walks: bool = False


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


GAIT = ("cycle_time", "sweep_angle", "flight_time", "leg_offset")
POSITION, SPEED = ("r_x", "r_y", "r_z"), ("v_x", "v_y", "v_z")  # of the body, world frame [m], [m/s]
# Parameters that no run reads.
UNUSED = ("q_rt", "q_rl", "torque_loss", "frame_width", "frame_height", "supply_voltage", "drive_resist")


def _hexapod(symbols: Symbols, gait: TripodGait | None) -> hy.Model:
    table = element_symbols().keys() | vars(TABLE_2).keys()
    own = [name for name in GAIT if gait is not None and name in symbols]
    if own:
        raise ValueError(f"the file sets a gait itself ({', '.join(own)}), which a named gait would replace: give one")
    given = {name: value for name, value in symbols.items() if name in table}
    params = with_symbols(robot(str(symbols["robot"])), given)
    ground = _hexapod_ground(symbols)
    model = hexapod.build(params, ground, gait=gait)
    if any(name in symbols for name in (*POSITION, *SPEED)):
        _place(model.x0, ground, symbols)
    return model


def _place(x0: np.ndarray, ground: terrain.Terrain, symbols: Symbols) -> None:
    """Move body and toes to where the symbols say, in place; without a height, the lowest toe stands on the ground."""
    x, y, z = (symbols.get(name, 0.0) for name in POSITION)
    toes = x0[state.TOES : state.WORK].reshape(N_LEGS, 6)
    lowest = x0[2] + ground.height_to_clear(toes[:, :3] + (x, y, 0.0))  # of the body
    if "r_z" not in symbols:
        z = lowest
    elif z < lowest - hexapod.SUNK:
        raise ValueError(f"r_z must be at least {lowest:.6g}, or a toe is underground, got {z:g}")
    rise = z - x0[2]
    for place, speed in ((x0[:3], x0[7:10]), *((toe[:3], toe[3:]) for toe in toes)):
        place += (x, y, rise)
        speed += [symbols.get(name, 0.0) for name in SPEED]


def _hexapod_idle(symbols: Symbols) -> tuple[str, ...]:
    """Return the names without effect: parameters that nothing reads, arguments that the terrain has not."""
    return (*UNUSED, *TERRAIN_ARGS[len(fields(terrain.make(symbols["terrain_type"]))) :])


SYSTEMS: dict[str, System] = {
    "slip": System(_slip),
    "hexapod": System(
        _hexapod,
        words={"robot": "table2"} | {name: getattr(TABLE_2, name) for name in ("terrain_type", "control_type")},
        view={n: getattr(TABLE_2, n) for n in ("grid_xsize", "grid_ysize", "grid_xsteps", "grid_ysteps", "framerate")},
        placing=(*POSITION, *SPEED),
        idle=_hexapod_idle,
        half_width=0.5,
        ground=_hexapod_ground,
        walks=True,
    ),
}
