"""Presets: contact and timestep settings with a measured error.

`reference` is closest to the exact hybrid model; `rl` is fast, its error stated in `docs/crossvalidation.md`. MuJoCo's
own defaults are wrong for toes of ten grams: feet sink 5 mm, and it walks 11 % too fast.
"""

import copy
import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import mujoco

from ..analytic.finite import check_finite, check_signs
from ..analytic.spelling import check_name

_EXPLICIT_IN_POSITION = ("Euler", "implicit", "implicitfast")
FINER = {"toe_radius": "toe", "friction": "friction", "impratio": "creep"}  # settings of contact, in words
INTEGRATORS = {
    name: getattr(mujoco.mjtIntegrator, f"mjINT_{name.upper()}")
    for name in ("Euler", "RK4", "implicit", "implicitfast", "discrete")
}
CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}


@dataclass(frozen=True)
class Preset:
    """MuJoCo settings. Names are MuJoCo's.

    Raises:
        ValueError: If the integrator or cone is unknown, or a value that must be positive is not.
    """

    timestep: float  # [s]
    integrator: str  # one of INTEGRATORS
    solref: tuple[float, float]  # contact time constant [s] and damping ratio; explicit integrators widen it to 2 steps
    solimp: tuple[float, float, float] = (0.9, 0.999, 1e-4)  # impedance at onset, past a width; the width [m]
    impratio: float = 100.0  # of friction to normal impedance; feet creep as 1 / impratio
    cone: str = "elliptic"  # pyramidal makes the hexapod 1.7 % too fast
    noslip_iterations: int = 0
    tolerance: float = 1e-10  # of the constraint solver; larger saves iterations
    ls_tolerance: float = 0.01  # of its line search; 0.1 gives the same forces for 4 % less time
    toe_radius: float = 1e-4  # [m]; rolling adds 0.5 % of speed per millimetre
    follow_period: float = 0.0  # between moves of the tangent planes on curved terrain [s]; 0 is every step
    sink: float = 0.0  # of a loaded toe into its soft contact [m]; the ground is higher by it
    speculative: bool = False  # a foot that would touch within the step is in contact from its start
    lead: float = 1.0  # of set-points under `discrete` [timestep]; a hair under 1, a kink at a step's end is the next's

    def __post_init__(self) -> None:
        check_finite(self)
        for name, known in (("integrator", INTEGRATORS), ("cone", CONES)):
            check_name(name, getattr(self, name), known)
        check_signs(self, ("timestep", "impratio", "tolerance", "toe_radius"))

    def apply(self, option) -> None:
        """Write every entry of a spec's `option` and every flag, but gravity: the preset's, else MuJoCo's defaults."""
        for name, default in defaults().items():
            setattr(option, name, default)
        option.timestep = self.timestep
        option.integrator = INTEGRATORS[self.integrator]
        option.cone = CONES[self.cone]
        option.impratio = self.impratio
        option.noslip_iterations = self.noslip_iterations
        option.solver = mujoco.mjtSolver.mjSOL_NEWTON
        option.tolerance = self.tolerance
        option.ls_tolerance = self.ls_tolerance
        if self.speculative:
            option.enableflags = int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
        option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)  # one robot is one island: 4 % for nothing
        option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE  # 4.0.0 has a known bug in the sparse one; ours are small

    @property
    def command_lead(self) -> float:
        """How far ahead of a step's start a servo's moving set-point is evaluated [s].

        The integrator `discrete` uses the servo's torque at the end of the step, so it needs the set-point there; with
        that of the start the hips would lag by a timestep in the preset `rl`.
        """
        return self.lead * self.timestep if self.integrator == "discrete" else 0.0

    @property
    def follow_every(self) -> int:
        """Physics steps between two moves of the tangent planes on curved terrain."""
        return max(1, round(self.follow_period / self.timestep))

    def check_timestep(self, frequency: float, springs: str) -> None:
        """Refuse a timestep at which explicitly integrated `springs` of natural frequency omega [rad/s] diverge.

        Raises:
            ValueError: If it is such a timestep; the message has the longest that is not.
        """
        largest = 2.0 / frequency  # omega h < 2
        if self.integrator in _EXPLICIT_IN_POSITION and not self.timestep < largest:
            raise ValueError(
                f"timestep {self.timestep:g} s is too long for {springs} ({frequency:.0f} rad/s) with the integrator "
                f"{self.integrator!r}: it must be under {largest:.3g} s, or the integrator 'discrete'"
            )


@functools.cache
def defaults() -> Mapping[str, Any]:
    """Return MuJoCo's value of each entry of `<option>` but gravity, flags as bits, by the entry's name in a spec."""
    option = mujoco.MjSpec().option
    return MappingProxyType({name: copy.copy(getattr(option, name)) for name in entries(option) if name != "gravity"})


def entries(option) -> list[str]:
    """Return the names of all entries of a spec's `option`."""
    return [name for name in dir(option) if not name.startswith("_")]


PRESETS = {
    "reference": Preset(
        timestep=2.5e-4,
        integrator="discrete",
        solref=(0.001, 1.0),
        solimp=(0.0, 0.999, 3e-4),
        ls_tolerance=0.1,
        sink=2e-4,
        lead=0.99,
    ),
    "rl": Preset(
        timestep=2e-3,
        integrator="discrete",  # implicit in position too: no limit from the stiff legs
        solref=(0.0032, 1.2),
        solimp=(0.0, 0.99, 4e-4),
        impratio=5.0,
        tolerance=1e-6,
        ls_tolerance=0.1,
        follow_period=0.01,
        sink=2.6e-4,
        speculative=True,
    ),
}


def find(preset: str | Preset, presets: Mapping[str, Preset] = PRESETS) -> Preset:
    """Return the preset of a name, the hexapod's or another machine's; a preset is returned as it is.

    Raises:
        ValueError: If no preset has that name.
    """
    if isinstance(preset, Preset):
        return preset
    check_name("preset", preset, presets)
    return presets[preset]


def contacts(preset: Preset, fine: Preset) -> dict[str, Preset]:
    """Return the preset with other contacts, by name: their stiffness and onset, and one thing of a finer preset's.

    All have the preset's timestep and integrator, so that one simulation can change from one to another.
    """
    time, damping = preset.solref
    onset, most, width = preset.solimp
    return {
        "softer contact": replace(preset, solref=(2.0 * time, damping)),
        "stiffer contact": replace(preset, solref=(time / 1.5, damping), solimp=(onset, most, width / 2.0)),
        "wider contact": replace(preset, solimp=(onset, most, 3.0 * width)),
        "sudden contact": replace(preset, solimp=(0.5, most, width)),
    } | {
        f"{word} of reference": replace(preset, **{name: getattr(fine, name)})
        for name, word in FINER.items()
        if getattr(fine, name, None) != getattr(preset, name, None)
    }
