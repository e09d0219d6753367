"""SLIP in other engines, as their own users would write it: SciPy, diffrax, hybrid-tools and Drake.

Each peer is a function that returns a run: relative tolerance and number of events to the events' times [s].
Modes, in their order: rise, fall, compression, decompression; state (x, y, x', y'), SI units.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import partial

import numpy as np

MASS, STIFFNESS, GRAVITY = 50.48, 1000.0, 10.0
START, FIRST_MODE = (0.0, 0.9, 1.0, 0.0), 3
Run = Callable[[float, int], np.ndarray]

GUARDS = (  # of a mode: state, foot [m] and angle of the leg [rad] to a number that falls to zero where it ends
    lambda s, foot, angle: s[3],
    lambda s, foot, angle: s[1] - math.cos(angle),
    lambda s, foot, angle: -((s[0] - foot) * s[2] + s[1] * s[3]),
    lambda s, foot, angle: 1.0 - math.sqrt((s[0] - foot) ** 2 + s[1] ** 2),
)


def field(mode: int, s, foot: float) -> list:
    """Return the rate of the state in a mode."""
    if mode < 2:
        return [s[2], s[3], 0.0, -GRAVITY]
    lx, ly = s[0] - foot, s[1]
    q2 = lx * lx + ly * ly
    push = STIFFNESS / (MASS * q2 * q2)
    return [s[2], s[3], push * lx, push * ly - GRAVITY]


def switch(mode: int, s, foot: float, angle: float) -> tuple[float, float]:
    """Return foot and angle after the end of a mode: the foot is set down at the angle of the last lift-off."""
    if mode == 1:
        foot = s[0] + math.sin(angle)
    elif mode == 3:
        angle = math.atan2(s[0] - foot, s[1])
    return foot, angle


def scipy_peer(method: str) -> Run:
    """Return SciPy's integrator, restarted at every event, as its users do it."""
    from scipy.integrate import solve_ivp

    def falling(mode, foot, angle):
        def guard(t, s):
            return GUARDS[mode](s, foot, angle)

        guard.terminal, guard.direction = True, -1
        return guard

    def run(rtol: float, n_events: int) -> np.ndarray:
        s, t, foot, angle, mode, times = np.array(START), 0.0, 0.0, 0.0, FIRST_MODE, []
        while len(times) < n_events:
            rate, event = partial(lambda m, x, t, s: field(m, s, x), mode, foot), falling(mode, foot, angle)
            r = solve_ivp(rate, (t, t + 10.0), s, method, rtol=rtol, atol=rtol / 100, events=event)
            t, s = r.t[-1], r.y[:, -1]
            times.append(t)
            foot, angle = switch(mode, s, foot, angle)
            mode = (mode + 1) % 4
        return np.array(times)

    return run


def diffrax_arc(solver: str) -> Callable:
    """Return diffrax's integration of a field from one event to the next."""
    import diffrax
    import optimistix

    def arc(field, guard, t, s, args, rtol):
        root = optimistix.Newton(1e-12, 1e-12)
        event = diffrax.Event(lambda t, y, args, **kw: guard(y, *args), root, direction=False)
        controller = diffrax.PIDController(rtol=rtol, atol=rtol / 100)
        term = diffrax.ODETerm(lambda t, y, args: field(t, y, args[0]))
        solution = diffrax.diffeqsolve(
            term, getattr(diffrax, solver)(), t, t + 10.0, None, s, args, event=event, stepsize_controller=controller
        )
        return solution.ts[-1], solution.ys[-1]

    return arc


def diffrax_peer(solver: str) -> Run:
    """Return diffrax's integrator with its events, the whole run jitted as one scan over strides."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    arc = diffrax_arc(solver)

    def flight(t, s, foot):
        return jnp.stack([s[2], s[3], jnp.zeros(()), -GRAVITY * jnp.ones(())])

    def stance(t, s, foot):
        return jnp.stack(field(2, s, foot))

    def run_all(rtol, n_events):
        def stride(carry, _):
            t, s, foot = carry
            t1, s = arc(stance, lambda y, x, h: 1.0 - jnp.sqrt((y[0] - x) ** 2 + y[1] ** 2), t, s, (foot, 0.0), rtol)
            angle = jnp.arctan2(s[0] - foot, s[1])
            t2, s = arc(flight, lambda y, x, h: y[3], t1, s, (foot, 0.0), rtol)
            t3, s = arc(flight, lambda y, x, h: y[1] - h, t2, s, (foot, jnp.cos(angle)), rtol)
            foot = s[0] + jnp.sin(angle)
            t4, s = arc(stance, lambda y, x, h: -((y[0] - x) * y[2] + y[1] * y[3]), t3, s, (foot, 0.0), rtol)
            return (t4, s, foot), jnp.stack([t1, t2, t3, t4])

        start = (jnp.zeros(()), jnp.array(START), jnp.zeros(()))
        return jax.lax.scan(stride, start, None, length=n_events // 4)[1].ravel()

    jitted = jax.jit(run_all, static_argnums=1)
    return lambda rtol, n_events: np.asarray(jitted(rtol, n_events))


def hybrid_tools_peer(dt: float) -> Run:
    """Return hybrid-tools' simulator with windows of `dt` [s]; it takes no tolerance and integrates at SciPy's, 1e-3.

    It reports no event times either: time, foot and angle are states here, and the reset maps write the times down.
    """
    import hybrid_tools as ht

    times: list[float] = []

    def reset(mode, s, *_):
        times.append(s[4])
        return np.array([*s[:5], *switch(mode, s, s[5], s[6])])

    def unused(*_):
        raise NotImplementedError("a simulation asks for no Jacobians")

    def rate(mode, s, *_):
        return np.array([*field(mode, s, s[5]), 1.0, 0.0, 0.0])

    modes = range(4)
    edges = [(str(mode), str((mode + 1) % 4)) for mode in modes]
    system = ht.HybridDynamicalSystem(
        {str(m): ht.ModeDynamics(partial(rate, m), unused, unused, unused, unused) for m in modes},
        ht.create_resets([(*edges[m], ht.ModeReset(partial(reset, m), unused)) for m in modes]),
        ht.create_guards(
            [(*edges[m], ht.ModeGuard(lambda s, *_, m=m: np.array([GUARDS[m](s, s[5], s[6])]), unused)) for m in modes]
        ),
        {str(m): ht.ModeNoise(np.zeros((1, 1)), np.zeros((1, 1))) for m in modes},
    )

    def run(rtol: float, n_events: int) -> np.ndarray:
        times.clear()
        simulator = ht.HybridSimulator(np.array([*START, 0.0, 0.0, 0.0]), str(FIRST_MODE), dt, np.zeros(0), system)
        t = 0.0
        while len(times) < n_events:
            simulator.simulate_timestep(t, np.zeros(1))
            t += dt
        return np.array(times[:n_events])

    return run


def drake_system(times: list[float], n_events: int):
    """Return SLIP as a LeafSystem with a witness function for each mode; its events' times go to `times`."""
    from pydrake.systems import framework

    class Slip(framework.LeafSystem):
        def __init__(self):
            super().__init__()
            self.DeclareContinuousState(2, 2, 0)
            self.DeclareDiscreteState(3)  # mode, foot, angle
            falls = framework.WitnessFunctionDirection.kPositiveThenNonPositive
            event = framework.UnrestrictedUpdateEvent(system_callback=Slip.end_mode)
            self.witnesses = [
                self.MakeWitnessFunction(str(m), falls, lambda c, m=m: GUARDS[m](*self.state(c)[:3]), event)
                for m in range(4)
            ]

        def state(self, context):
            mode, foot, angle = context.get_discrete_state_vector().value()
            return context.get_continuous_state_vector().CopyToVector(), foot, angle, int(mode)

        def DoGetWitnessFunctions(self, context):
            return [self.witnesses[self.state(context)[3]]]

        def DoCalcTimeDerivatives(self, context, derivatives):
            s, foot, _, mode = self.state(context)
            derivatives.get_mutable_vector().SetFromVector(field(mode, s, foot))

        def end_mode(self, context, event, state):
            s, foot, angle, mode = self.state(context)
            after = [(mode + 1) % 4, *switch(mode, s, foot, angle)]
            state.get_mutable_discrete_state().get_mutable_vector().SetFromVector(after)
            times.append(context.get_time())
            done = len(times) >= n_events
            status = framework.EventStatus
            return status.ReachedTermination(self, "enough events") if done else status.Succeeded()

    return Slip()


def drake_peer(scheme: str) -> Run:
    """Return Drake's simulator of a system written in Python; witness functions are isolated to its accuracy."""
    from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

    def run(rtol: float, n_events: int) -> np.ndarray:
        times: list[float] = []
        simulator = Simulator(drake_system(times, n_events))
        ResetIntegratorFromFlags(simulator, scheme, 0.1).set_target_accuracy(rtol)
        context = simulator.get_mutable_context()
        context.SetAccuracy(rtol)
        context.SetContinuousState(np.array(START))
        context.SetDiscreteState(np.array([FIRST_MODE, 0.0, 0.0]))
        simulator.AdvanceTo(1e6)
        return np.array(times)

    return run


PEERS = {  # by the name on PyPI: what is imported, what makes a run, and of which settings
    "scipy": ("scipy", scipy_peer, ("DOP853", "RK45", "LSODA")),
    "diffrax": ("diffrax", diffrax_peer, ("Dopri5", "Tsit5", "Dopri8")),
    "hybrid-tools": ("hybrid_tools", hybrid_tools_peer, (0.01,)),
    "drake": ("pydrake", drake_peer, ("runge_kutta3", "runge_kutta5")),
}


def installed() -> dict[str, Callable[[], Run]]:
    """Return the maker of each run, of the packages that are here, by a row's name."""
    return {
        f"{name} {setting}": partial(make, setting)
        for name, (module, make, settings) in PEERS.items()
        if importlib.util.find_spec(module)
        for setting in settings
    }


def missing() -> list[str]:
    """Return the packages that are not here."""
    return [name for name, (module, *_) in PEERS.items() if not importlib.util.find_spec(module)]
