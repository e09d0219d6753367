"""What a preset replaces of the `<option>` of a user's file: every entry and flag that the file sets otherwise."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from .presets import Preset, entries, find

FLAGS = {"disableflags": ("mjDSBL_", mujoco.mjtDisableBit), "enableflags": ("mjENBL_", mujoco.mjtEnableBit)}
CHOICES = {
    "integrator": ("mjINT_", mujoco.mjtIntegrator),
    "cone": ("mjCONE_", mujoco.mjtCone),
    "jacobian": ("mjJAC_", mujoco.mjtJacobian),
    "solver": ("mjSOL_", mujoco.mjtSolver),
}
NAMES = {"disableactuator": "actuatorgroupdisable (bits)"}  # in MJCF, where it is not the spec's
SIZES = ("memory", "nstack", "nconmax", "njmax")  # of `<size>`: room for contacts, of which there must be enough


@dataclass(frozen=True)
class Replaced:
    """A setting of a user's file that is not used."""

    option: str  # its name in MJCF, such as "iterations" or "flag contact"
    of_file: Any  # its value in the file
    used: Any  # the value used

    def __str__(self) -> str:
        return f"{self.option} {_written(self.of_file)} by {_written(self.used)}"


def apply_preset(spec: mujoco.MjSpec, preset: str | Preset = "rl") -> tuple[Replaced, ...]:
    """Give a model of one's own a preset's timestep, solver and contacts; feet keep their shape, friction its numbers.

    Every entry of `<option>` but gravity becomes the preset's, or MuJoCo's default where it has none; every geom and
    `<pair>` takes its `solref` and `solimp`, and no margin or gap. Feet sink by about `preset.sink` [m] under load.

    Args:
        spec: The model, which is changed.
        preset: "reference", "rl", or a preset of your own.

    Returns:
        What the file set otherwise in `<option>`, its flags and contacts, and the cone.

    Raises:
        ValueError: If no preset has that name.
    """
    preset, of_file = find(preset), snapshot(spec)
    preset.apply(spec.option)
    free_sizes(spec)
    used = {"solref": preset.solref, "solimp": (*preset.solimp, 0.5, 2.0), "margin": 0.0, "gap": 0.0}
    found = replaced(of_file, snapshot(spec), ("cone",))
    for kind, contacts in {"geom": spec.geoms, "pair": spec.pairs}.items():
        fresh = mujoco.MjSpec().default.geom if kind == "geom" else mujoco.MjSpec().default.pair
        for name, value in used.items():
            others = [getattr(one, name) for one in contacts if not np.array_equal(getattr(one, name), value)]
            set_otherwise = dict.fromkeys(_word(name, o) for o in others if not _is_default(o, getattr(fresh, name)))
            found += tuple(Replaced(f"{name} of {kind}s", one, value) for one in set_otherwise)
            for contact in contacts:
                setattr(contact, name, value)
    return found


def _is_default(value, fresh) -> bool:
    return bool(np.array_equal(value, fresh, equal_nan=True))


def snapshot(spec: mujoco.MjSpec) -> dict[str, Any]:
    """Return copies of a spec's options, gravity and sizes included, by name."""
    found = {name: np.copy(getattr(spec.option, name)) for name in entries(spec.option)}
    return found | {name: getattr(spec, name) for name in SIZES}


def free_sizes(spec: mujoco.MjSpec) -> None:
    """Let MuJoCo choose the room for contacts and constraints, whatever the file allows."""
    fresh = mujoco.MjSpec()
    for name in SIZES:
        setattr(spec, name, getattr(fresh, name))


def replaced(
    of_file: Mapping[str, Any], used: Mapping[str, Any], written: Collection[str] = ()
) -> tuple[Replaced, ...]:
    """Return the differences of two `snapshot`s, but for MuJoCo's defaults that are not `written` in the file."""
    fresh, found = snapshot(mujoco.MjSpec()), []
    for name, value in of_file.items():
        if name in FLAGS:
            found += _flags(name, int(value), int(used[name]))
        elif not np.array_equal(value, used[name]) and (name in written or not np.array_equal(value, fresh[name])):
            found.append(Replaced(NAMES.get(name, name), _word(name, value), _word(name, used[name])))
    return tuple(found)


def _flags(name: str, of_file: int, used: int) -> list[Replaced]:
    """Return the flags that a file sets against MuJoCo's default and that are not so in what is used."""
    prefix, bits = FLAGS[name]
    words = ("disable", "enable") if name == "disableflags" else ("enable", "disable")  # set, and by default
    return [
        Replaced(f"flag {bit.name.removeprefix(prefix).lower()}", *words)
        for bit in bits.__members__.values()
        if bit.name.startswith(prefix) and of_file & int(bit) & ~used
    ]


def _word(name: str, value) -> Any:
    """Return a value as MJCF writes it."""
    if name in CHOICES:
        prefix, kind = CHOICES[name]
        return kind(int(value)).name.removeprefix(prefix).lower()
    return tuple(np.asarray(value).tolist()) if np.ndim(value) else np.asarray(value).item()


def _written(value) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{number:g}" for number in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
