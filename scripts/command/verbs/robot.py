"""What a robot of your own is: tree, joints, servos, feet, how it stands and walks, and the lines that register it.

Usage: tarsus robot FILE [--feet NAME ...] [--servo 50 1.5] [--keyframe NAME] [--forward y] [--film] [--view]
FILE is an MJCF or a URDF. Writes robot.txt (what is printed), result.json, and with --film robot.mp4.
"""

import warnings
from pathlib import Path

from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.own_robot import machine

TEXT, FILM = "robot.txt", "robot.mp4"
SECONDS = 6.0  # of the film


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus robot", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("robot", type=Path, metavar="FILE", help="an MJCF (.xml) or a URDF")
    machine.add_robot_options(parser)
    parser.add_argument("--film", action="store_true", help=f"film {SECONDS:g} s of an action of 0")
    words = "watch an action of 0, in MuJoCo's window or, with --view web, in a browser"
    parser.add_argument("--view", nargs="?", const="window", choices=("window", "web"), help=words)
    output.add_options(parser, "robot-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Describe, try and show a robot; return 0, or 1 if it does not stand."""
    with arguments.read(parser(), argv) as args:
        files = output.Output(args, TEXT, FILM, of=args.robot.stem)
        if args.film or args.view:
            from tarsus.scripts.library.views import rendering

            if not rendering.choose_opengl() and args.film:
                raise ValueError(rendering.NO_OPENGL)
        from tarsus.envs.own_verdict import RobotWarning
        from tarsus.scripts.library.learning import robot_files
        from tarsus.scripts.library.own_robot import inspecting

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RobotWarning)  # the text says the same
            found = inspecting.inspect(args.robot, robot_files.called(str(args.robot)), **machine.robot_options(args))
    files.keep(TEXT, f"{found}\n")
    if args.film:
        with files.writing(FILM) as (part,):
            inspecting.film(found, part, SECONDS)
    files.report(parser().prog, str(found), **found.numbers())
    if args.view:
        inspecting.watch(found, args.view)
    return int(bool(found.verdict.standing.trial.ending))
