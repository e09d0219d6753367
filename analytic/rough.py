"""Random ground: smooth waves, h = sum_k amplitude_k sin(k_x x + k_y y + phase_k), and terraces cut into them.

Waves are an array of shape (4, n): amplitude [m], wave number along x and along y [rad/m], phase [rad].
"""

from dataclasses import dataclass

import numpy as np

from .smooth import minimum_jerk
from .terrain_base import Terrain

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


def point_height(waves, x, y):
    """Return the height of waves at one point [m]."""
    amplitude, k_x, k_y, phase = waves
    return np.sum(amplitude * np.sin(k_x * x + k_y * y + phase))


def point_gradient(waves, x, y):
    """Return (dh/dx, dh/dy) of waves at one point."""
    amplitude, k_x, k_y, phase = waves
    steepness = amplitude * np.cos(k_x * x + k_y * y + phase)
    return np.sum(k_x * steepness), np.sum(k_y * steepness)


@dataclass(frozen=True)
class Rough(Terrain):
    """Smooth random ground: plane waves of random direction and phase (`random_waves`), the same for the same seed.

    Smooth rather than piecewise flat, so that the exact engine and a height field mean the same surface.

    Raises:
        ValueError: Unless deviation >= 0 and wavelength > 0.
    """

    deviation: float = 0.015  # standard deviation of the height [m]
    wavelength: float = 0.5  # of the shortest wave [m]
    seed: int = 0
    RELIEF = ("deviation",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.deviation >= 0 and self.wavelength > 0):
            raise ValueError(
                f"rough terrain needs deviation >= 0 and wavelength > 0, got {self.deviation} and {self.wavelength} m"
            )
        object.__setattr__(self, "_waves", random_waves(self.deviation, self.wavelength, int(self.seed)))

    @property
    def waves(self) -> np.ndarray:
        """The waves, shape (4, n)."""
        return self._waves.copy()

    def _phases(self, x, y):
        _, k_x, k_y, phase = self._waves
        x, y = np.broadcast_arrays(x, y)
        return np.multiply.outer(k_x, x) + np.multiply.outer(k_y, y) + phase.reshape(-1, *[1] * x.ndim)

    def height_range(self, heights):
        """Return the heights at which all crests, or all troughs, would meet [m]."""
        bound = float(np.sum(self._waves[0]))
        return -bound, bound

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return np.tensordot(self._waves[0], np.sin(self._phases(x, y)), 1)

    def grid(self, x, y):
        """Return the heights over a grid, shape (n_y, n_x) [m].

        sin(a + b) = sin a cos b + cos a sin b makes it a matrix product: a million points take milliseconds, so that
        an environment can draw new ground at every reset.
        """
        amplitude, k_x, k_y, phase = self._waves[:, :, None]
        along_x, along_y = k_x * x + phase, k_y * y  # (n_waves, n_x), (n_waves, n_y)
        across = np.concatenate([amplitude * np.cos(along_y), amplitude * np.sin(along_y)])
        return across.T @ np.concatenate([np.sin(along_x), np.cos(along_x)])

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        amplitude, k_x, k_y, _ = self._waves
        steepness = np.cos(self._phases(x, y))
        return np.tensordot(amplitude * k_x, steepness, 1), np.tensordot(amplitude * k_y, steepness, 1)

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """What `point_height` and `point_gradient` read, as tensor products do not compile: waves, shape (4, n)."""
        return {"waves": self._waves}

    def point_height(self, x, y):
        """Return h at one point [m]."""
        return point_height(self.waves, x, y)

    def point_gradient(self, x, y):
        """Return (dh/dx, dh/dy) at one point."""
        return point_gradient(self.waves, x, y)


LEAST_RISE = 1e-9  # so that terraces of no rise are their ground [m]


def terraced(z, rise, riser):
    """Return the height of terraces where the ground's was z [m]; see `Terraces`."""
    rise = np.maximum(rise, LEAST_RISE)
    level = np.floor(z / rise)
    s = np.minimum(np.maximum((z / rise - level - (1.0 - riser)) / riser, 0.0), 1.0)
    return rise * (level + minimum_jerk(s))


def terrace_steepness(z, rise, riser):
    """Return the derivative of `terraced` with respect to z."""
    turns = z / np.maximum(rise, LEAST_RISE)
    s = np.minimum(np.maximum((turns - np.floor(turns) - (1.0 - riser)) / riser, 0.0), 1.0)
    return 30.0 * (s * (1.0 - s)) ** 2 / riser


@dataclass(frozen=True)
class Terraces(Rough):
    """Level terraces that follow the contour lines of rough ground, each `rise` above the one below.

    By default they are half a metre wide on average, with risers a tenth of a metre long.

    Raises:
        ValueError: Unless rise >= 0 and 0 < riser <= 1.
    """

    deviation: float = 0.03  # of the rough ground's height [m]
    wavelength: float = 1.0  # of its shortest wave [m]
    seed: int = 0
    rise: float = 0.04  # from a terrace to the next [m]
    riser: float = 0.2  # share of the way between two terraces that is not level
    RELIEF = ("deviation", "rise")
    terraced, steepness = staticmethod(terraced), staticmethod(terrace_steepness)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.rise >= 0 and 0 < self.riser <= 1):
            raise ValueError(f"terraces need rise >= 0 and 0 < riser <= 1, got {self.rise} and {self.riser}")

    def height_range(self, heights):
        """Return bounds for all seeds [m]."""
        low, high = super().height_range(heights)
        return low - self.rise, high + self.rise

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return terraced(super().height(x, y), self.rise, self.riser)

    def grid(self, x, y):
        """Return the heights over a grid, shape (n_y, n_x) [m]."""
        return terraced(super().grid(x, y), self.rise, self.riser)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        steepness = terrace_steepness(super().height(x, y), self.rise, self.riser)
        z_x, z_y = super().gradient(x, y)
        return steepness * z_x, steepness * z_y

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """What `point_height` and `point_gradient` read: the waves, and rise and riser, shape (2,)."""
        return super().tables | {"terrace": np.array([self.rise, self.riser])}

    def point_height(self, x, y):
        """Return h at one point [m]."""
        return terraced(point_height(self.waves, x, y), self.terrace[0], self.terrace[1])

    def point_gradient(self, x, y):
        """Return (dh/dx, dh/dy) at one point."""
        steepness = terrace_steepness(point_height(self.waves, x, y), self.terrace[0], self.terrace[1])
        z_x, z_y = point_gradient(self.waves, x, y)
        return steepness * z_x, steepness * z_y
