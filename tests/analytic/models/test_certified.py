"""Which guards of our models are enclosed, and which are sampled: what the models' pages say."""

import pytest

from tarsus.analytic.hybrid.expand import to_functions
from tarsus.analytic.models import (
    bouncing_ball,
    compass_gait,
    driven_legs,
    hopping_leg_hybrid,
    rimless_wheel,
    simplest_walker,
    slip,
    slip_leg_hybrid,
    spring_walker,
)
from tarsus.analytic.models.hexapod import hybrid as hexapod
from tarsus.controllers.raibert import raibert
from tarsus.controllers.slip import slip as slip_control
from tarsus.scripts.laboratory.models import pendulum_wall

ALL = (bouncing_ball, compass_gait, pendulum_wall, rimless_wheel, simplest_walker, slip, spring_walker)
MODELS = {module.__name__.rpartition(".")[2]: module.build for module in ALL}
MODELS |= {"slip_leg": lambda: slip_leg_hybrid.build(slip_control())}
SAMPLED = {
    "hopping_leg": (lambda: hopping_leg_hybrid.build(raibert()), {"liftoff"}),
    "driven_hopping_leg": (lambda: driven_legs.hopping_leg()[0], {"liftoff", "rise", "stick"}),
    "driven_slip_leg": (lambda: driven_legs.slip_leg()[0], {"liftoff", "rise", "stick"}),
    "hexapod": (
        hexapod.build,
        {f"{what}_{leg}" for what in ("liftoff", "slide", "grip", "half_turn") for leg in range(6)},
    ),
}


@pytest.mark.parametrize("build, sampled", [*((build, set()) for build in MODELS.values()), *SAMPLED.values()])
def test_all_guards_are_enclosed_but_those_of_contact_forces(build, sampled):
    model = build()
    certified = to_functions(model).tables["CERTIFIED"]
    assert {name for name, sure in zip(model.guards, certified, strict=False) if not sure} == sampled
