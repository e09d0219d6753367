"""What is wrong with the contacts of a MuJoCo model, in numbers, and the settings that mend it.

Usage: tarsus contact-doctor MODEL.xml [--seconds 2] [--controls FILE.npy] [--replay FILE.npz] [--out FOLDER]
[--contact GEOM --want restitution=0.5 depth=1e-4]. The model is watched from its first keyframe, and again with
settings that may mend a finding. `--want` makes `solref` and `solimp`. Runtime: some thousand steps a second.
"""

from pathlib import Path

from tarsus.scripts.command import arguments, output

FILE, MENDED = "report.md", "mended.xml"


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus contact-doctor", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path, help="an MJCF file, including the ground under the model")
    parser.add_argument(
        "--seconds", type=arguments.seconds, default=2.0, help="simulated time; the second half counts as rest"
    )
    words = "controls of each step (.npy of shape (n, nu)); by default those that hold the first keyframe"
    parser.add_argument("--controls", type=Path, metavar="FILE", help=words)
    words = "a motion (.npz of time, qpos, geoms, contact); its contact flags are compared with the contacts found"
    parser.add_argument("--replay", type=Path, metavar="FILE", help=words)
    parser.add_argument("--contact", metavar="GEOM", help="the geom to which --want applies")
    words = (
        "stiffness [N/m], damping [N s/m], restitution, its tolerance `within`, its `speed` [m/s], depth at rest [m]"
    )
    parser.add_argument("--want", nargs="+", default=[], metavar="NAME=NUMBER", help=words)
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if anything is wrong")
    output.add_options(parser, "contact-doctor-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Examine a model, print what was found, write what was asked for; return the exit status."""
    with arguments.read(parser(), argv) as args:
        files = output.Output(args, FILE, MENDED, of=args.model.stem)
        from tarsus.scripts.library.doctor import examining, replaying

        given = dict(contact=args.contact, seconds=args.seconds)
        given["want"] = arguments.assignments(args.want, "--want", examining.WANTS, " of a contact") or None
        given["controls"] = args.controls and replaying.controls(args.controls)
        given["motion"] = args.replay and replaying.load(args.replay)
        examining.check(args.model, **given)
    try:
        report = examining.examine(args.model, **given)
    except ValueError as error:
        raise arguments.Refusal(f"tarsus contact-doctor: {error}") from error
    files.keep(FILE, f"{report}\n")
    files.keep(MENDED, report.mended)
    files.report(parser().prog, str(report), **vars(report))
    return int(args.strict and bool(report.findings))
