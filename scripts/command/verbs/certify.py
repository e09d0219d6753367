"""Whether a policy depends on the simulator it was trained in: the same episodes in other simulations, and a verdict.

Usage: tarsus certify POLICY [--env Hexapod-v0] [--option terrain=rough] [--seeds 5] [--out FOLDER] [--fail-on leans].
Policies are those of `loading.load`. The exit status is 1 if the verdict is what `--fail-on` names, or worse, 2 for a
command line that cannot be run, else 0.
Runtime: a second, and for each seed a third of a second of one core in a setting, two in `reference`, one and a half in
`exact`.
"""

import functools
import json

from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.learning import wrappers

FAILS = {"falls": 2, "drifts": 3, "leans": 4}  # the first of the verdicts, in their order, at which the status is 1
FILES = ("certificate.json", "certificate.html", "certificate.png")


def parser() -> arguments.Parser:
    parser = wrappers.parser("certify", __doc__)
    parser.add_argument("--seeds", type=arguments.integer(1, 1000), default=5, help="how many seeds")
    parser.add_argument("--first-seed", type=arguments.seed, default=0, help="the first of them; by default 0")
    parser.add_argument("--seconds", type=arguments.seconds, help="length of an episode; by default the environment's")
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="settings at a time; -1 uses every core")
    parser.add_argument("--fail-on", choices=tuple(FAILS), help="exit with status 1 at this verdict or a worse one")
    words = "say, too, how stable its gait is in MuJoCo, as `tarsus stability` does; that takes minutes"
    parser.add_argument("--stability", action="store_true", help=words)
    output.add_options(parser, "certify-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Certify, print the table, write what was asked for; return the exit status."""
    with arguments.read(parser(), argv) as args:
        files = output.Output(args, *FILES, of=args.policy)
        from tarsus.scripts.library.certificates import certificate, certifying, replay, shown

        asked, wrapped = (args.policy, args.env, wrappers.options(args)), wrappers.of(args)
        make = functools.partial(certifying.asking.subject_of, *asked, "mujoco", wrapped)
        loop = make() if args.stability else None
        ready = certifying.ready(*asked, wrapped)
    try:
        seeds = range(args.first_seed, args.first_seed + args.seeds)
        made = certifying.certified(*ready, seeds, args.seconds, args.jobs)
        made = certifying.with_stability(made, loop, make, args.jobs) if loop else made
    except replay.NotFinite as error:
        raise arguments.Refusal(f"tarsus certify: {error}") from error
    with files.writing(*FILES) as parts:
        made.draw().savefig(parts[2], dpi=110)
        parts[1].write_text(shown.html(made.certificate, parts[2]), encoding="utf-8")
        parts[0].write_text(made.certificate.as_json() + "\n", encoding="utf-8")
    files.report("tarsus certify", str(made), verdict=made.verdict, certificate=json.loads(made.certificate.as_json()))
    verdict = certificate.VERDICTS.index(made.verdict)
    return int(args.fail_on is not None and verdict >= FAILS[args.fail_on])
