"""The `VecNormalize` of a policy of Stable-Baselines3: which file beside its .zip it is, or why none is used.

The .zip has no normaliser, but says how many steps it was trained for, and where it lies says more: the layouts of
Stable-Baselines3, its callbacks and RL-Zoo are known. A normaliser has seen an observation more for each environment
than the policy has done steps; one that has seen others is newer or older than the policy. Algorithms without a replay
buffer store whether there was a normaliser at all; those with one store the last observation before and after it.
"""

import pickle
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.scripts.library.learning.algorithms import OFF_POLICY, named_classes
from tarsus.scripts.library.learning.wrappers import NONE

NAMES = ("normaliser.pkl", "vecnormalize.pkl", "vec_normalize.pkl")
OF_CALLBACK = re.compile(r"(.*)_(\d+)_steps")  # the name of a .zip of `CheckpointCallback`
GUESS = 4  # files of this rank in `beside`, and of those behind it, are not known by a layout
HEAD = 4096  # of a pickle, in which its class stands [B]
SPARE = 10  # resets of all environments by which a normaliser may have seen more than the policy's steps
ALIKE = 1e-3  # of observations that should be equal, absolute and relative
CURE = "--normaliser FILE names the right one, --normaliser none goes without"


@dataclass(frozen=True)
class Trained:
    """What is known of a policy's training."""

    path: Path  # its .zip
    # of the observations that a normaliser may be of: the policy's and the environment's
    shapes: tuple[tuple[int, ...], ...]
    steps: int  # how many; 0 if it was not trained
    n_envs: int  # side by side
    wrapped: bool | None  # whether there was a normaliser; None if that is not known
    # the last observation before and after the normaliser, each (n_envs, n), if they are known
    last: tuple[np.ndarray, np.ndarray] | None

    @classmethod
    def of(cls, path: Path, stored: Mapping[str, Any], model, algorithm: str, given: tuple[int, ...]) -> "Trained":
        """Return the contents of a .zip: its settings as stored, its model; `given` is the environment's shape."""
        last, before = stored.get("_last_obs"), stored.get("_last_original_obs")
        replays = algorithm in OFF_POLICY
        wrapped = None if last is None or replays else before is not None
        known = replays and last is not None and before is not None
        pair = (model._last_original_obs, model._last_obs) if known else None
        steps = 0 if algorithm == "ARS" else int(stored.get("num_timesteps") or 0)  # which counts other steps
        shapes = (model.observation_space.shape, given)
        return cls(path, shapes, steps, int(stored.get("n_envs") or 1), wrapped, pair)


@dataclass(frozen=True)
class Normaliser:
    """A normaliser that was found, or none."""

    value: Any = None  # the `VecNormalize`, or None
    path: Path | None = None  # its file
    lines: tuple[str, ...] = ()  # what to say of it: which it is, and what may be wrong with it


@dataclass(frozen=True)
class Fitting:
    """A `VecNormalize` of the right shape, its rank among the layouts, and whether it is as old as the policy."""

    rank: int
    path: Path
    value: Any = field(repr=False)
    synchronous: bool | None = None


def find(trained: Trained, asked: str | None) -> Normaliser:
    """Return a policy's normaliser: a file's, none for "none", or by default that which lies beside it.

    ValueError if the file is not one for this policy, or of those beside it none or several can be its own.
    """
    if asked == NONE:
        doubt = ", though the policy was trained with one" if trained.wrapped else ""
        return Normaliser(lines=(f"normaliser: none, as asked for{doubt}",))
    if asked is not None:
        found = _asked(trained, Path(asked))
        return Normaliser(
            found.value, found.path, (f"normaliser: {found.path}, as asked for", *_doubts(trained, found))
        )
    if trained.wrapped is False:
        pickled = [path for _, path in beside(trained.path) if _is_normaliser(path)]
        lines = [f"{path} lies beside and is not used: --normaliser {path} uses it" for path in pickled]
        return Normaliser(lines=("normaliser: none, the policy was trained without one", *lines[:3]))
    fitting, refused = _beside(trained)
    if not fitting:
        if refused:
            raise ValueError(f"{trained.path} has no normaliser beside it that fits: {'; '.join(refused[:3])}; {CURE}")
        if trained.wrapped:
            raise ValueError(f"{trained.path} was trained with a VecNormalize, and none lies beside it; {CURE}")
        return Normaliser(lines=("normaliser: none, for none lies beside the policy",))
    return _best(trained, fitting, refused)


def beside(policy: Path) -> Iterator[tuple[int, Path]]:
    """Yield the files that may be a policy's normaliser, with their ranks: first those that belong to it by name."""
    folder, stem, callback = policy.parent, policy.stem, OF_CALLBACK.fullmatch(policy.stem)
    own = [f"{callback[1]}_vecnormalize_{callback[2]}_steps.pkl"] if callback else []
    own += [f"{stem}_vecnormalize.pkl", f"{stem}_vec_normalize.pkl", f"vecnormalize_{stem}.pkl", f"{stem}.pkl"]
    ranked = [
        [folder / name for name in own],
        [folder / name for name in NAMES],
        [folder / stem / name for name in NAMES],  # of RL-Zoo, beside ENV.zip
        sorted(path for name in NAMES for path in folder.glob(f"*/{name}")),  # and beside its best_model.zip
        sorted(folder.glob("*.pkl")),
        [folder.parent / name for name in NAMES],
    ]
    known: set[Path] = set()
    for rank, paths in enumerate(ranked):
        for path in paths:
            if path not in known and path.is_file():
                known.add(path)
                yield rank, path


def _is_normaliser(path: Path) -> bool:
    """Return whether a pickle is of a `VecNormalize`; nothing of it is run."""
    with path.open("rb") as file:
        return any(name == "VecNormalize" for _, name in named_classes(file.read(HEAD))[:1])


def _beside(trained: Trained) -> tuple[list[Fitting], list[str]]:
    """Return the normalisers beside a policy that fit, and why others with a name of a layout do not."""
    fitting: list[Fitting] = []
    refused: list[str] = []
    for rank, path in beside(trained.path):
        if rank == 0 and path.name == f"{trained.path.stem}.pkl" or rank >= GUESS:
            if not _is_normaliser(path):
                continue  # anybody's
        if any(one.synchronous and one.rank < rank for one in fitting):
            break
        try:
            fitting.append(_opened(trained, path, rank))
        except ValueError as error:
            refused.append(str(error))
    return fitting, refused


def _opened(trained: Trained, path: Path, rank: int = 0) -> Fitting:
    """Return a file's normaliser; ValueError if it is none, of another shape, or not that of the last observation."""
    from stable_baselines3.common.vec_env import VecNormalize

    try:
        value = pickle.loads(path.read_bytes())
    except Exception as error:  # broken pickles raise nearly anything
        raise ValueError(f"{path} cannot be unpickled: {type(error).__name__}: {error}") from error
    if not isinstance(value, VecNormalize):
        raise ValueError(f"{path} is a {type(value).__name__}, not a VecNormalize of Stable-Baselines3")
    shape = value.observation_space.shape
    if shape not in trained.shapes:
        seen = trained.shapes[0]
        raise ValueError(f"{path} is of observations of shape {shape}, the policy's have shape {seen}")
    moments, spare = value.obs_rms if value.norm_obs else None, SPARE * trained.n_envs + 0.01 * trained.steps
    synchronous = None
    if moments is not None and trained.steps:
        synchronous = bool(trained.steps <= moments.count <= trained.steps + spare)
    if synchronous and trained.last is not None and trained.last[0].shape[1:] == shape:
        before, after = trained.last
        if not np.allclose(value.normalize_obs(before), after, ALIKE, ALIKE):
            raise ValueError(f"{path} does not make the policy's last observation of what came before it")
    return Fitting(rank, path, value, synchronous)


def _asked(trained: Trained, path: Path) -> Fitting:
    if not path.is_file():
        raise ValueError(f"--normaliser: there is no file {path}")
    try:
        return _opened(trained, path)
    except ValueError as error:
        raise ValueError(f"--normaliser: {error}") from error


def _best(trained: Trained, fitting: list[Fitting], refused: list[str]) -> Normaliser:
    """Return the normaliser that is a policy's by its steps, or else by its name; ValueError if that is not one."""
    among = [one for one in fitting if one.synchronous] or fitting
    among = [one for one in among if one.rank == among[0].rank]
    first = among[0]
    if any(not _same(first.value, one.value) for one in among[1:]):
        names = ", ".join(str(one.path) for one in among[:4])
        raise ValueError(f"{trained.path} has {len(among)} normalisers beside it that fit: {names}; {CURE}")
    guess, doubts = first.rank >= GUESS, _doubts(trained, first)
    if guess and first.synchronous is False:
        raise ValueError(f"{trained.path} has no normaliser beside it by its name; {doubts[0]}; {CURE}")
    why = "by its name" if not guess else "a guess: of another name or folder, but of the policy's steps"
    if guess and not first.synchronous:
        why = "a guess: it lies beside and has the policy's shape"
    others = [str(one.path) for one in fitting if one not in among] + refused
    lines = [f"normaliser: {first.path} ({why})", *doubts]
    lines += [f"beside and not used: {'; '.join(others[:3])}"] if others else []
    return Normaliser(first.value, first.path, tuple(lines))


def _same(one, other) -> bool:
    if one.norm_obs != other.norm_obs or not one.norm_obs:
        return one.norm_obs == other.norm_obs
    alike = (one.obs_rms.mean, one.obs_rms.var), (other.obs_rms.mean, other.obs_rms.var)
    return all(map(np.array_equal, *alike)) and one.clip_obs == other.clip_obs


def _doubts(trained: Trained, found: Fitting) -> list[str]:
    if not found.value.norm_obs:
        return [f"{found.path} leaves observations as they are (norm_obs is false)"]
    doubts = []
    if trained.wrapped is False:
        doubts.append(f"{trained.path} was trained without a normaliser")
    if found.synchronous is False:
        seen, age = found.value.obs_rms.count, "newer" if found.value.obs_rms.count > trained.steps else "older"
        doubts.append(
            f"{found.path} is {age} than the policy, or of another: it has seen {seen:,.0f} observations, "
            f"the policy was trained for {trained.steps:,} steps"
        )
    return doubts
