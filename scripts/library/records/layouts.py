"""What a labelled record holds: variables common to all machines, and what a robot's layout says of its own.

A layout has the robot's legs, its variables beside `CORE`, and what gives back, from the record's attributes, the
parameters and the gait that ran. Those of all robots are in `robots.LAYOUTS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

LEG, FOOT = ("time", "leg"), ("time", "leg", "axis")
Variables = dict[str, tuple[tuple[str, ...], str, str]]  # of each name: dimensions, unit, long name with the frame

# World frame unless a name ends in `_b`: z up.
CORE: Variables = {
    "body_position": (("time", "axis"), "m", "centre of the body, world frame"),
    "body_orientation": (("time", "quat"), "1", "unit quaternion that takes body axes to world axes"),
    "body_velocity": (("time", "axis"), "m/s", "velocity of the centre of the body, world frame"),
    "body_angular_velocity_b": (("time", "axis"), "rad/s", "angular velocity of the body, body frame"),
    "foot_position": (FOOT, "m", "centre of the toe, world frame"),
    "foot_force": (FOOT, "N", "force of the ground on the foot, world frame"),
    "foot_contact": (LEG, "1", "whether the foot touches the ground"),
}
# A record may hold these: what a simulator knows of its energy. Losses are positive; all but `energy` begin at zero.
BUDGET: Variables = {
    "energy": (("time",), "J", "mechanical energy: kinetic, of weight above z = 0, of springs"),
    "motor_work": (("time",), "J", "work of the motors since the start"),
    "damper_loss": (("time",), "J", "energy taken by dampers since the start"),
    "contact_loss": (("time",), "J", "energy taken by the ground since the start: sliding and impacts"),
}
# And these: what its motors take from their supply, where a machine says what that is.
ELECTRIC: Variables = {
    "electric_power": (("time",), "W", "power at the motors' terminals, current times voltage; negative is given back"),
    "drive_loss": (("time",), "W", "power that the motors' drives lose, beside that at the terminals"),
}
PERIOD = "period"  # the attribute with the period of a gait that has no parameters [s]
IMPULSE = "foot_impulse"  # and this one of an engine whose impacts take no time
SOMETIMES: Variables = BUDGET | ELECTRIC
SOMETIMES |= {IMPULSE: (FOOT, "N s", "impulse of the impacts on the foot until the next row, world frame")}
BOOLEAN = {"foot_contact"}


@dataclass(frozen=True)
class RecordLayout:
    """The variables of one robot's record, and what its attributes stand for."""

    legs: int  # 0: as many as its parameter `n_legs` says
    leg_names: str  # the legs in order, in words
    variables: Variables  # of its own, beside `CORE`
    params: Callable  # makes its parameters from what the record says of them
    gait: Callable  # and its gait
    coords: dict[str, list] = field(default_factory=dict)  # labels of dimensions of its own
    joints_per_leg: int = 0  # of a robot with a number for every joint: labels of the dimension `joint`
    listed: dict[str, str] = field(default_factory=dict)  # parameters that list the labels of dimensions of its own
    shown: tuple[str, ...] = ("height", "pitch", "roll", "heading", "velocity y")  # of a comparison's quantities

    def sized(self, parameters: dict) -> "RecordLayout":
        """Return the layout of the robot with these parameters, where they say how many legs or joints it has."""
        labels = {dim: parameters[name] for dim, name in self.listed.items()}
        legs = self.legs or parameters["n_legs"]
        return replace(self, legs=legs, coords=self.coords | labels)

    @property
    def schema(self) -> Variables:
        """Every variable a record of this robot must hold."""
        return CORE | self.variables

    @property
    def labels(self) -> dict[str, list]:
        """The labels along every dimension but time."""
        joints = {"joint": list(range(self.legs * self.joints_per_leg))} if self.joints_per_leg else {}
        common = {"leg": list(range(self.legs)), "axis": ["x", "y", "z"], "quat": ["w", "x", "y", "z"]}
        return common | joints | self.coords
