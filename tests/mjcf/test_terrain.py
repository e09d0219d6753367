"""The drawn ground is the terrain's: heights of a compiled field, and of one written over it."""

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import Rough, Sinusoid, Terrain
from tarsus.mjcf import PRESETS
from tarsus.mjcf.ground import Ground
from tarsus.mjcf.terrain import GRID, GROUND, add_ground, foot_bits, reroll


def ground_model(terrain):
    spec = mujoco.MjSpec()
    add_ground(spec, terrain, PRESETS["rl"], 0.7, 2)
    return spec.compile()


def heights(model):
    """Return the world heights of the field's samples, row by row along y, shape (801, 801) [m]."""
    ground = model.geom(GROUND)
    return ground.pos[2] + model.hfield_size[0, 2] * model.hfield_data.reshape(len(GRID), len(GRID)).astype(float)


@pytest.mark.parametrize("terrain", [Rough(seed=3), Sinusoid(0.05, 2.0, 3.0)], ids=["rough", "sinusoid"])
def test_a_height_field_is_its_terrain_but_for_two_far_corners(terrain):
    off = np.abs(heights(ground_model(terrain)) - terrain.height(GRID[None, :], GRID[:, None]))
    off[0, 0] = off[-1, -1] = 0.0  # they fix the scale
    assert off.max() < 1e-6


def test_another_terrain_is_written_over_the_first():
    model, other = ground_model(Rough(seed=3)), Rough(seed=8)
    reroll(model, other, PRESETS["rl"])
    np.testing.assert_allclose(heights(model), other.height(GRID[None, :], GRID[:, None]), atol=1e-6)


def test_a_foot_touches_its_own_patch_and_no_other():
    terrain = Rough()
    for foot in range(60):
        kind, affinity = foot_bits(terrain, foot)
        for patch in range(60):
            patch_affinity, patch_kind = foot_bits(terrain, patch)  # offered the other way round
            touches = bool(kind & patch_affinity or patch_kind & affinity)
            assert touches == (foot == patch)


@dataclass(frozen=True)
class Ridges(Terrain):
    """A terrain of one's own, whose methods call others."""

    rise: float = 0.02
    RELIEF = ("rise",)

    @cached_property
    def steepest(self):
        """Slope at the origin."""
        return 3.0 * self.rise

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return self.rise * self.shape(y) + 0.0 * x

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        return 0.0 * (x + y), self.steepest * np.cos(3.0 * y) + 0.0 * x

    def shape(self, y):
        """Return the height over the rise."""
        return np.sin(3.0 * y)


def test_ground_of_ones_own_has_the_relief_of_each_simulation():
    first = Ridges()
    assert first.steepest == pytest.approx(0.06)  # what it keeps is its own
    ground, y = Ground(first, (3,), graded=True), np.linspace(0.1, 0.9, 15).reshape(3, 5)
    for sim, rise in enumerate((0.0, 0.01, 0.03)):
        ground[sim] = Ridges(rise)
    for sim, rise in enumerate((0.0, 0.01, 0.03)):
        alone = Ridges(rise)
        np.testing.assert_array_equal(ground.height(0 * y, y)[sim], alone.height(0 * y, y)[sim])
        np.testing.assert_array_equal(ground.gradient(0 * y, y)[1][sim], alone.gradient(0 * y, y)[1][sim])
