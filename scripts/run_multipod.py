"""Walk a multipod, BigANT or the disc in MuJoCo: summary, loads of the legs, video, window.

Usage: tarsus run multipod [--n-legs 12] [--robot multipod] [--gait NAME] [--seconds 20] ...

Writes walk.csv (the samples), legs.csv (what each leg carried) and walk.mp4 (the video) into the output folder.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields

import numpy as np

from tarsus.analytic import terrain as terrains
from tarsus.controllers.gaits import GAITS
from tarsus.scripts import arguments, report
from tarsus.scripts.runs import output
from tarsus.scripts.views import rendering

LONGEST_TABLE = 12  # legs whose loads are printed; legs.csv has them all
SHORTEST = 0.1  # of a walk: slip speeds are differences between samples [s]


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(prog="tarsus run multipod", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--robot", default="multipod", help="such as bigant or disc; default %(default)s")
    parser.add_argument(
        "--n-legs", type=arguments.count, help="legs of the multipod (even, 4 to 50) or the disc (3 to 50)"
    )
    parser.add_argument("--gait", help=f"{', '.join(GAITS)}; by default the robot's")
    parser.add_argument(
        "--gait-set", nargs="+", default=[], metavar="NAME=VALUE", help="options of the gait, as in frequency=0.5"
    )
    parser.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", help="parameters of the robot, as in leaf_k=800"
    )
    parser.add_argument("--terrain", default="flat", help=", ".join(terrains.TERRAINS))
    parser.add_argument("--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s")
    parser.add_argument("--seconds", type=arguments.seconds, default=20.0, help="how long to run [s]; default 20")
    output.add_options(parser, "out/multipod")
    parser.add_argument("--no-video", action="store_true", help="write no video")
    parser.add_argument("--view", action="store_true", help="then watch it live in a window")
    return parser


def walking_from(args: argparse.Namespace):
    """Return what the command line asks for.

    Raises:
        ValueError: If it is impossible; the sentence says what is allowed.
    """
    from tarsus.scripts.runs.walking import MACHINES, Walking

    if args.robot not in MACHINES:
        raise ValueError(f"unknown robot {args.robot!r}; there are {', '.join(MACHINES)}")
    machine = MACHINES[args.robot]
    given = arguments.assignments(args.set, "--set")
    names = [entry.name for entry in fields(machine.params)]
    known = [name for name in names if name not in ("n_legs", "motor")]
    for name in given:
        if name not in known:
            raise ValueError(f"unknown parameter {name!r} of a {args.robot}; there are {', '.join(known)}")
    if args.n_legs is not None:
        if "n_legs" not in names:
            raise ValueError(f"the number of legs of a {args.robot} is fixed; --n-legs is for multipods and discs")
        given["n_legs"] = args.n_legs
    params = machine.params(**given)
    gait = machine.gait(params, args.gait, **arguments.assignments(args.gait_set, "--gait-set"))
    return Walking(args.robot, params, gait, arguments.terrain([args.terrain]), args.preset)


def summary(walk) -> list[tuple[str, str]]:
    """Return names and values of what a walk was like."""
    walking = walk.walking
    end = (
        "toppled"
        if walk.toppled
        else "MuJoCo warned"
        if walk.warned
        else "stopped"
        if walk.stopped
        else "on its legs to the end"
    )
    rows = [
        ("robot", f"{walking.machine}, {walking.n_legs} legs, {walking.params.total_mass:.2f} kg"),
        ("time", f"{walk.time[-1]:.2f} s, {end}"),
        ("way", f"{walk.qpos[-1, 0]:+.3f} m along x, {walk.qpos[-1, 1]:+.3f} m along y"),
        ("height of the body", f"{walk.qpos[:, 2].mean():.3f} m, {walk.qpos[:, 2].min():.3f} at least"),
        ("tilt, largest", f"{np.rad2deg(walk.tilt.max()):.1f} degrees"),
    ]
    loads = walk.load_of_strides()
    if not loads.size:
        return [*rows, ("speed and loads", "need a whole stride after the first 2 s")]
    speed = np.hypot(*walk.velocity())
    power = walk.power[-round(len(walk.power) / 2) :].mean()
    return [
        *rows,
        ("speed", f"{speed:.4f} m/s over whole strides of {walking.gait.period:.2f} s"),
        (
            "foot forces",
            f"{100 * loads.mean():.3f} % of the weight; a stride {100 * np.abs(loads - 1).max():.3f} % off",
        ),
        ("power of the servos", f"{power:.2f} W; cost of transport {power / (walking.weight * speed):.2f}"),
    ]


def leg_table(walk) -> tuple[tuple[str, ...], list[tuple]]:
    """Return head and rows of what each leg carried in the second half of the walk."""
    half = slice(len(walk.time) // 2, None)
    normal = walk.force[half, :, 2]
    loaded = normal > 0
    moved = np.gradient(walk.feet[..., :2], walk.time, axis=0) if len(walk.time) > 1 else 0 * walk.feet[..., :2]
    speed = np.linalg.norm(moved[half], axis=-1)
    rows = []
    for leg, name in enumerate(leg_names(walk.walking)):
        share = normal[:, leg].mean() / walk.walking.weight
        sliding = speed[loaded[:, leg], leg].mean() if loaded[:, leg].any() else 0.0
        rows.append(
            (name, f"{loaded[:, leg].mean():.2f}", f"{share:.3f}", f"{normal[:, leg].max():.1f}", f"{sliding:.3f}")
        )
    return ("leg", "duty", "share of the weight", "most [N]", "slip speed on the ground [m/s]"), rows


def leg_names(walking) -> list[str]:
    """Return the name of every leg."""
    from tarsus.envs.bigant import LEGS

    if walking.machine == "bigant":
        return list(LEGS)
    return walking.params.leg_names() if walking.machine == "multipod" else [str(k) for k in range(walking.n_legs)]


def write_files(walk, files: output.Output) -> None:
    """Write samples and loads as tables."""
    import pandas as pd

    names = leg_names(walk.walking)
    columns = {"time": walk.time} | {f"qpos_{k}": walk.qpos[:, k] for k in range(walk.qpos.shape[1])}
    for kind, values in (("position", walk.feet), ("force", walk.force)):
        columns |= {f"foot_{kind}_{n}_{a}": values[:, k, i] for k, n in enumerate(names) for i, a in enumerate("xyz")}
    head, rows = leg_table(walk)
    with files.writing("walk.csv", "legs.csv") as (samples, loads):
        pd.DataFrame(columns).to_csv(samples, index=False)
        pd.DataFrame(rows, columns=head).to_csv(loads, index=False)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Walk, print the summary, write the files; return 0, 1 if MuJoCo gave up, 2 for a line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        draws = (not args.no_video) and rendering.choose_opengl()  # before anything imports MuJoCo
        from tarsus.scripts.runs import interrupts
        from tarsus.scripts.runs.walking import FPS, WalkingStepper, walk

        if args.seconds < SHORTEST:
            raise ValueError(f"a walk must last at least {SHORTEST:g} s for its tables, got --seconds {args.seconds:g}")
        walking = walking_from(args)
        WalkingStepper(walking)  # refuses what no model can be made of
        files = output.Output(args, "walk.csv", "legs.csv", "walk.mp4")
    with interrupts.heeded() as asked:
        found = walk(walking, args.seconds, progress=True, stop=asked)
        write_files(found, files)
    if draws and not asked():
        model, every = WalkingStepper(walking).model, 2
        instants = zip(found.qpos[::every], found.feet[::every], found.force[::every], strict=True)
        with files.writing("walk.mp4") as (video,):
            rendering.write_film(video, rendering.film(model, instants), FPS / every)
    rows = summary(found)
    width = max(len(name) for name, _ in rows)
    print("\n" + "\n".join(f"{name:<{width}}  {value}" for name, value in rows))
    if walking.n_legs <= LONGEST_TABLE:
        print("\n" + report.markdown_table(*leg_table(found)))
    print(f"\n{files}")
    if asked():
        return interrupts.report("tarsus run multipod", found.time[-1], files.folder)
    if not args.no_video and not draws:
        print(rendering.NO_OPENGL)
    if args.view:
        _view(WalkingStepper(walking))
    return 1 if found.warned else 0


def _view(stepper) -> None:
    try:
        from tarsus.scripts.views import window

        window.watch_window(stepper)
    except Exception as error:  # GLFW's errors have many classes
        print(f"Nothing can be viewed here: {error}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
