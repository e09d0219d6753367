"""Terms of the reward that shape how a machine walks; their weight is 0 by default, and then they are not computed.

A term is a function of the task, or, where it needs memory, a part of it with the method `term`.
"""

from collections.abc import Callable

import numpy as np

from ..analytic.battery import Battery
from .extras import Extra

SHORTEST = 0.1  # time in the air that earns nothing [s]; legged_gym has 0.5 s, for dogs with longer steps


class AirTime(Extra):
    """Time that a foot was in the air beyond `SHORTEST`, paid when it touches down, as in legged_gym.

    Attributes:
        air: Time since each foot's last contact, shape (..., n_feet) [s].
    """

    KEPT = ("air",)

    def __init__(self, task):
        self.air = np.zeros((*task.shape, task.n_feet))
        self._paid = np.zeros(task.shape)

    def begin(self, task, sim, data) -> None:
        """Begin with no time in the air."""
        self.air[sim] = 0.0

    def advance(self, task) -> None:
        """Count the time, and pay where a foot touches down."""
        contact = task.foot[..., 0] > 0
        landed = (contact & (self.air > 0)).astype(float)
        self._paid = np.vecdot(self.air - SHORTEST, landed)
        self.air[...] = np.where(contact, 0.0, self.air + task.ctrl_dt)

    def term(self, task) -> np.ndarray:
        """Return the sum over the feet that touched down in this step, shape (...,) [s]."""
        return self._paid


class Sliding(Extra):
    """Speed over the ground of the feet that touch it, mean of the control period.

    Attributes:
        place: Horizontal position of each foot, shape (..., n_feet, 2) [m].
        touching: Whether it was in contact, shape (..., n_feet).
    """

    KEPT = ("place", "touching")

    def __init__(self, task):
        self._sites = [task.model.site(f"foot_{k}").id for k in range(task.n_feet)]
        self.place = np.zeros((*task.shape, task.n_feet, 2))
        self.touching = np.zeros((*task.shape, task.n_feet), bool)
        self._speed = np.zeros(task.shape)

    def begin(self, task, sim, data) -> None:
        """Begin without a contact: where the feet are is not computed yet."""
        self.touching[sim] = False

    def advance(self, task) -> None:
        """Measure how far the feet moved that were in contact before and after."""
        place, contact = task.data.site_xpos[..., self._sites, :2], task.foot[..., 0] > 0
        moved = place - self.place
        speed = np.sqrt(np.vecdot(moved, moved)) / task.ctrl_dt
        self._speed = np.vecdot(speed, (contact & self.touching).astype(float))
        self.place[...], self.touching[...] = place, contact

    def term(self, task) -> np.ndarray:
        """Return the sum over the feet, shape (...,) [m/s]."""
        return self._speed


class Height(Extra):
    """Squared deviation of the body's height from `body_height`, by default that of the episode's start.

    Attributes:
        target: The height asked for, shape (...,) [m].
    """

    KEPT = ("target",)

    def __init__(self, task):
        self.target = np.zeros(task.shape)

    def begin(self, task, sim, data) -> None:
        """Keep the height asked for."""
        x, y, z = data.qpos[:3]
        asked = task.config.body_height
        self.target[sim] = z - task.terrain[sim].height(x, y) if asked is None else asked

    def term(self, task) -> np.ndarray:
        """Return the squared deviation, shape (...,) [m^2]."""
        above = task.height - self.target
        return above * above


def orientation(task) -> np.ndarray:
    """Return the squared sine of the body's tilt, shape (...,)."""
    across = task.frame.gravity[..., :2]
    return np.vecdot(across, across)


def positive_power(task) -> np.ndarray:
    """Return the mechanical power that the motors put in; braking gains nothing, shape (...,) [W]."""
    power = task.torque * task.joint_speed
    return np.vecdot(np.maximum(power, 0.0), np.ones(power.shape[-1]))


def electric_power(task) -> np.ndarray:
    """Return the battery's voltage times the charge it loses in a second, shape (...,) [W]."""
    battery = Battery()
    return task.frame.drain_rate[..., 0] * (battery.capacity * battery.nominal_voltage)


Shaping = dict[str, tuple[Callable | type[Extra], str]]  # value and meaning of each term
BODY: Shaping = {
    "air_time": (AirTime, f"time in the air beyond {SHORTEST:g} s of feet that touch down, summed [s]"),
    "orientation": (orientation, "squared sine of the body's tilt"),
    "height": (Height, "squared deviation of the body's height from `body_height` [m^2]"),
    "sliding": (Sliding, "horizontal speed of the feet in contact, summed [m/s]"),
}
POWER: Shaping = {
    "positive_power": (positive_power, "mechanical power the motors put in, summed; braking gains nothing [W]"),
    "electric_power": (electric_power, "the battery's voltage times the charge it loses in a second [W]"),
}
