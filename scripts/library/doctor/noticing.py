"""What the doctor says beside its findings: of the file, of a model that is not at rest, and of a preset that mends."""

from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from tarsus.mjcf import own_repairs, own_source
from tarsus.mjcf.own_options import apply_preset
from tarsus.mjcf.presets import PRESETS
from tarsus.scripts.library.doctor import judging, watching

COMING = 0.8  # drift of the last quarter over that of the third, below which a model is coming to rest
MOVES = 1e-5  # drift that is none [m/s]


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
        if mended and not judging.worse(base, again):
            return [
                f"The preset {name!r} mends {', '.join(left)} and leaves the rest as good as it is: "
                f"`mjcf.apply_preset(spec, {name!r})`, or its elements in the page on presets."
            ]
    return []
