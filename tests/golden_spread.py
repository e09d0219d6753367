"""How far rounding moves golden data: what their tolerances are derived from.

Usage: python tests/golden_spread.py [FIGURE ...] [--seeds 3]. Prints for each array of a figure the largest change from
what is stored, as a share of the array's largest entry and of its tolerance, over runs in which MuJoCo's state is
multiplied by 1 plus a random rounding (2e-16) before every step: what another compiler or processor does to it. Run it
under the variables of `.ci/processors` to see what another processor does to the rest.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import mujoco
import numpy as np

from tarsus.scripts.laboratory.drawing import load, names

ROUNDING = 2e-16
GOLDEN = Path(__file__).parent / "golden"


def jiggling(rng: np.random.Generator):
    """Return MuJoCo's step after a jiggle of the state."""
    step = mujoco.mj_step

    def jiggled(model, data, *n_steps):
        for values in (data.qpos, data.qvel):
            values *= 1.0 + ROUNDING * rng.standard_normal(values.shape)
        return step(model, data, *n_steps)

    return jiggled


def changes(figure, stored, seed: int) -> dict[str, tuple[float, float]]:
    """Return each array's largest change, as a share of its largest entry and of its tolerance."""
    step, mujoco.mj_step = mujoco.mj_step, jiggling(np.random.default_rng(seed))
    try:
        data = figure.compute(**getattr(figure, "GOLDEN", {}))
    finally:
        mujoco.mj_step = step
    found = {}
    for name in stored.files:
        kept = np.asarray(stored[name], float)
        special = getattr(figure, "TOLERANCES", {}).get(name, {})
        rtol, atol = (
            special.get("rtol", getattr(figure, "RTOL", 1e-6)),
            special.get("atol", getattr(figure, "ATOL", 1e-12)),
        )
        change = np.nan_to_num(np.abs(np.asarray(data[name], float) - kept))
        size = np.nanmax(np.abs(kept), initial=0.0) or 1.0
        found[name] = change.max(initial=0.0) / size, np.nanmax(change / (atol + rtol * np.abs(kept)), initial=0.0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("figures", nargs="*", default=names(), metavar="FIGURE")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    for name in args.figures:
        figure, stored = load(name), np.load(GOLDEN / f"figure_{name}.npz")
        runs = [changes(figure, stored, seed) for seed in range(args.seeds)]
        for key in stored.files:
            size, share = np.max([run[key] for run in runs], axis=0)
            print(f"{name}.{key}: {size:.0e} of its largest entry, {share:.2g} of its tolerance", flush=True)


if __name__ == "__main__":
    main()
