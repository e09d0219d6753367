"""What the builders of all walking robots refuse: timesteps too long for their springs, and unknown names."""

from dataclasses import replace

import pytest

from tarsus.mjcf import PRESETS, bigant, hexapod, multipod
from tarsus.mjcf.presets import Preset

TOO_LONG = {  # builder: a timestep, and what is said of it
    hexapod: (3e-3, r"\(707 rad/s\).*under 0.00283 s, or the integrator 'discrete'"),
    bigant: (0.01, r"for the legs' springs \(258 rad/s\)"),
    multipod: (0.012, r"for the leaf springs \(183 rad/s\).*under 0.011 s"),
}


@pytest.mark.parametrize("robot", TOO_LONG, ids=lambda robot: robot.__name__.rpartition(".")[2])
def test_a_timestep_too_long_for_the_springs_is_refused(robot):
    timestep, words = TOO_LONG[robot]
    with pytest.raises(ValueError, match=f"too long .*{words}"):
        robot.build(preset=Preset(timestep=timestep, integrator="implicitfast", solref=(2.5 * timestep, 1.0)))
    robot.build(preset=replace(PRESETS["rl"], timestep=timestep))


@pytest.mark.parametrize("robot", TOO_LONG, ids=lambda robot: robot.__name__.rpartition(".")[2])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"terrain": "swamp"}, "unknown terrain 'swamp'; there are .*flat"),
        ({"preset": "fast"}, "unknown preset 'fast'; there are .*rl"),
    ],
)
def test_unknown_names_are_refused_with_what_exists(robot, bad, message):
    with pytest.raises(ValueError, match=message):
        robot.build(**bad)
