"""The exact compliant hexapod: parameters and leg kinematics are exported here; `hybrid.build` is the model.

    parameters   Table 2, leg kinematics, robots    layout    the model's parameter vector and its variants
    state        the state vector, the start        leg, body, contact, toes    the mechanics, piece by piece
    control      what drives the hips               hybrid    field, guards and transitions of all charts
    energy       where the energy goes              outputs   auxiliary functions and the picture
    rhex         numbers of the authors' robot
    orbit        the gait as a fixed point of its stride map

Only `hybrid`, its components and `orbit` need the engine; parameters import only NumPy.
"""

from .parameters import (
    N_LEGS,
    ROBOTS,
    HexapodParams,
    element_symbols,
    leg_angles,
    leg_vector,
    robot,
    start_height,
    with_symbols,
)

__all__ = [
    "N_LEGS",
    "ROBOTS",
    "HexapodParams",
    "element_symbols",
    "leg_angles",
    "leg_vector",
    "robot",
    "start_height",
    "with_symbols",
]
