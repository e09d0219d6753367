"""nosnoc's hopper, as its example poses it: contact by time-freezing, complementarity relaxed step by step (IPOPT).

In contact a clock stands still while an auxiliary motion takes the foot's velocity away, so that an impact takes no
physical time; the foot's place, its normal and tangential velocity divide the state space into eight regions.

Source: Nurkanovic, Sartor, Albrecht & Diehl, IEEE Control Systems Letters 5 (2021); github.com/FreyJo/nosnoc_py,
examples/hopper_robot/hopper_ocp.py, whose numbers these are.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import planar_hopper as hopper
from tarsus.scripts.laboratory.benchmarks import timing

AUXILIARY = 100.0  # acceleration of the auxiliary motion [m/s^2]
SLACK_WEIGHT = 1e-5  # of the third control, which closes the foot's tangential velocity
CLOCK = 8  # entry of the state


@dataclass(frozen=True)
class NosnocJump:
    """What nosnoc found for a course."""

    reported: float  # cost as it counts it
    x: np.ndarray  # (m, 9) states at its integration steps, the clock last
    u: np.ndarray  # (n, 4) moment, force, slack, speed of time
    grid: np.ndarray  # (m,) its time
    stages: np.ndarray  # (n + 1,) where controls change

    def physical(self, course: hopper.Course) -> float:
        """Return the cost in physical time, by trapezoids over its own steps."""
        stage = np.clip(np.searchsorted(self.stages, self.grid, side="right") - 1, 0, course.n - 1)
        ref = course.reference[1:]
        total = 0.0
        for i, j in enumerate(stage[:-1]):
            u = self.u[j]
            rate = [np.array(hopper.Q) @ (self.x[k, :8] - ref[j]) ** 2 for k in (i, i + 1)]
            step = self.x[i + 1, CLOCK] - self.x[i, CLOCK]
            total += step * (0.5 * sum(rate) + hopper.R * (u[0] ** 2 + u[1] ** 2))
        return float(total + np.array(hopper.Q_END) @ (self.x[-1, :8] - course.reference[-1]) ** 2)

    def exact(self, course: hopper.Course) -> float:
        """Return the cost of its forces in the exact model."""
        sim = hy.compile(hopper.build(course), mode="python")
        params = {f"u_{i}": u for i, u in enumerate(self.u[:, 0])} | {f"w_{i}": w for i, w in enumerate(self.u[:, 1])}
        r = sim.run(params=params, chart=1, final_time=course.final_time, zeno=False, rtol=1e-8)
        return float(r.x_end[8] + np.array(hopper.Q_END) @ (r.x_end[:8] - course.reference[-1]) ** 2)


def is_installed() -> bool:
    """Return whether nosnoc is there."""
    return importlib.util.find_spec("nosnoc") is not None


def rows(course: hopper.Course | None = None, warm: bool = False) -> list[tuple]:
    """Return the row of nosnoc, or a row that says how to install it.

    Args:
        course: What the hopper is asked for.
        warm: Whether it begins with the reference as its states, as the example does for several jumps.
    """
    if not is_installed():
        return [("nosnoc: not installed, extra `bench`", "", "", "", "")]
    course = course or hopper.Course()
    solver = make(course, warm)
    done: list = []
    cpu, _ = timing.seconds(lambda: done.append(solve(solver)))
    found = done[0]
    words = f"its forces in the exact model: {found.exact(course):.1f}; its own count: {found.reported:.2f}"
    return [("nosnoc, regions as products", f"{found.physical(course):.2f}", "", words, f"{cpu:.1f}")]


def make(course: hopper.Course, warm: bool) -> Any:
    """Return nosnoc's solver."""
    import nosnoc

    model, ocp = pose(course)
    opts = nosnoc.NosnocOpts()
    opts.pss_mode, opts.use_fesd = nosnoc.PssMode.STEWART, True
    opts.comp_tol, opts.homotopy_update_slope, opts.sigma_0 = 1e-9, 0.1, 100.0
    opts.homotopy_update_rule, opts.n_s = nosnoc.HomotopyUpdateRule.LINEAR, 2
    opts.step_equilibration, opts.mpcc_mode = nosnoc.StepEquilibrationMode.HEURISTIC_MEAN, nosnoc.MpccMode.SCHOLTES_INEQ
    opts.print_level, opts.max_iter_homotopy = 0, 6
    opts.opts_casadi_nlp["ipopt"] |= {"max_iter": 4000, "acceptable_tol": 1e-6}
    opts.time_freezing, opts.equidistant_control_grid = True, True
    opts.terminal_time, opts.N_stages, opts.N_finite_elements = course.final_time, course.n, 3
    if warm:
        opts.initialization_strategy = nosnoc.InitializationStrategy.EXTERNAL
    solver = nosnoc.NosnocSolver(opts, model, ocp)
    if warm:
        times = np.linspace(0.0, course.final_time, course.n)
        solver.set("x", np.column_stack([course.reference[1:], times]))
    return solver


def pose(course: hopper.Course) -> tuple[Any, Any]:
    """Return nosnoc's model and optimal control problem."""
    import casadi as ca
    import nosnoc

    params = hopper.Hopper()
    q, v, t = ca.SX.sym("q", 4), ca.SX.sym("v", 4), ca.SX.sym("t")
    u, speed = ca.SX.sym("u", 3), ca.SX.sym("sot")
    theta, ref = ca.SX.sym("theta", 8), ca.SX.sym("x_ref", 8)
    x, mu, mass = ca.vertcat(q, v), params.friction_coeff, params.mass
    s, c = ca.sin(q[2]), ca.cos(q[2])
    normal, tangent = ca.vertcat(0, 1, q[3] * s, -c), ca.vertcat(1, 0, q[3] * c, s)
    force = ca.vertcat(-s * u[1], c * u[1] - mass[1] * params.g, u[0], u[1])
    free = speed * ca.vertcat(v, force / mass, 1)
    stops = [ca.vertcat(ca.SX.zeros(4), AUXILIARY * (normal + sign * mu * tangent) / mass, 0) for sign in (-1.0, 1.0)]
    signs = [np.array([[a, b, d] for a in (1, -1) for b in (1, -1) for d in (1, -1)])]
    gap, slide = q[1] - q[3] * c, tangent.T @ v
    end, error = course.reference[-1], x - ref
    cost = speed * (error.T @ np.diag(hopper.Q) @ error + u.T @ np.diag([hopper.R, hopper.R, SLACK_WEIGHT]) @ u)
    held = theta[-1] + theta[-2]
    model = nosnoc.NosnocModel(
        x=ca.vertcat(x, t), F=[ca.horzcat(*[free] * 6, *stops)], S=signs, c=[ca.vertcat(gap, normal.T @ v, slide)],
        x0=np.append(hopper.START, 0.0), u=ca.vertcat(u, speed), p_time_var=ref,
        p_time_var_val=course.reference[1:], t_var=t, theta=[theta],
    )  # fmt: skip
    reach = np.array([course.goal + 0.1, 1.5, np.pi, 0.5, 10.0, 10.0, 5.0, 5.0, np.inf])
    least = np.array([0.0, 0.0, -np.pi, 0.1, -10.0, -10.0, -5.0, -5.0, -np.inf])
    ocp = nosnoc.NosnocOcp(
        lbu=np.array([-50.0, -50.0, 0.0, 0.1]), ubu=np.array([50.0, 50.0, 100.0, 20.0]),
        u_guess=np.array([0.0, 0.0, 0.0, 1.0]), f_q=cost,
        f_terminal=(x - end).T @ np.diag(hopper.Q_END) @ (x - end),
        g_path_comp=ca.horzcat(ca.vertcat(slide, -slide), ca.vertcat(held, held)), lbx=least, ubx=reach,
    )  # fmt: skip
    return model, ocp


def solve(solver: Any) -> NosnocJump:
    """Return the solver's plan."""
    results = solver.solve()
    return NosnocJump(
        float(results["cost_val"]), np.array(results["x_traj"]), np.array(results["u_traj"]),
        np.array(results["t_grid"]), np.array(results["t_grid_u"]),
    )  # fmt: skip
