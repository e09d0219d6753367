"""The benchmark of optimal control in small: its rows, and that nosnoc's numbers are read as they are meant."""

import dataclasses

import numpy as np
import pytest

from tarsus.analytic.models import planar_hopper as hopper
from tarsus.scripts.laboratory.benchmarks import control, control_peers


def test_both_methods_find_one_plan_of_slip(monkeypatch):
    problem = dataclasses.replace(control.slip_problem(), mode="python")
    monkeypatch.setattr(control, "slip_problem", lambda: problem)
    ours, scipy = control.slip_rows()
    assert ours[3][:8] == scipy[3][:8] and float(ours[2]) < 1e-7 and float(scipy[2]) < 1e-6
    assert int(ours[1].split()[0]) <= 15 and int(scipy[1].split()[0]) > 100


def test_nodes_of_an_order_are_those_of_the_finer_course():
    assert control._on_fine_nodes("touchdown") == "touchdown" and control._on_fine_nodes("liftoff@12") == "liftoff@60"


def standing(course):
    """A hopper that stands still, as nosnoc would return it: its clock stops for the second half of every stage."""
    grid = np.linspace(0.0, course.final_time, 2 * course.n + 1)
    x = np.tile(np.append(hopper.START, 0.0), (len(grid), 1))
    x[:, control_peers.CLOCK] = np.repeat(np.arange(course.n + 1), 2)[1:] * course.final_time / course.n
    u = np.tile([0.5, 5.395, 0.0, 1.0], (course.n, 1))
    return control_peers.NosnocJump(0.0, x, u, grid, grid[::2])


def test_the_cost_in_physical_time_counts_no_frozen_time():
    course = hopper.Course(n=4)
    away = np.array(hopper.Q) @ (hopper.START - course.reference[1:]).T ** 2
    effort = hopper.R * (0.5**2 + 5.395**2)
    by_hand = course.final_time * (away.mean() + effort)
    by_hand += np.array(hopper.Q_END) @ (hopper.START - course.reference[-1]) ** 2
    assert standing(course).physical(course) == pytest.approx(by_hand, rel=1e-12)


def test_a_missing_nosnoc_is_named(monkeypatch):
    monkeypatch.setattr(control_peers, "is_installed", lambda: False)
    assert "`bench`" in control_peers.rows()[0][0]
