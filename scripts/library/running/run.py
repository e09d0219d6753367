"""A machine's run from Python, as its command makes it: `tarsus.run` and `tarsus.crossvalidate`."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tarsus.analytic.spelling import check_name, listed
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base.in_python import in_python
from tarsus.scripts.library.machines import MachineCommand
from tarsus.scripts.library.machines.outcome import Run
from tarsus.scripts.library.running import options

if TYPE_CHECKING:
    from tarsus.scripts.library.comparison.compare import Comparison


class CrossValidation(NamedTuple):
    """A machine's runs in both engines from one start, and what differs."""

    exact: Run
    mujoco: Run
    comparison: "Comparison"


@in_python
def run(
    machine: str,
    engine: Literal["exact", "mujoco"] | None = None,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    preset: str | None = None,
    rtol: float | None = None,
    params: Mapping[str, float] | str | None = None,
    **more: Any,
) -> Run:
    """Return a machine's run in one engine: `record` is the labelled record, `status` how it ended, in words.

    Args:
        machine: A name in `tarsus.machines.MACHINES`: hexapod, hopping_leg, slip_leg, multipod, connection_mpc; or the
            file of a robot.
        engine: By default the one that `tarsus run` takes.
        seconds: How long to run [s]; by default the machine's.
        steps: Or, of a leg, how many hops or steps.
        preset: MuJoCo's settings, a preset's name; by default the machine's.
        rtol: Relative tolerance of the exact engine.
        params: Parameters of the machine that differ from its own, {"body_mass": 7.0}, or the name of a robot, "rhex".
        more: Options of `tarsus run MACHINE`, with underscores: gait="walk", terrain=("slope", 0.1, 0.0).

    Raises:
        ValueError: If there is no such machine or option, or what is asked for cannot be run; the sentence says why.
        RuntimeError: If the exact engine could not go on.
    """
    if engine == "both":
        raise ValueError("one engine runs here; tarsus.crossvalidate compares both")
    given = dict(engine=engine, seconds=seconds, steps=steps, preset=preset, rtol=rtol, **_named(params, more))
    return ran(*_asked(machine, given))


def ran(machine: MachineCommand, experiment: Any, args: Namespace) -> Run:
    """Return the run of an experiment as options ask for; RuntimeError if the exact engine could not go on."""
    length = {"steps": args.steps} if getattr(args, "steps", None) else {}
    if args.engine == "mujoco":
        return machine.mujoco(experiment, args.seconds, fine=False, **length)
    return machine.exact(experiment, args.seconds, **length, **({"rtol": args.rtol} if args.rtol else {}))


@in_python
def crossvalidate(
    machine: str,
    *,
    seconds: float | None = None,
    preset: str | None = None,
    rtol: float | None = None,
    params: Mapping[str, float] | str | None = None,
    **more: Any,
) -> CrossValidation:
    """Return a machine's runs in both engines from the same start, compared.

    Args:
        machine: A machine of two engines: hexapod, hopping_leg, slip_leg; or the file of a robot.
        seconds: How long to run [s]; by default 6.
        preset: MuJoCo's settings, a preset's name; by default reference.
        rtol: Relative tolerance of the exact engine; by default 1e-6.
        params: Parameters that differ from the machine's own, or a robot's name; see `run`.
        more: Options of `tarsus crossvalidate MACHINE`, with underscores.

    Raises:
        ValueError: If there is no such machine or option, or what is asked for cannot be run; the sentence says why.
        RuntimeError: If the exact engine could not go on, or a run ended before a comparison could begin.
    """
    from tarsus.scripts.library.comparison import crossvalidate as comparing

    given = dict(engine="both", seconds=seconds, preset=preset, rtol=rtol, **_named(params, more))
    known, experiment, args = _asked(machine, given)
    return CrossValidation(*comparing.run(known, experiment, args.seconds, args.rtol))


def _named(params: Any, more: dict[str, Any]) -> dict[str, Any]:
    """Return the options with parameters among them, as the command line takes them."""
    if params is None:
        return more
    if not isinstance(params, str | Mapping):
        raise ValueError(
            f"params is a mapping of names to numbers, or the name of a robot; got a {type(params).__name__}"
        )
    option = "robot" if isinstance(params, str) else "set"
    if option in more:
        raise ValueError(f"params and {option} say the same; give one of them")
    return more | {option: params or None}


def _asked(machine: str, keywords: Mapping[str, Any]) -> tuple[MachineCommand, Any, Namespace]:
    """Return a machine, its experiment, and the options that the keywords give, as the command line reads them."""
    known_as = options.machine_of(machine if options.is_robot(machine) else machine.replace("-", "_"))
    parser = options.of_machine(known_as, machine)
    if keywords["engine"] == "both" and "exact" not in known_as.engines:
        raise ValueError(f"{machine} has the engine mujoco alone; both have {', '.join(options.compared())}")
    if keywords["engine"] not in (None, "both"):
        check_name("engine", options.WORDS.get(keywords["engine"], keywords["engine"]), known_as.engines)
    options_there = [word for action in parser._actions for word in action.option_strings if action.dest != "help"]
    known = {word.lstrip("-").replace("-", "_"): word for word in options_there}
    words = []
    for name, value in keywords.items():
        if name not in known and value is not None:
            raise ValueError(f"{machine} has no option {name!r}; there are {listed(name, known)}")
        words += [] if value is None else _words(known[name], value)
    try:
        args = parser.parse_args(words)
    except arguments.Refusal as refusal:
        raise ValueError(str(refusal)) from None
    return known_as, options.experiment_of(known_as, args), args


def _words(option: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [option] if value else []
    if isinstance(value, Mapping):
        return [option, *(f"{name}={part}" for name, part in value.items())]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [option, *map(str, value)]
    return [f"{option}={value}"]
