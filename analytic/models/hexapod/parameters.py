r"""The compliant hexapod: its parameters and the kinematics of its legs.

Body frame: x to the right, y forward, z up. Legs 0, 1, 2 are right rear, middle, front; 3, 4, 5 the same on the left.
A leg leaves its attachment point `attach[i]` as

.. math:: v = \rho\, (\sin\theta,\ \cos\theta \sin\varphi,\ -\cos\theta \cos\varphi)

with hip angle phi (about +x, driven), splay theta and length rho (both sprung). phi = 0 points straight down.

Source: SimSect manual 5.1 and Table 2; hexapod report 3.9.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ... import clock, terrain
from ...finite import check_finite, check_signs
from ...motor import Motor
from ...spelling import check_name, listed
from .rhex import MOTORS, RHEX, RPM

N_LEGS = 6
PER_LEG = ("rho_k", "rho_d", "rho_r0", "theta_k", "theta_d", "theta_r0")
POSITIVE = (
    *("body_mass", "leg_mass", "max_torque", "max_speed", "speed_constant", "torque_constant"),
    *("armature_resist", "gear_ratio", "supply_voltage", "rho_k", "rho_r0", "theta_k"),
)
NON_NEGATIVE = ("g", "friction_coeff", "drive_resist", "rho_d", "theta_d", "KP", "KD")


def _array(*values: float) -> np.ndarray:
    return field(default_factory=lambda: np.array(values, float))


@dataclass(frozen=True, eq=False)
class HexapodParams:
    """Every parameter of Table 2 of the SimSect manual, by its name there; `rho0_k ... rho5_k` are the array `rho_k`.

    Defaults are Table 2's, but for the two that are misprinted: the middle left attachment point (erratum 1; RHexLib,
    examples/exprunner/SimSect.rc) and the gear ratio, exactly 1/30 (erratum 18). Arrays are read-only; use
    `dataclasses.replace` or `with_symbols`.

    Raises:
        ValueError: If an array has another shape, a value is out of its range, or J is no inertia.
    """

    # Platform
    body_mass: float = 6.0  # [kg]
    leg_mass: float = 0.01  # of each toe [kg]
    friction_coeff: float = 0.5  # Coulomb, toe on ground
    q_rt: float = 0.18  # touchdown leg length [m]; unused (erratum 10: in the authors' file the rest length)
    q_rl: float = 0.181  # liftoff leg length [m]; unused (erratum 10)
    g: float = 10.0  # gravity, along -z [m/s^2]
    max_torque: float = 3.0  # at the hip [N m]
    max_speed: float = 10_000.0  # no-load speed of the motor's shaft [rpm]
    speed_constant: float = 61.261056  # K_w [rad/s/V]
    torque_constant: float = 16.3e-3  # K_tau [N m/A]
    armature_resist: float = 1.34  # r_a [ohm]
    gear_ratio: float = 1 / 30  # hip speed over shaft speed
    torque_loss: float = 0.5  # actuator efficiency; unused, as in the manual
    supply_voltage: float = 12.0  # of battery and motors [V]; not in Table 2, nor the next
    drive_resist: float = 0.0  # r_d, the voltage that the bridge loses at full duty, per ampere [ohm]
    rho_k: np.ndarray = _array(500, 1000, 500, 500, 1000, 500)  # radial stiffness [N/m]
    rho_d: np.ndarray = _array(10, 20, 10, 10, 20, 10)  # radial damping [N s/m]
    rho_r0: np.ndarray = _array(0.2, 0.2, 0.2, 0.2, 0.2, 0.2)  # radial rest length [m]
    theta_k: np.ndarray = _array(100, 200, 100, 100, 200, 100)  # splay stiffness [N m/rad]
    theta_d: np.ndarray = _array(0.4, 0.8, 0.4, 0.4, 0.8, 0.4)  # splay damping [N m s/rad]
    theta_r0: np.ndarray = _array(0.2, 0.2, 0.2, -0.2, -0.2, -0.2)  # splay at rest [rad]
    attach: np.ndarray = field(  # attachment points, body frame, shape (6, 3) [m]
        default_factory=lambda: np.array([[x, y, 0.0] for x in (0.1, -0.1) for y in (-0.2, 0.0, 0.2)])
    )
    J: np.ndarray = field(  # body inertia, shape (3, 3) [kg m^2]; Table 2's breaks J_11 + J_22 >= J_33 (erratum 2)
        default_factory=lambda: np.diag([0.2, 0.08, 0.4])
    )
    # Terrain (Table 3)
    terrain_type: str = "flat"
    terrain_arg1: float = 0.03
    terrain_arg2: float = 15.0
    terrain_arg3: float = 15.0
    # Controller
    control_type: str = "open-loop"
    KP: float = 10.0  # hip stiffness [N m/rad]
    KD: float = 0.5  # hip damping [N m s/rad]
    cycle_time: float = 1.0  # t_c [s]
    sweep_angle: float = 0.75  # phi_s [rad]
    flight_time: float = 0.4  # t_f [s]; the slow phase takes the rest, t_s = t_c - t_f (erratum 22)
    leg_offset: float = 0.0  # phi_o [rad]
    # Visualisation
    grid_xsize: float = 5.0  # of the terrain grid [m]
    grid_ysize: float = 5.0
    grid_xsteps: int = 50
    grid_ysteps: int = 50
    framerate: float = 120.0  # [1/s]
    frame_width: int = 640  # [pixel]
    frame_height: int = 480

    def __post_init__(self) -> None:
        check_finite(self)
        for name, shape in {**dict.fromkeys(PER_LEG, (N_LEGS,)), "attach": (N_LEGS, 3), "J": (3, 3)}.items():
            value = np.array(getattr(self, name), float)
            if value.shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        check_signs(self, POSITIVE, NON_NEGATIVE)
        if not (np.array_equal(self.J, self.J.T) and np.all(np.linalg.eigvalsh(self.J) > 0)):
            raise ValueError(f"J must be symmetric and positive definite, got {self.J.tolist()}")
        if not 0 < self.flight_time < self.cycle_time:
            raise ValueError(
                f"flight_time must lie between 0 and cycle_time = {self.cycle_time} s, got {self.flight_time} s"
            )

    @classmethod
    def rhex(cls, motor: str = "file") -> "HexapodParams":
        """Return the robot of the authors' own files, with one of the motors of `rhex.MOTORS`."""
        if motor not in MOTORS:
            raise ValueError(f"unknown motor {motor!r} of RHex; there are {listed(motor, MOTORS)}")
        return cls(**RHEX, **MOTORS[motor])

    @property
    def total_mass(self) -> float:
        """Mass of the body and the six toes [kg]."""
        return self.body_mass + N_LEGS * self.leg_mass

    @property
    def motor(self) -> Motor:
        """The motor behind each hip."""
        return Motor(
            max_torque=self.max_torque,
            no_load_speed=self.max_speed * RPM * self.gear_ratio,
            gear=1 / self.gear_ratio,
            speed_constant=self.speed_constant,
            torque_constant=self.torque_constant,
            armature_resist=self.armature_resist,
            supply_voltage=self.supply_voltage,
            drive_resist=self.drive_resist,
        )

    @property
    def terrain(self) -> terrain.Terrain:
        """The terrain that `terrain_type` and its arguments name."""
        if self.terrain_type == "flat":
            return terrain.make("flat")
        return terrain.make(self.terrain_type, *(self.terrain_arg1, self.terrain_arg2, self.terrain_arg3))

    @property
    def gait(self) -> clock.TripodGait:
        """The forward gait that `cycle_time`, `sweep_angle`, `flight_time` and `leg_offset` name."""
        slow_time = self.cycle_time - self.flight_time
        return clock.TripodGait(self.cycle_time, slow_time, self.sweep_angle, self.leg_offset)


# The robots that have names. A robot joins by a line here.
ROBOTS: dict[str, Callable[[], HexapodParams]] = {"table2": HexapodParams, "rhex": HexapodParams.rhex} | {
    f"rhex-{motor}": partial(HexapodParams.rhex, motor) for motor in MOTORS
}


def robot(params: str | HexapodParams) -> HexapodParams:
    """Return the parameters of a robot, by its name in `ROBOTS`; parameters as they are."""
    if not isinstance(params, str):
        return params
    check_name("robot", params, ROBOTS)
    return ROBOTS[params]()


def with_symbols(params: HexapodParams, symbols: dict[str, float | str]) -> HexapodParams:
    """Return the parameters with some changed, by the manual's symbols: `body_mass`, `rho0_k`, `attach4_y`, `J_33`, ...

    Also by the names of this class, so that `rho_k=800` sets all six legs.
    """
    known = dict(vars(params))
    changed = {name: np.array(value) for name, value in known.items() if isinstance(value, np.ndarray)}
    plain: dict[str, float | str] = {}
    elements = element_symbols()
    for symbol, value in symbols.items():
        if symbol in elements:
            name, index = elements[symbol]
            changed[name][index] = value
        elif symbol in changed:
            changed[symbol][...] = value
        elif symbol in known:
            plain[symbol] = type(known[symbol])(value)
        else:
            scalars = [name for name in known if name not in changed]
            raise ValueError(f"unknown hexapod parameter {symbol!r}; there are {listed(symbol, [*scalars, *elements])}")
    return replace(params, **changed, **plain)


def element_symbols() -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the manual's symbol of every array element: {"rho0_k": ("rho_k", (0,)), "J_12": ("J", (0, 1)), ...}."""
    symbols: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name in PER_LEG:
        spring, _, quantity = name.partition("_")
        symbols |= {f"{spring}{leg}_{quantity}": (name, (leg,)) for leg in range(N_LEGS)}
    for leg in range(N_LEGS):
        symbols |= {f"attach{leg}_{axis}": ("attach", (leg, k)) for k, axis in enumerate("xyz")}
    symbols |= {f"J_{i + 1}{j + 1}": ("J", (i, j)) for i in range(3) for j in range(3)}
    return symbols


def leg_vector(theta, phi, rho) -> np.ndarray:
    """Return the vector from hip to toe in the body frame, shape (..., 3) [m] (hexapod report 3.9)."""
    theta, phi, rho = np.broadcast_arrays(theta, phi, rho)
    across, down = np.sin(theta), np.cos(theta)
    return np.stack([rho * across, rho * down * np.sin(phi), -rho * down * np.cos(phi)], axis=-1)


def leg_angles(v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return splay theta [rad], hip angle phi [rad] and length rho [m] of vectors from hip to toe, shape (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(v, float), -1, 0)
    return np.arctan2(x, np.hypot(y, z)), np.arctan2(y, -z), np.sqrt(x * x + y * y + z * z)


def start_height(params: HexapodParams, ground: terrain.Terrain, phi, position=(0.0, 0.0)) -> float:
    """Return the body height at which a level body's lowest unloaded toe just touches the ground [m], world frame.

    Args:
        params: The robot; its legs at rest length and rest splay.
        ground: The terrain.
        phi: Hip angles, shape (6,) [rad].
        position: Where the body stands, x and y [m].
    """
    toes = params.attach + leg_vector(params.theta_r0, phi, params.rho_r0)  # (6, 3)
    return ground.height_to_clear(toes + (*position, 0.0))
