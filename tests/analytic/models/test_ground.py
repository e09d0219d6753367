"""Every registered terrain as functions of a point, compiled, is the terrain."""

from dataclasses import dataclass

import numba
import numpy as np
import pytest

from tarsus.analytic.compilation.methods import as_function
from tarsus.analytic.compilation.rebuild import rebuild
from tarsus.analytic.models.ground import ground_of
from tarsus.analytic.terrain import TERRAINS, Sinusoid, Terrain


@dataclass(frozen=True)
class Ridges(Terrain):
    """Half of a terrain of one's own."""

    rise: float = 0.02
    spacing: float = 0.8
    SHARP = 4.0

    @property
    def k(self):
        """Wave number [rad/m]."""
        return 2.0 * np.pi / self.spacing

    @staticmethod
    def fall(height: float, share: float = 0.5) -> float:
        """Return a share of a height."""
        return share * height

    def shape(self, y: float, height: float = 1.0) -> float:
        """Return the height over the rise."""
        return height * np.exp(self.SHARP * (np.cos(self.k * y) - 1.0))

    def __slope(self, y):
        return -self.SHARP * self.k * np.sin(self.k * y) * self.shape(y)

    def slope(self, y):
        """Return the slope over the rise."""
        return self.__slope(y)


@dataclass(frozen=True)
class Tilted(Ridges):
    """A terrain whose methods call others, of its own class and of the one above."""

    tilt: float = 0.1

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return self.rise * self.shape(y) - self.fall(self.tilt * x, share=0.25)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        return -self.fall(self.tilt, 0.25) + 0.0 * x, self.rise * self.slope(y) + 0.0 * x


@pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.extra)])
@pytest.mark.parametrize("kind", [*TERRAINS.values(), Tilted], ids=[*TERRAINS, "own"])
def test_points_are_the_terrains(kind, fast):
    terrain = kind()
    ground = ground_of(terrain, 2)
    if kind is Tilted:
        terrain = Tilted(rise=0.03, spacing=0.7, tilt=0.2)
    p = np.array([7.0, 8.0, *ground_of(terrain, 2).params.values()])
    height, gradient, compiled = ground.height, ground.gradient, {}
    if fast:
        height, gradient = (rebuild(plain, numba.njit, {}, compiled, __name__) for plain in (height, gradient))
    rng = np.random.default_rng(0)
    for x, y in rng.uniform(-2, 2, (20, 2)):
        assert height(x, y, p) == pytest.approx(float(terrain.height(x, y)), abs=1e-14)
        np.testing.assert_allclose(gradient(x, y, p), np.array(terrain.gradient(x, y), float), atol=1e-14)


def test_terrains_that_call_nothing_of_their_own_stay_the_functions_they_are():
    assert as_function(Sinusoid, "height", ("amplitude", "wavenumber_x", "wavenumber_y")) is Sinusoid.height


def test_a_terrain_without_a_source_is_refused_in_a_sentence():
    text = """class Here(Terrain):
    def height(self, x, y): return self.gradient(x, y)[0]
    def gradient(self, x, y): return x, y"""
    exec(text, space := {"Terrain": Terrain})
    with pytest.raises(ValueError, match="Here.height uses gradient of its class.*write the class in a file"):
        as_function(space["Here"], "height", ())


def test_with_tables_a_parameter_is_not_the_default_of_the_class():
    class Frozen(Tilted):
        tables = {"heights": np.zeros(3)}

    with pytest.raises(AttributeError, match="rise"):
        ground_of(Frozen(rise=0.5), 0).height(0.1, 0.2, np.zeros(3))
