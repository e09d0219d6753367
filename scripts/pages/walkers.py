"""Make the table of docs/multipods.md: multipods, BigANT and discs walk, and their feet carry the weight.

Usage: tarsus page walkers [--legs 4 6 ... 50] [--presets rl] [--seconds 30] [--robot multipod]..
Runtime: CPU seconds grow from 1 to 33 with the legs in the preset rl, ten times as many in reference.
"""

from __future__ import annotations

import numpy as np
from tqdm import tqdm

from tarsus.mjcf.presets import find
from tarsus.scripts import arguments
from tarsus.scripts.report import markdown_table
from tarsus.scripts.runs.walking import MACHINES, Walking, walk

SETTLE = 2.0  # [s]; speeds and loads are those of the whole strides after it
HEAD = ("robot", "legs", "preset", "time [s]", "speed [m/s]", "largest tilt [degrees]", "load [%]", "end")


def walking_of(robot: str, n_legs: int | None, preset: str) -> Walking:
    """Return a robot of so many legs, or of its own number, under its own gait."""
    machine = MACHINES[robot]
    params = machine.params(n_legs=n_legs) if n_legs else machine.params()
    return Walking(robot, params, machine.gait(params), preset=preset)


def check(robot: str, n_legs: int | None, preset: str, seconds: float) -> None:
    """Refuse a walk that cannot be begun, or is too short for a speed.

    Raises:
        ValueError: The sentence says why.
    """
    find(preset)
    period = walking_of(robot, n_legs, preset).gait.period
    if seconds < SETTLE + period:
        raise ValueError(f"a speed needs a whole stride of {period:.3g} s after the first {SETTLE:g} s")


def row(robot: str, n_legs: int | None, preset: str, seconds: float) -> tuple:
    """Return a row of the table: one walk. `load` is by how much a stride's mean of the foot forces is off, at most."""
    walking = walking_of(robot, n_legs, preset)
    found = walk(walking, seconds)
    whole = found.time[-1] >= SETTLE + walking.gait.period  # not if it toppled before
    speed = found.velocity(SETTLE)[0] if whole else np.nan
    end = "toppled" if found.toppled else "MuJoCo warned" if found.warned else "walks"
    load = 100 * np.abs(found.load_of_strides(SETTLE) - 1).max() if whole else np.nan
    tilt = np.rad2deg(found.tilt.max())
    return robot, walking.n_legs, f"`{preset}`", f"{seconds:g}", f"{speed:.3f}", f"{tilt:.1f}", f"{load:.3f}", end


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page walkers", description=__doc__.partition("\n")[0])
    parser.add_argument("--robot", choices=MACHINES, default="multipod")
    sizes = [*range(4, 51, 2)]
    parser.add_argument("--legs", type=arguments.count, nargs="+", default=sizes, help="not of BigANT, which has six")
    parser.add_argument("--presets", nargs="+", default=["rl"])
    parser.add_argument("--seconds", type=arguments.seconds, default=30.0)
    with arguments.read(parser, argv) as args:
        sizes = [None] if args.robot == "bigant" else args.legs
        cases = [(args.robot, n, preset, args.seconds) for preset in args.presets for n in sizes]
        for case in cases:
            check(*case)
    print(markdown_table(HEAD, [row(*case) for case in tqdm(cases)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
