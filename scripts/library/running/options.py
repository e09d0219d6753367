"""The command line of a machine's run: its options, and what is made of them before anything is run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tarsus.analytic.spelling import listed
from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.learning import robot_files
from tarsus.scripts.library.machines import MACHINES, MachineCommand
from tarsus.scripts.library.own_robot.machine import RobotFile
from tarsus.scripts.library.views import rendering

SECONDS = 6.0  # of a comparison, by default
RTOL = 1e-6  # of the exact engine in a comparison, by default
SHORTEST = 0.01  # of a comparison: some rows [s]
WORDS = {"hybrid": "exact"}  # what the exact engine was called


def machine_word(name: str) -> str:
    """Return the spelling of a machine on command lines, as of policies and training runs."""
    return name.replace("_", "-")


def compared() -> dict[str, MachineCommand]:
    return {name: machine for name, machine in MACHINES.items() if "exact" in machine.engines}


def machine_of(name: str) -> MachineCommand:
    """Return a machine by its name, or the robot of a file; ValueError says what there is."""
    if name in MACHINES:
        return MACHINES[name]
    if is_robot(name):
        return RobotFile(name)
    there_are = listed(name, MACHINES, ", and files of robots (.xml, .urdf)")
    raise ValueError(f"there is no machine {name!r}; there are {there_are}")


def is_robot(word: str) -> bool:
    return Path(word).suffix.lower() in robot_files.ROBOTS


def parser(prog: str, described: str, both: bool = False, first: str = "") -> arguments.Parser:
    """Return the command line: a subcommand for each machine; of a comparison, for each machine of two engines.

    The command's `first` word may be the file of a robot.
    """
    made = arguments.Parser(prog=prog, description=described.partition("\n")[0])
    known = compared() if both else MACHINES
    metavar = f"{{{','.join(map(machine_word, known))},FILE}}"
    known = known | ({first: RobotFile(first)} if is_robot(first) else {})
    machines = made.add_subparsers(dest="machine", required=True, metavar=metavar, help="a machine")
    for name, machine in known.items():
        words = (machine.__doc__ or "").partition("\n")[0]
        called = [machine_word(name)] + [name] * (machine_word(name) != name)
        options = machines.add_parser(called[0], aliases=called[1:], allow_abbrev=False, help=words, description=words)
        options.set_defaults(machine=name)
        _add_options(options, machine, both)
        output.add_options(options, f"{'crossvalidate' if both else 'run'}-{machine_word(machine.name)}")
        machine.add_options(options)
        if both:
            options.set_defaults(engine="both", no_video=True, csv=False)
            if machine.renders:
                words = "also write both.mp4, the two runs side by side"
                options.add_argument("--film", dest="no_video", action="store_false", default=True, help=words)
            continue
        looking = options.add_argument_group("looking at it")
        looking.add_argument("--no-video", action="store_true", help="write no video")
        looking.add_argument("--csv", action="store_true", help="also write the record as run.csv, 2 MB per second")
        words = dict(nargs="?", const="window", choices=("window", "web"))
        looking.add_argument("--view", **words, help="then watch it go on in MuJoCo, in its window or in a browser")
        machine.add_looks(looking)
    return made


def _add_options(options: argparse.ArgumentParser, machine: MachineCommand, both: bool) -> None:
    """Add what every machine has: engine and hops, unless both engines are compared, length, settings and output."""
    engines, usual = machine.engines, f"{machine.seconds:g}" if machine.seconds else ""
    if "exact" in engines:
        engines, usual = (*engines, "both"), f"{usual}, {SECONDS:g} of both engines".removeprefix(", ")
        options.add_argument("--rtol", type=arguments.rtol, help=f"of the exact engine; {RTOL:g} in a comparison")
    if not both:
        words = f"both compares them; default {engines[0]}" if "both" in engines else "this machine has only this one"
        choice = dict(type=lambda word: WORDS.get(word, word), choices=engines, default=engines[0], help=words)
        options.add_argument("--engine", **choice)
        if machine.steps:
            words = f"instead, number of hops or steps from apex to apex; default {machine.steps}"
            options.add_argument("--steps", type=arguments.count, help=words)
    options.add_argument("--seconds", type=arguments.seconds, help=f"how long to run [s]; default {usual}")
    words = f"preset of MuJoCo's settings; default {machine.preset}, with both engines reference"
    options.add_argument("--preset", help=words)


def of_machine(machine: MachineCommand, prog: str) -> arguments.Parser:
    """Return the options of a machine's run in one engine or both, without those of looking at it and of its files."""
    made = arguments.Parser(prog=prog, allow_abbrev=False)
    _add_options(made, machine, both=False)
    machine.add_options(made)
    return made


def experiment_of(machine: MachineCommand, args: argparse.Namespace) -> Any:
    """Fill in what the options leave to machine and engine; return the experiment, ValueError if it cannot be run."""
    both, steps = args.engine == "both", getattr(args, "steps", None)
    if both and steps is not None:
        raise ValueError("--steps is for a run in one engine; both engines are compared over --seconds")
    if both and args.seconds is not None and args.seconds < SHORTEST:
        raise ValueError(f"--seconds must be finite and at least {SHORTEST:g}, got {args.seconds:g}")
    if args.seconds is None and steps is None:
        args.seconds, args.steps = (SECONDS, None) if both else (machine.seconds, machine.steps)
    args.preset = args.preset or ("reference" if both else machine.preset)
    if both:
        args.rtol = args.rtol or RTOL
    return machine.experiment(args)


def prepare(made: argparse.ArgumentParser, args: argparse.Namespace) -> tuple[Any, output.Output]:
    """Return the experiment that a command line asks for, and where its files go; ValueError if it cannot be run."""
    made.prog = f"{made.prog} {machine_word(args.machine)}"  # for what is refused from here on
    machine = machine_of(args.machine)
    args.draws = machine.renders and not args.no_video and rendering.choose_opengl()  # before anything imports MuJoCo
    experiment, files = experiment_of(machine, args), machine.files
    if args.engine == "both":
        from tarsus.scripts.library.comparison import crossvalidate

        files = crossvalidate.FILES
        args.default_out = output.FOLDER / f"crossvalidate-{machine_word(machine.name)}"
    return experiment, output.Output(args, *files)
