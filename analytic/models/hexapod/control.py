"""Controllers of the exact hexapod's hips, with their own states, memory, modes and events.

The machine calls a `Control` for the torque of a leg and appends its states, memory, parameters and guards to its own.
Its functions get the whole state `x` and their own slices of the vectors. To add one, write a function that returns a
`Control` and a line in `CONTROLS`; `control_type` of an init file selects it.

Source: SimSect manual 5.2 and Table 2 (`control_type`); hexapod report 5.1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ...clock import HEADINGS, RIGHT, TRIPOD_PHASE, TripodGait, blended_corner, fast_phase, reference, slow_phase
from ...hybrid import Guard, indices
from .leg import wrap
from .parameters import N_LEGS, HexapodParams


def _still(t, x, own, d, p, mode, rate):
    pass


def _no_guards(t, x, own, d, p, mode, g):
    pass


def _none_sampled(t, x, own, d, p, mode, hips, g):
    pass


def _same_mode(t, x, own, d, p, mode, hips, fired):
    return mode


def _mode_0(t, x, own, d, p, hips):
    return 0


@dataclass(frozen=True)
class HipControl:
    """A controller of the hips.

    Attributes:
        params: Its parameters by name.
        torque: `torque(t, x, own, d, p, mode, leg, angle, speed)` [N m], before the motor's limit.
        state: Its continuous states by name, with their initial values.
        memory: What only its transitions change, by name.
        table: Its guards.
        field: `field(t, x, own, d, p, mode, rate)` writes the rates of its states.
        guards: `guards(t, x, own, d, p, mode, g)` writes the guards of the present mode that are not declared as
            sampled; infinity is off.
        sampled: `sampled(t, x, own, d, p, mode, hips, g)` writes the others. `hips` are the six hip angles in (-pi, pi]
            [rad], which jump.
        transition: `transition(t, x, own, d, p, mode, hips, fired)` returns the next mode; may change own and d.
        initial: `initial(t, x, own, d, p, hips)` returns the first mode; may change own and d.
    """

    params: dict[str, float]
    torque: Callable
    state: dict[str, float] = field(default_factory=dict)
    memory: dict[str, float] = field(default_factory=dict)
    table: tuple[Guard, ...] = ()
    field: Callable = _still
    guards: Callable = _no_guards
    sampled: Callable = _none_sampled
    transition: Callable = _same_mode
    initial: Callable = _mode_0


def hold(params: HexapodParams, angle=0.0) -> HipControl:
    """Return the controller that holds every hip at an angle [rad]; one for all, or six."""
    angles = [angle] * N_LEGS if not hasattr(angle, "__len__") else list(angle)
    table = {"KP": params.KP, "KD": params.KD} | {f"hold{leg}_angle": float(angles[leg]) for leg in range(N_LEGS)}
    return HipControl(table, hold_torque)


def hold_torque(t, x, own, d, p, mode, leg, angle, speed):
    """Return the torque of a spring and damper about the angle to be held."""
    return p[0] * wrap(p[2 + leg] - angle) - p[1] * speed


def open_loop(params: HexapodParams, gait: TripodGait | None = None) -> HipControl:
    """Return the manual's controller: each hip follows the clock by proportional and derivative gain.

    A mode bit per leg is 1 in its slow phase, a second one in the blend after its present phase; the memory `turn`
    counts its turns. The profile's kinks and the ends of its blends are events, so that the reference is analytic
    within a mode and past its end. So is an error of half a turn, at which the shorter way round and with it the torque
    change sign: errors are counted relative to the memory `near`, which an event `half_turn` updates.

    Args:
        params: The robot; its gains and, by default, its gait are used.
        gait: Any gait of the tripod family.
    """
    gait = params.gait if gait is None else gait
    right, left = HEADINGS[gait.heading]
    values = (
        *(params.KP, params.KD, gait.cycle_time, gait.sweep_angle, gait.cycle_time - gait.slow_time, gait.leg_offset),
        *(gait.slow_time_difference, gait.offset_difference, right, left, gait.sweep_difference),
        *(gait.blend * gait.cycle_time, float(gait.blend_shape == "cubic")),
        *(gait.rear_lean, gait.middle_lean, gait.front_lean, gait.phase_difference),
        *(0.0, gait.middle_phase, gait.front_phase),
    )
    return HipControl(
        dict(zip(CLOCK_PARAMS, values, strict=True)), clock_torque,
        memory={f"{what}{leg}": 0.0 for what in ("turn", "near") for leg in range(N_LEGS)},
        # A hip's angle jumps from pi to -pi, its error does not, which enclosures do not see.
        table=tuple(Guard(f"{of}_{k}", sampled=of != "kink") for of in ("kink", "half_turn") for k in range(N_LEGS)),
        guards=kinks, sampled=half_turns, transition=clock_transition, initial=clock_initial,
    )  # fmt: skip


CLOCK_PARAMS = (
    *("KP", "KD", "cycle_time", "sweep_angle", "flight_time", "leg_offset"),
    *("slow_time_difference", "offset_difference", "right_direction", "left_direction", "sweep_difference"),
    *("blend_time", "cubic_blend", "rear_lean", "middle_lean", "front_lean", "phase_difference"),
    *("rear_phase", "middle_phase", "front_phase"),
)
K = indices(dict.fromkeys(CLOCK_PARAMS, 0.0))
SECOND = tuple(2.0 * float(phase) for phase in TRIPOD_PHASE)  # of the legs: 1 in the second tripod, whose phase differs
FAR = 2.5  # from the error in memory [rad]; below half a turn, so that counting from it is safe
HALF_TURN = 1e-6  # within this of half a turn the short way round changes [rad]
NO_TIME = 1e-12  # a phase between blends is passed over if it is shorter [s]
BLENDING = 1 << N_LEGS  # the second mode bit of a leg
SIDE = tuple(-1.0 if right else 1.0 for right in RIGHT)  # of the differences; the right legs' are taken off


def slow_time(p, leg):
    """Return the duration of a leg's slow phase [s]."""
    return p[K.cycle_time] - p[K.flight_time] + SIDE[leg] * p[K.slow_time_difference]


def phase(p, leg):
    """Return a leg's phase [cycle]."""
    return SECOND[leg] * p[K.phase_difference] + p[K.rear_phase + leg % 3]


def since_stance(t, d, p, leg):
    """Return the time since the mid-stance that began the leg's present turn [s]."""
    return t - (d[leg] - phase(p, leg)) * p[K.cycle_time]


def sweep_angle(p, leg):
    """Return the angle of a leg's slow phase [rad]."""
    return p[K.sweep_angle] + SIDE[leg] * p[K.sweep_difference]


def clock_reference(t, d, p, mode, leg):
    """Return a leg's reference angle, up to full turns [rad], and its rate [rad/s]: the clock of `TripodGait`."""
    slow, sweep = slow_time(p, leg), sweep_angle(p, leg)
    tau = since_stance(t, d, p, leg)
    if (mode >> leg) & BLENDING:
        angle, rate = blend_phase(tau, p, slow, sweep, (mode >> leg) & 1)
    elif (mode >> leg) & 1:
        angle, rate = slow_phase(tau, slow, sweep)
    else:
        angle, rate = fast_phase(tau, 0.5, p[K.cycle_time], slow, sweep)
    direction = p[K.right_direction] if SIDE[leg] < 0.0 else p[K.left_direction]
    offset = p[K.leg_offset] + SIDE[leg] * p[K.offset_difference] + direction * p[K.rear_lean + leg % 3]
    return reference(angle, rate, offset, direction)


def blend_phase(tau, p, slow, sweep, was_slow):
    """Return F and its rate in the blend after a slow phase, or, as the profile is odd, in the one before the next."""
    if not was_slow:
        tau = p[K.cycle_time] - tau
    line, rate = slow_phase(tau, slow, sweep)
    _, fast_rate = fast_phase(tau, 0.5, p[K.cycle_time], slow, sweep)
    into = tau - 0.5 * (slow - p[K.blend_time])
    rise, more = blended_corner(into, p[K.blend_time], p[K.cubic_blend] == 1.0, fast_rate - rate)
    return (line + rise if was_slow else -line - rise), rate + more


def clock_error(t, d, p, mode, leg, angle):
    """Return a hip's lag behind its reference [rad], and the reference's rate [rad/s]."""
    asked, rate = clock_reference(t, d, p, mode, leg)
    near = d[N_LEGS + leg]
    return near + wrap(asked - angle - near), rate


def clock_torque(t, x, own, d, p, mode, leg, angle, speed):
    """Return the torque that pulls a hip to its reference, the short way round."""
    error, rate = clock_error(t, d, p, mode, leg, angle)
    return p[K.KP] * error + p[K.KD] * (rate - speed)


def kinks(t, x, own, d, p, mode, g):
    """Write the time left to each leg's next kink."""
    for leg in range(N_LEGS):
        half = 0.5 * slow_time(p, leg)
        end = half if (mode >> leg) & 1 else p[K.cycle_time] - half
        end += 0.5 * p[K.blend_time] if (mode >> leg) & BLENDING else -0.5 * p[K.blend_time]
        g[leg] = end - since_stance(t, d, p, leg)


def half_turns(t, x, own, d, p, mode, hips, g):
    """Write the angle left to where each leg's error must be counted anew."""
    for leg in range(N_LEGS):
        error, _ = clock_error(t, d, p, mode, leg, hips[leg])
        g[N_LEGS + leg] = min(math.pi - abs(error), FAR - abs(error - d[N_LEGS + leg]))


def clock_transition(t, x, own, d, p, mode, hips, fired):
    """Switch legs between slow, blend and fast; a turn begins with its slow phase. Update `near` of large errors."""
    for leg in range(N_LEGS):
        if fired[N_LEGS + leg]:
            error, _ = clock_error(t, d, p, mode, leg, hips[leg])
            if abs(error) > math.pi - HALF_TURN:  # the other way round is shorter now
                error -= math.copysign(2.0 * math.pi, error)
            d[N_LEGS + leg] = error
        if fired[leg]:
            if p[K.blend_time] > 0.0:
                mode ^= BLENDING << leg
            if not (mode >> leg) & BLENDING:
                mode ^= 1 << leg
                slow = (mode >> leg) & 1
                if slow:
                    d[leg] += 1.0
                lasts = slow_time(p, leg) if slow else p[K.cycle_time] - slow_time(p, leg)
                if lasts - p[K.blend_time] < NO_TIME:  # one blend joins the next
                    mode ^= BLENDING << leg
    return mode


def clock_initial(t, x, own, d, p, hips):
    """Find every leg's turn and phase at the start."""
    mode = 0
    for leg in range(N_LEGS):
        d[leg] = math.floor(t / p[K.cycle_time] + phase(p, leg) + 0.5)
        tau, half, blend = since_stance(t, d, p, leg), 0.5 * slow_time(p, leg), 0.5 * p[K.blend_time]
        if tau < blend - half:
            d[leg] -= 1.0
            mode |= BLENDING << leg if tau >= -half - blend else 0
        elif tau < half + blend:
            mode |= (BLENDING << leg if tau >= half - blend else 0) | 1 << leg
        d[N_LEGS + leg] = 0.0
        d[N_LEGS + leg], _ = clock_error(t, d, p, mode, leg, hips[leg])
    return mode


# A control joins by a line here: `control_type` -> function of the robot's parameters.
CONTROLS: dict[str, Callable[..., HipControl]] = {"open-loop": open_loop, "hold": hold}
