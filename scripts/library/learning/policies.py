"""Which policy a name or a path is: made by hand, shipped, or a checkpoint of anybody's; and in which environment."""

import textwrap
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium

from tarsus.analytic import spelling
from tarsus.envs import TASKS
from tarsus.scripts.library.learning import environments
from tarsus.scripts.library.learning.checkpoint import newest
from tarsus.scripts.library.learning.hand_made import POLICIES, Policy, corrected
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.learning.training_runs import differences, plain

SHIPPED = Path(__file__).parent / "trained"  # a folder for each, with policy.npz and run.json
SHAPING = ("task", "action_mode", "observations", "scaled", "axes", "ctrl_dt")  # options that change what numbers mean


def of_environment(name: str) -> dict[str, Policy]:
    """Return the hand-made policies of an environment, also of a task or a robot of one's own, by name."""
    made = gymnasium.registry.get(name.rpartition(":")[2])
    baseline = made and made.kwargs.get("baseline")  # of a user's robot; a table has no truth value
    clocked = isinstance(baseline, str) and baseline == "clock"
    known = POLICIES["*"] | (corrected("clock", {}) if clocked else {})
    return known | POLICIES.get(TASKS[name].environment if name in TASKS else name, {})


def shipped() -> dict[str, Path]:
    """Return the trained policies that come with this package, by the names of their runs and seeds."""
    return {path.name: path for path in sorted(SHIPPED.iterdir()) if (path / "policy.npz").exists()}


def seeds_of(run: str) -> list[str]:
    """Return the names of the shipped policies of a training run, one for each seed."""
    return [name for name in shipped() if name.rpartition("-")[0] == run]


def listed(more: Mapping[str, Iterable[str]] | None = None, hand_made: bool = True) -> str:
    """Return every policy that has a name, by the environment that it is of, as lines of a help; `more` kinds, too."""
    runs = sorted({name.rpartition("-")[0] for name in shipped()})
    named = {"any environment": POLICIES["*"]} | {name: found for name, found in POLICIES.items() if name != "*"}
    rows = [("trained", runs), *(named.items() if hand_made else ()), *(more or {}).items()]
    return "policies by name (of a trained one the first seed; NAME-1 is another):\n" + "\n".join(
        textwrap.fill(f"{name}: {', '.join(found)}", 78, initial_indent="  ", subsequent_indent="    ")
        for name, found in rows
    )


def trained_ones() -> str:
    """Return those that are trained, as lines of a help."""
    return listed(hand_made=False)


def resolved(policy: str) -> str:
    """Return a policy's name in full, of a training run that of its first seed; anything else as it is.

    A folder that holds a policy goes before a name, and a name before a folder that holds none, such as a run's output.
    """
    if _holds(newest(Path(policy))) or is_hand_made(policy):
        return policy
    spelled = policy.replace("_", "-")  # as machines may be spelled
    found = next(iter(seeds_of(spelled)), spelled)
    return found if found in shipped() else policy


def is_hand_made(policy: str) -> bool:
    """Whether a policy of any environment has that name."""
    return any(policy in found for found in POLICIES.values())


def checkpoint_of(policy: str) -> Path | None:
    """Return the path of a trained policy by name or path, if there is one; a run's name stands for its first seed."""
    path, name = newest(Path(policy)), resolved(policy)
    if _holds(path) or not (is_hand_made(name) or name in shipped()):
        return path if path.exists() and not policies_in(path) else None
    return shipped().get(name)


def policies_in(folder: Path) -> list[Path]:
    """Return the policies in the folder of a training, the best first."""
    return [path for path in (newest(folder / "best"), newest(folder / "latest")) if _holds(path)]


def _holds(path: Path) -> bool:
    return path.suffix == ".npz" and path.is_file() or (path / "policy.npz").exists()


def is_unknown(policy: str) -> bool:
    """Whether nothing is called so: no policy, no file of one, and no function."""
    other = ":" in policy or Path(policy).suffix in (".zip", ".onnx")
    return not (other or is_hand_made(policy) or checkpoint_of(policy))


def unknown(policy: str, environment: str | None = None, more: Iterable[str] = ()) -> str:
    """Return the sentence about a name that no policy has, with what may have been meant.

    Args:
        policy: The name, or a path.
        environment: In which it was looked for.
        more: Further names.
    """
    path = Path(policy)
    if inside := policies_in(path):
        return f"{policy} is the folder of a training, and its policies are {' and '.join(map(str, inside))}: say one"
    if len(path.parts) > 1 or path.suffix:
        return spelling.lost(path)
    of = [name for name, found in POLICIES.items() if policy in found]
    if of:
        return f"unknown policy {policy!r} of {environment or 'Hexapod-v0'}; it is one of {', '.join(of)}, see --env"
    known = {*shipped(), *(name.rpartition("-")[0] for name in shipped()), *more, *chain(*POLICIES.values())}
    return f"unknown policy {policy!r}; `tarsus evaluate` alone lists the names{spelling.meant(policy, sorted(known))}"


def find(policy: str, environment: str | None, options: Mapping[str, Any]) -> tuple[Policy, str, dict[str, Any]]:
    """Return a policy, by its name or the path of a checkpoint, its environment, and the options to make that with.

    A hand-made policy is looked up in an environment; a trained one knows its own, see `environments.stored`. Options
    asked for go before what a checkpoint was made with, unless they change what actions mean. ValueError lists the
    differences.
    """
    environment = environment and environments.asked_for(environment)
    path = checkpoint_of(policy)
    if path:
        trained = TrainedPolicy(path)
        about = trained.about | {"environment": environments.stored(trained.about, environment, path)}
        refuse(policy, about, environment, options)
        made = dict(about["options"])
        if "terrain" in options:  # what was said of the ground that it was trained on
            made = {name: value for name, value in made.items() if not name.startswith("terrain_")}
        return Policy(trained.in_environment), about["environment"], made | dict(options)
    known = of_environment(environment or "Hexapod-v0")
    if policy not in known:
        raise ValueError(unknown(policy, environment))
    needs = dict(known[policy].needs)
    refuse(policy, {"options": needs}, None, {name: value for name, value in options.items() if name in needs})
    return known[policy], environment or "Hexapod-v0", needs | dict(options)


def refuse(policy: str, made: Mapping[str, Any], environment: str | None, options: Mapping[str, Any]) -> None:
    """Raise ValueError, by the differences, where options asked for change what the actions of a policy mean."""
    asked = {name: value for name, value in options.items() if name in SHAPING}
    found = differences({name: made["options"].get(name, "the default") for name in asked}, plain(asked))
    if environment and environment != made.get("environment", environment):
        found.insert(0, f"environment was {made['environment']!r}, asked for is {environment!r}")
    if found:
        raise ValueError(f"the policy {policy} was made for other settings: " + "; ".join(found))
