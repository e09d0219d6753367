"""A surface of plane waves, h = sum_k amplitude_k sin(k_x x + k_y y + phase_k): drawn at random, evaluated at points.

Waves are an array of shape (4, n): amplitude [m], wave number along x and along y [rad/m], phase [rad].
"""

from __future__ import annotations

import numpy as np

N_WAVES = 24


def random_waves(deviation: float, wavelength: float, seed: int) -> np.ndarray:
    """Return waves of random direction and phase, shape (4, N_WAVES), of a standard deviation of the height [m].

    Wavelengths are spaced logarithmically over [wavelength, 4 wavelength] [m], heights grow with them: the slope is the
    same on all scales.
    """
    rng = np.random.default_rng(seed)
    length = wavelength * 4.0 ** (np.arange(N_WAVES) / (N_WAVES - 1))
    heading = rng.uniform(0.0, 2 * np.pi, N_WAVES)
    phase = rng.uniform(0.0, 2 * np.pi, N_WAVES)
    amplitude = deviation * length * np.sqrt(2 / np.sum(length**2))  # a wave's variance is half its square
    return np.stack([amplitude, np.cos(heading) * 2 * np.pi / length, np.sin(heading) * 2 * np.pi / length, phase])


def waves_height(waves: np.ndarray, x, y) -> np.ndarray:
    """Return the height at points x, y, which broadcast [m]."""
    return np.tensordot(waves[0], np.sin(_phases(waves, x, y)), 1)


def waves_gradient(waves: np.ndarray, x, y) -> tuple[np.ndarray, np.ndarray]:
    """Return (dh/dx, dh/dy) at points x, y, which broadcast."""
    amplitude, k_x, k_y, _ = waves
    steepness = np.cos(_phases(waves, x, y))
    return np.tensordot(amplitude * k_x, steepness, 1), np.tensordot(amplitude * k_y, steepness, 1)


def waves_grid(waves: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the heights over the grid of x (n_x,) and y (n_y,), shape (n_y, n_x) [m].

    sin(a + b) = sin a cos b + cos a sin b makes it a matrix product: a million points take milliseconds, so that an
    environment can draw new ground at every reset.
    """
    amplitude, k_x, k_y, phase = waves[:, :, None]
    along_x, along_y = k_x * x + phase, k_y * y  # (n_waves, n_x), (n_waves, n_y)
    across = np.concatenate([amplitude * np.cos(along_y), amplitude * np.sin(along_y)])
    return across.T @ np.concatenate([np.sin(along_x), np.cos(along_x)])


def _phases(waves: np.ndarray, x, y) -> np.ndarray:
    _, k_x, k_y, phase = waves
    x, y = np.broadcast_arrays(x, y)
    return np.multiply.outer(k_x, x) + np.multiply.outer(k_y, y) + phase.reshape(-1, *[1] * x.ndim)
