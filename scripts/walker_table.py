"""Make the table of docs/multipods.md: multipods, BigANT and discs walk, and their feet carry the weight.

Usage: tarsus walker table [--legs 4 6 ... 50] [--presets rl] [--seconds 30] [--robot multipod]..
Runtime: CPU seconds grow from 1 to 33 with the legs in the preset rl, ten times as many in reference.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from tqdm import tqdm

from tarsus.scripts.report import markdown_table
from tarsus.scripts.runs.walking import MACHINES, Walking, walk

SETTLE = 2.0  # [s]; speeds and loads are those of the whole strides after it
HEAD = ("robot", "legs", "preset", "time [s]", "speed [m/s]", "largest tilt [degrees]", "load [%]", "end")


def row(robot: str, n_legs: int | None, preset: str, seconds: float) -> tuple:
    """Return a row of the table: one walk. `load` is by how much a stride's mean of the foot forces is off, at most."""
    machine = MACHINES[robot]
    params = machine.params(n_legs=n_legs) if n_legs else machine.params()
    gait = machine.gait(params)
    found = walk(Walking(robot, params, gait, preset=preset), seconds)
    speed = found.velocity(SETTLE)[0]  # first: it refuses a walk without a whole stride
    end = "toppled" if found.toppled else "MuJoCo warned" if found.warned else "walks"
    load = 100 * np.abs(found.load_of_strides(SETTLE) - 1).max()
    tilt = np.rad2deg(found.tilt.max())
    return robot, gait.n_legs, f"`{preset}`", f"{seconds:g}", f"{speed:.3f}", f"{tilt:.1f}", f"{load:.3f}", end


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus walker table", description=__doc__.partition("\n")[0])
    parser.add_argument("--robot", choices=MACHINES, default="multipod")
    parser.add_argument("--legs", type=int, nargs="+", default=[*range(4, 51, 2)], help="not of BigANT, which has six")
    parser.add_argument("--presets", nargs="+", default=["rl"])
    parser.add_argument("--seconds", type=float, default=30.0)
    args = parser.parse_args(argv)
    sizes = [None] if args.robot == "bigant" else args.legs
    cases = [(args.robot, n, preset, args.seconds) for preset in args.presets for n in sizes]
    try:
        print(markdown_table(HEAD, [row(*case) for case in tqdm(cases)]))
    except ValueError as problem:
        print(f"tarsus walker table: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
