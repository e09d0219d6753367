"""A trained policy as plain arrays, and what must be true of a file that says that it is one.

policy.npz holds: `mean`, `scale`, shape (n,), and `clip`, of the observation; `weight_k` (outputs, inputs) and `bias_k`
(outputs,) of each layer; `activation` between them, `squash`; `about`, JSON with `environment` and `options`; it may
hold `noise`, the standard deviation of actions in training. The file may be a stranger's: nothing in it is run, and
whatever is not as above is refused, with what is allowed.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

ACTIVATIONS = ("tanh", "relu")
NAMED = ("mean", "scale", "clip", "activation", "squash", "about")
MOST_BYTES = 2**28  # of all arrays; those of the policies here have 2**16
MOST_LAYERS = 100
LARGEST = float(np.finfo(np.float32).max)  # of a number: actions and exported policies are of single precision
SMALLEST = float(np.finfo(np.float32).tiny)


class TrainedPolicy:
    """A trained policy without torch: `policy(observation, info)` returns its deterministic action.

    Args:
        path: A checkpoint, or its policy.npz.

    Attributes:
        about: What it was made with.
        mean: Subtracted from the observation, shape (n,).
        scale: What the rest is divided by, shape (n,).
        clip: Bound of the result's magnitude.
        layers: Weights (outputs, inputs) and biases (outputs,) of each layer.
        activation: Between the layers, "tanh" or "relu".
        squash: Whether tanh brings the last layer into [-1, 1]; else it is cut off there.
        noise: Standard deviation of each action in training, shape (m,); None if it is not known.

    Raises:
        FileNotFoundError: If there is none.
        ValueError: If what is there is no trained policy; the sentence says what is wrong and what is allowed.
    """

    def __init__(self, path: Path | str):
        path = Path(path)
        path = path / "policy.npz" if path.is_dir() else path
        if not path.exists():
            raise FileNotFoundError(f"there is no policy at {path}")
        try:
            self._take(stored_arrays(path))
        except ValueError as error:
            raise ValueError(f"{path} is not a trained policy: {error}") from error

    @classmethod
    def of(cls, arrays: Mapping[str, np.ndarray]) -> "TrainedPolicy":
        """Return the policy of arrays as they are in a file; ValueError if they are none."""
        made = cls.__new__(cls)
        made._take(arrays)
        return made

    def __call__(self, observation: np.ndarray, info: Any = None) -> np.ndarray:
        """Return the action, within [-1, 1], for observations of shape (..., n)."""
        x = self._last(observation)
        return (np.tanh(x) if self.squash else np.clip(x, -1.0, 1.0)).astype(np.float32)

    def _last(self, observation: np.ndarray) -> np.ndarray:
        x = np.clip((observation - self.mean) / self.scale, -self.clip, self.clip)
        for k, (weight, bias) in enumerate(self.layers):
            x = x @ weight.T + bias
            if k < len(self.layers) - 1:
                x = np.tanh(x) if self.activation == "tanh" else np.maximum(x, 0.0)
        return x

    def drawing(self) -> Callable[[gymnasium.Env, int], Callable]:
        """Return a maker, of an environment and a seed, of the policy that draws its actions as in training.

        Raises:
            ValueError: If it does not know their spread.
        """
        if self.noise is None:
            raise ValueError("the policy does not know the noise of its actions; its model.zip does")

        def make(env: gymnasium.Env, seed: int) -> Callable:
            rng = np.random.default_rng(seed)
            policy = self.in_environment(env, seed)

            def draw(observation: np.ndarray, info: Any = None) -> np.ndarray:
                mean = policy._last(observation)
                drawn = mean + policy.noise * rng.standard_normal(mean.shape)
                return (np.tanh(drawn) if policy.squash else np.clip(drawn, -1.0, 1.0)).astype(np.float32)

            return draw

        return make

    def in_environment(self, env: gymnasium.Env, seed: int) -> "TrainedPolicy":
        """Return the policy as one of an environment, whatever the seed.

        Raises:
            ValueError: If its observation has another size.
        """
        if env.observation_space.shape != self.mean.shape:
            n, shape = self.mean.size, env.observation_space.shape
            raise ValueError(f"the policy observes {n} numbers, and {env.spec.id} gives an array of shape {shape}")
        return self

    def _take(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take the arrays of a file; refuse those that are none of a policy."""
        self.about = about_of(_text(arrays, "about"))
        self.layers = _layers(arrays)
        self._take_ends(arrays)
        shape = self.layers[-1][1].shape
        self.noise = _numbers(arrays, "noise", shape) if "noise" in arrays else None

    def _take_ends(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take what is before and behind the layers."""
        n = self.layers[0][0].shape[1]
        self.mean, self.scale = _numbers(arrays, "mean", (n,)), _numbers(arrays, "scale", (n,))
        if not (self.scale >= SMALLEST).all():
            raise ValueError(f"scale must be positive, got {self.scale.min():g}")
        clip, squash = arrays["clip"], arrays["squash"]
        if clip.shape != () or clip.dtype.kind not in "fiu" or not clip > 0:
            raise ValueError(f"clip must be a positive number, or infinity, got {_shown(clip)}")
        if squash.shape != () or squash.dtype.kind != "b":
            raise ValueError(f"squash must be true or false, got {_shown(squash)}")
        self.clip, self.squash, self.activation = float(clip), bool(squash), _text(arrays, "activation")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {self.activation[:40]!r}")


def stored_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return a policy's arrays in an .npz; ValueError if it is damaged, lacks one, or has too large ones."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if lacking := [name for name in NAMED if name not in members]:
                raise ValueError(f"it lacks {', '.join(lacking)}")
            n_bytes = sum(info.file_size for info in members.values())
            if n_bytes > MOST_BYTES:
                raise ValueError(f"its arrays have {n_bytes} bytes, and may have {MOST_BYTES}")
            return {name: _array(name, archive.read(info)) for name, info in members.items()}
    except ValueError:
        raise
    except Exception as error:  # broken archives raise nearly anything
        raise ValueError(f"it cannot be read as an .npz file ({type(error).__name__}: {error})") from error


def _array(name: str, data: bytes) -> np.ndarray:
    try:
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # its head is a Python literal, and may promise any size
        raise ValueError(f"{name} is not an array of numbers or text ({error})") from error


def about_of(text: str) -> dict[str, Any]:
    """Return a policy's notes, from JSON: environment, its options and more; ValueError says what they have to be."""
    try:
        about = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"what it was made with is not JSON ({error})") from error
    return check_about(about)


def check_about(about: Any) -> dict[str, Any]:
    """Return the notes of a policy, if they name its environment and its options; ValueError if it does not."""
    if not isinstance(about, dict):
        raise ValueError(f"what it was made with must be a table of names and values, got {_shown(about)}")
    if lacking := [name for name in ("environment", "options") if name not in about]:
        raise ValueError(f"what it was made with lacks {' and '.join(lacking)}")
    if not isinstance(about["environment"], str):
        raise ValueError(f"environment must be a name, got {_shown(about['environment'])}")
    if not isinstance(about["options"], dict):
        raise ValueError(f"options must be a table of names and values, got {_shown(about['options'])}")
    return about


def _text(arrays: Mapping[str, np.ndarray], name: str) -> str:
    if arrays[name].shape != () or arrays[name].dtype.kind != "U":
        raise ValueError(f"{name} must be a text, got {_shown(arrays[name])}")
    return str(arrays[name])


def _layers(arrays: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights and biases, layer after layer."""
    n_layers = sum(name.startswith("weight_") for name in arrays)
    if not 1 <= n_layers <= MOST_LAYERS:
        raise ValueError(f"it has {n_layers} layers, and may have 1 to {MOST_LAYERS}")
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    for k in range(n_layers):
        if lacking := [name for name in (f"weight_{k}", f"bias_{k}") if name not in arrays]:
            raise ValueError(f"it has {n_layers} layers and lacks {' and '.join(lacking)}")
        weight = _numbers(arrays, f"weight_{k}", None)
        if weight.ndim != 2 or 0 in weight.shape:
            raise ValueError(f"weight_{k} must have the shape (outputs, inputs), got {weight.shape}")
        if layers and weight.shape[1] != layers[-1][1].size:
            raise ValueError(
                f"weight_{k} has the shape {weight.shape}, the layer before it {layers[-1][1].size} outputs"
            )
        layers.append((weight, _numbers(arrays, f"bias_{k}", weight.shape[:1])))
    return layers


def _numbers(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...] | None) -> np.ndarray:
    """Return an array of finite numbers, of a shape if one is asked for."""
    value = arrays[name]
    if value.dtype.kind not in "fiu":
        raise ValueError(f"{name} must be of real numbers, got {value.dtype}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {value.shape}")
    if not (np.abs(value.astype(float)) <= LARGEST).all():
        raise ValueError(f"{name} must be finite and at most {LARGEST:.1g} in size, and is not everywhere")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.shape:
        return f"an array of {value.dtype} and shape {value.shape}"
    text = repr(value.item() if isinstance(value, np.ndarray) else value)
    return text if len(text) <= 40 else f"{text[:37]}..."
