"""Any policy, made ready to act: a name, a checkpoint, Stable-Baselines3's .zip, an .onnx, or MODULE:FUNCTION.

A function is called as `function(observation, info)` and returns an action. A class, or a function whose
first parameter is called `env`, is a factory: it is called once for every episode, with the environment, and returns
such a function.
"""

import importlib.util
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from tarsus.analytic.spelling import lost
from tarsus.scripts.library.learning import checkpoint, entering, environments, policies, zipped
from tarsus.scripts.library.learning.hand_made import PolicyFunction
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy, about_of
from tarsus.scripts.library.learning.wrappers import UNSAID, Wrappers

SHOWS = "render_mode"  # an option of an environment that says nothing of what a policy does in it


@dataclass(frozen=True)
class Candidate:
    """A policy with its environment.

    Attributes:
        name: In full, see `policies.resolved`.
        environment: Its name.
        options: Of the environment.
        make: The policy, from the environment and an episode's seed.
        batched: Whether one policy acts for rows of observations.
        stacked: Whether it acts for stacks of such rows too, each as if alone.
        network: What makes its network, of a policy that is known to be one.
        remembers: Whether what it makes acts by more than the last observation, see `zipped.Remembering`.
        used: What it was opened with, of a .zip: algorithm, normaliser, stack.
        lines: The same for people, and what may be wrong with it.
    """

    name: str
    environment: str
    options: Mapping[str, Any]
    make: Callable[[gymnasium.Env, int], PolicyFunction]
    batched: bool = False
    stacked: bool = False
    network: Callable[[], TrainedPolicy] | None = None
    remembers: bool = False
    used: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    def stored(self) -> dict[str, bytes]:
        """Return the file that the policy is and that runs nothing when it is read, by the name to keep it under."""
        path = Path(self.name)
        if path.suffix == ".onnx":
            return {"policy.onnx": path.read_bytes()}
        if self.network is None or path.suffix == ".zip":
            return {}
        found = policies.checkpoint_of(self.name)
        return {"policy.npz": (found / "policy.npz" if found.is_dir() else found).read_bytes()}


def load(
    policy: str,
    environment: str | None,
    options: Mapping[str, Any],
    stochastic: bool = False,
    wrappers: Wrappers = UNSAID,
) -> Candidate:
    """Return a policy with its environment: what `evaluate`, `certify` and `export` open theirs by.

    Args:
        policy: A name, the folder of a checkpoint, a .zip of Stable-Baselines3, an .onnx, or MODULE:FUNCTION.
        environment: By default Hexapod-v0, or the policy's own.
        options: Of the environment.
        stochastic: Whether actions are drawn, as in training, and not the most likely ones.
        wrappers: What a .zip was trained in, where it does not say so itself.

    Raises:
        ValueError: If there is no such policy or environment, or they do not go together; the sentence says why.
        OSError: If a file cannot be read.
    """
    if SHOWS in options:
        raise ValueError(
            f"--option {SHOWS} changes nothing of what a policy does: leave it out; `tarsus evaluate --video` films"
        )
    policy = policies.resolved(policy)
    found = _load(policy, environment, options, stochastic, wrappers)
    entering.refuse_options(found.environment, options)
    hand_made = found.network is None and policy in policies.of_environment(found.environment)
    playing = entering.chosen(policy, found.environment, found.options, trained=not hand_made)
    found = replace(found, options=playing)
    if SHOWS not in found.options:
        return found
    shown = found.options[SHOWS]
    kept = {name: value for name, value in found.options.items() if name != SHOWS}
    return replace(found, options=kept, lines=(*found.lines, f"{SHOWS}={shown!r}, stored with it, is left out"))


def _load(
    policy: str, environment: str | None, options: Mapping[str, Any], stochastic: bool, wrappers: Wrappers
) -> Candidate:
    path = Path(policy)
    if path.suffix == ".zip":
        return _from_zip(_there(path), environment, options, stochastic, wrappers)
    wrappers.refuse(policy)
    trained = None if _is_function(policy) or path.suffix == ".onnx" else policies.checkpoint_of(policy)
    if stochastic and trained is None:
        raise ValueError(f"{policy} draws no actions; checkpoints and a .zip of Stable-Baselines3 do")
    if path.suffix == ".onnx":
        return _from_onnx(_there(path), environment, options)
    if _is_function(policy):
        return Candidate(policy, _environment(environment, {}), dict(options), _function(policy))
    found, name, needed = policies.find(policy, environment, options)
    if trained is None:
        return Candidate(policy, name, needed, found.make)
    network = TrainedPolicy(trained)
    make = network.drawing() if stochastic else found.make
    return Candidate(policy, name, needed, make, not stochastic, not stochastic, lambda: network)


def _is_function(policy: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", policy))


def _there(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(lost(path))
    return path


def _placed(
    path: Path, about: Mapping[str, Any], environment: str | None, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return environment and options of a file's policy; what is said of it is checked before it is loaded."""
    name = _environment(environment, about, path.parent)
    made = {**about, "environment": name} if about else {"options": dict(options)}
    policies.refuse(str(path), made, environment and name, options)
    return name, made["options"] | dict(options)


def _from_zip(
    path: Path, environment: str | None, options: Mapping[str, Any], stochastic: bool, wrappers: Wrappers
) -> Candidate:
    about = checkpoint.settings(path.parent) if (path.parent / "run.json").exists() else {}
    name, options = _placed(path, about, environment, options)
    bare = {key: value for key, value in options.items() if key != SHOWS}
    found = zipped.opened(path, name, bare, wrappers)

    def make(env: gymnasium.Env, seed: int) -> PolicyFunction:
        if stochastic:
            found.model.set_random_seed(seed)
        return found.actor(not stochastic)

    return Candidate(
        *(str(path), name, options, make),
        batched=not stochastic,
        network=lambda: found.network(name, bare),
        remembers=found.remembers,
        used=found.used,
        lines=found.lines,
    )


def _from_onnx(path: Path, environment: str | None, options: Mapping[str, Any]) -> Candidate:
    about, act = _onnx(path)
    placed = (str(path), *_placed(path, about, environment, options))
    used = {name: about[name] for name in ("algorithm", "normaliser", "stack") if name in about}
    n = about.get("stack", 1)
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"{path} says that it stacks {n!r} observations, which must be a whole number above 0")
    stack = zipped.Stack(n, about.get("stack_flat") is not False)
    if stack.n == 1:
        return Candidate(*placed, lambda env, seed: act, batched=True, used=used)

    def predict(seen: np.ndarray, state: None, begins: np.ndarray) -> tuple[np.ndarray, None]:
        return act(seen if stack.flat else seen.reshape(*seen.shape[:-2], -1)), None

    def make(env: gymnasium.Env, seed: int) -> PolicyFunction:
        return zipped.Remembering(predict, stack, lambda observation: observation)

    return Candidate(*placed, make, batched=True, remembers=True, used=used)


def _environment(asked: str | None, about: Mapping[str, Any], folder: Path = Path()) -> str:
    asked = asked and environments.asked_for(asked)
    return environments.stored(about, asked, folder) if about else asked or "Hexapod-v0"


def _onnx(path: Path) -> tuple[dict[str, Any], PolicyFunction]:
    """Return the notes of `tarsus export` in an ONNX model, and its policy."""
    for needed in ("onnx", "onnxruntime"):
        if importlib.util.find_spec(needed) is None:
            raise ValueError(f"an .onnx needs {needed}: pip install onnx onnxruntime")
    import onnx
    import onnxruntime

    try:
        stored = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        name, size = session.get_inputs()[0].name, session.get_inputs()[0].shape[0]
        about = about_of(stored["tarsus"]) if "tarsus" in stored else {}
    except Exception as error:  # the runtime has errors of its own
        raise ValueError(f"{path} is not an ONNX model of a policy: {type(error).__name__}: {error}") from error

    def act(observation: np.ndarray, info: Any = None) -> np.ndarray:
        rows = np.atleast_2d(observation).astype(np.float32)
        parts = np.split(rows, len(rows)) if size == 1 else [rows]  # a model of one row, or of any number
        action = np.concatenate([session.run(None, {name: part})[0] for part in parts])
        return action.reshape(*observation.shape[:-1], -1)

    return about, act


def _function(name: str) -> Callable[[gymnasium.Env, int], PolicyFunction]:
    """Return the maker of the policy of a function, class or factory of a module, looked for in this folder too."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(environments.import_here(module), attribute)
        parameters = list(inspect.signature(found).parameters)
    except Exception as error:  # whatever somebody's module does
        raise ValueError(f"there is no policy {name}: {type(error).__name__}: {error}") from error
    if inspect.isclass(found) or parameters[:1] == ["env"]:
        return partial(_made, found, len(parameters))
    return lambda env, seed: found


def _made(factory: Callable, n_parameters: int, env: gymnasium.Env, seed: int) -> PolicyFunction:
    return factory(*(env, seed)[:n_parameters])
