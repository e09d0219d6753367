"""Guards, transitions and outputs of single charts, called one by one, against closed forms of a state."""

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams, energy, hybrid, leg_vector
from tarsus.analytic.models.hexapod.contact import FLIGHT, GRIP, SLIDE, STICK
from tarsus.analytic.models.hexapod.hybrid import N_LEG_GUARDS, SUNK, TIP, TOPPLE
from tarsus.analytic.models.hexapod.layout import P, Variants
from tarsus.analytic.models.hexapod.outputs import BODY, LEG_OUTPUTS, NAMES
from tarsus.analytic.models.hexapod.state import assemble, joints_of, rotation_matrix, start, toes_of
from tarsus.analytic.models.hexapod.toes import LEAVING, N_MEMORY, RELEASED, SINKING, toe_mode, with_toe_mode
from tarsus.analytic.terrain import Sinusoid

PARAMS = HexapodParams()
EGG_BOX = Sinusoid(0.02, 6.0, 5.0)
T = 0.3  # any time
MOBILITY = 0.5  # of a first-order toe [N s/m]
HELD = {}


def held(terrain=None, variants=None):
    """Return the hexapod whose hips hold the angle 0."""
    key = repr((terrain, variants))
    if key not in HELD:
        HELD[key] = hybrid.build(PARAMS, terrain, "hold", variants=variants)
    return HELD[key]


def standing(model, terrain, seed=0):
    """Return a body above the ground, turned and moving; its toes on the ground, moving along it."""
    rng = np.random.default_rng(seed)
    quaternion = [1.0, *rng.uniform(-0.15, 0.15, 3)]
    joints = np.column_stack([rng.uniform(-0.6, 0.6, 6), rng.uniform(-0.2, 0.2, 6), rng.uniform(0.16, 0.19, 6)])
    x = assemble(PARAMS, [0.3, -0.2, 0.12], quaternion, joints, *rng.uniform(-0.2, 0.2, (2, 3)))
    for leg in range(6):
        toe = x[13 + 6 * leg : 19 + 6 * leg]
        h_x, h_y = terrain.gradient(*toe[:2])
        toe[3:5] = rng.uniform(-0.5, 0.5, 2)
        toe[2], toe[5] = terrain.height(*toe[:2]), h_x * toe[3] + h_y * toe[4]
    return x


def chart_of(*modes):
    chart = 0
    for leg, mode in enumerate(modes):
        chart = with_toe_mode(chart, leg, mode)
    return chart


def toe_accelerations(model, x, chart):
    dx = np.zeros(len(x))
    model.three["field"](T, x, np.zeros(N_MEMORY), model.p0, chart, dx)
    return toes_of(dx)[1]


def outputs_of(model, x, chart):
    """Return time and body, shape (14,), and the outputs of each leg, shape (6, 7)."""
    out = np.zeros(len(NAMES))
    model.hooks["aux"](T, x, np.zeros(N_MEMORY), model.p0, chart, out)
    return out[: len(BODY)], out[len(BODY) :].reshape(6, len(LEG_OUTPUTS))


def forces_of(model, x, chart):
    return outputs_of(model, x, chart)[1][:, 2:5]


def guards_of(model, x, chart, d=None):
    g = np.full(TOPPLE + 1, np.inf)
    model.three["guards"](T, x, np.zeros(N_MEMORY) if d is None else d, model.p0, chart, g)
    return g


def fire(model, x, chart, name, leg):
    """Let one guard of a leg fire; return the chart behind it, and the memory."""
    d, fired = np.zeros(N_MEMORY), np.zeros(len(model.guards), np.int64)
    fired[list(model.guards).index(f"{name}_{leg}")] = 1
    return model.three["transition"](T, x, d, model.p0, chart, fired), d


def kinetic(x, leg):
    return 0.5 * PARAMS.leg_mass * np.sum(toes_of(x)[1][leg] ** 2)


@pytest.mark.parametrize("mode", [STICK, SLIDE])
def test_the_ground_gives_a_toe_what_its_acceleration_lacks_in_flight(mode):
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    if mode == STICK:
        toes_of(x)[1][:] = 0.0
    chart = chart_of(*[mode] * 6)
    lacking = PARAMS.leg_mass * (toe_accelerations(model, x, chart) - toe_accelerations(model, x, 0))
    np.testing.assert_allclose(forces_of(model, x, chart), lacking, rtol=1e-9, atol=1e-9)
    assert np.abs(lacking[:, :2]).min() > 0.1 and not forces_of(model, x, 0).any()


def test_friction_on_a_toe_points_against_its_slide():
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    force, velocity = forces_of(model, x, chart_of(*[SLIDE] * 6)), toes_of(x)[1]
    normal = EGG_BOX.normal(*toes_of(x)[0][:, :2].T)
    pressure = np.vecdot(force, normal)
    tangential = force - pressure[:, None] * normal
    assert pressure.min() > 0.0 and np.vecdot(tangential, velocity).max() < 0.0
    np.testing.assert_allclose(np.linalg.norm(tangential, axis=1), PARAMS.friction_coeff * pressure, rtol=1e-3)


def test_a_first_order_toe_balances_its_load_and_the_ground():
    model = held(EGG_BOX, Variants(first_order_slide=1, slide_mobility=MOBILITY))
    x = standing(model, EGG_BOX, seed=1)
    toes_of(x)[1][:] = 0.0  # a first-order toe's velocity is no state
    x[7:13] = 0.0
    chart, dx = chart_of(*[SLIDE] * 6), np.zeros(len(x))
    model.three["field"](T, x, np.zeros(N_MEMORY), model.p0, chart, dx)
    creep, legs = toes_of(dx)[0], outputs_of(model, x, chart)[1]
    force, normal = legs[:, 2:5], EGG_BOX.normal(*toes_of(x)[0][:, :2].T)
    np.testing.assert_allclose(np.vecdot(normal, creep), 0.0, atol=1e-12)
    assert dx[-1] == pytest.approx(-np.sum(force * creep)) and dx[-1] > 0  # the power that sliding takes
    toes_of(x)[1][:] = creep  # the leg's damper feels it
    np.testing.assert_allclose(force, -PARAMS.leg_mass * toe_accelerations(model, x, 0), rtol=1e-9, atol=1e-9)
    affine = np.abs(legs[:, 1]) < PARAMS.max_torque  # the push is, of a leg whose motor is not at its limit
    pressure, speed = np.vecdot(force, normal)[affine, None], np.linalg.norm(creep, axis=1)[affine, None]
    drag = (PARAMS.friction_coeff * pressure / speed + MOBILITY) * creep[affine]
    np.testing.assert_allclose(force[affine] - pressure * normal[affine], -drag, rtol=1e-6, atol=1e-6)
    assert np.sum(affine) == 3 and pressure.min() > 0.0


def test_torques_before_and_after_the_motors_limit():
    model = held()
    x = standing(model, EGG_BOX)
    joints, rates = joints_of(PARAMS, x)
    body, legs = outputs_of(model, x, 0)
    asked = -PARAMS.KP * joints[:, 0] - PARAMS.KD * rates[:, 0]
    np.testing.assert_allclose(legs[:, 1], asked, rtol=1e-12)
    np.testing.assert_allclose(legs[:, 0], PARAMS.motor.limit(asked, rates[:, 0]), rtol=1e-12)
    assert np.abs(legs[:, 0] - legs[:, 1]).max() > 0.1
    np.testing.assert_array_equal(body, [T, *x[:13]])


def test_guards_of_flying_toes_are_heights_and_a_moment_of_grace():
    model = held(EGG_BOX)
    x, d = standing(model, EGG_BOX), np.full(N_MEMORY, -1.0e9)
    toes = toes_of(x)[0]
    toes[:, 2] += 0.01 * np.arange(6)
    d[RELEASED + 2] = T - 0.25 * LEAVING
    g = guards_of(model, x, 0, d)
    wait = np.array([0, 0, 0.75 * SINKING * LEAVING, 0, 0, 0])
    np.testing.assert_allclose(g[: 5 * 6 : N_LEG_GUARDS], 0.01 * np.arange(6) + wait, atol=1e-11)
    np.testing.assert_allclose(g[4 : 5 * 6 : N_LEG_GUARDS], 0.01 * np.arange(6) + wait + SUNK, atol=1e-11)
    assert np.isinf(g[: 5 * 6].reshape(6, 5)[:, 1:4]).all()
    assert g[TIP] == pytest.approx(rotation_matrix(x[3:7])[2, 2] - 0.5)
    assert g[TOPPLE] == pytest.approx(x[2] - EGG_BOX.height(x[0], x[1]))


def test_guards_of_touching_toes_are_their_forces():
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    velocity = toes_of(x)[1]
    velocity[3:] *= 0.5 * Variants().slide_speed / np.linalg.norm(velocity[3:], axis=1, keepdims=True)
    resting = x.copy()
    toes_of(resting)[1][:] = 0.0
    normal = EGG_BOX.normal(*toes_of(x)[0][:, :2].T)

    def split(force):
        pressure = np.vecdot(force, normal)
        return pressure, np.linalg.norm(force - pressure[:, None] * normal, axis=1)

    stuck, sliding = chart_of(*[STICK] * 6), chart_of(*[SLIDE] * 6)
    rest, drive = split(forces_of(model, resting, stuck))
    g = guards_of(model, resting, stuck)[: 5 * 6].reshape(6, 5)
    np.testing.assert_allclose(g[:, 1], rest, rtol=1e-9)
    np.testing.assert_allclose(g[:, 2], PARAMS.friction_coeff * rest - drive, rtol=1e-9)
    assert np.isinf(g[:, [0, 3, 4]]).all()
    g = guards_of(model, x, sliding)[: 5 * 6].reshape(6, 5)
    np.testing.assert_allclose(g[:, 1], split(forces_of(model, x, sliding))[0], rtol=1e-9)
    fast = np.linalg.norm(velocity, axis=1) / Variants().slide_speed - 1.0
    np.testing.assert_allclose(g[:3, 3], fast[:3], rtol=1e-9)
    held_back = np.maximum(fast, np.minimum(drive - GRIP * PARAMS.friction_coeff * rest, 1.0))
    np.testing.assert_allclose(g[3:, 3], held_back[3:], rtol=1e-9)
    assert np.isinf(g[:, [0, 2, 4]]).all()


def test_the_friction_cones_edge_lets_a_stuck_toe_slide_and_changes_nothing_else():
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    before = x.copy()
    chart, d = fire(model, x, chart_of(*[STICK] * 6), "slide", 4)
    assert chart == chart_of(STICK, STICK, STICK, STICK, SLIDE, STICK)
    np.testing.assert_array_equal(x, before)
    assert not d.any()


def test_a_toe_that_grips_loses_its_velocity_and_its_energy_is_counted():
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    lost = kinetic(x, 1)
    chart, d = fire(model, x, chart_of(*[SLIDE] * 6), "grip", 1)
    assert toe_mode(chart, 1) == STICK and not toes_of(x)[1][1].any() and toes_of(x)[1][0].any()
    assert d[0] == pytest.approx(lost) and lost > 0


@pytest.mark.parametrize("variants", [Variants(), Variants(first_order_slide=1)], ids=["mass", "first order"])
def test_a_released_toe_flies_on_with_the_velocity_it_slid_with(variants):
    model = held(EGG_BOX, variants)
    x = standing(model, EGG_BOX)
    sliding = chart_of(*[SLIDE] * 6)
    dx, before = np.zeros(len(x)), kinetic(x, 2)
    model.three["field"](T, x, np.zeros(N_MEMORY), model.p0, sliding, dx)
    if variants.first_order_slide:
        toes_of(x)[1][2], before = 0.0, 0.0  # its velocity is no state
    chart, d = fire(model, x, sliding, "liftoff", 2)
    assert toe_mode(chart, 2) == FLIGHT and d[RELEASED + 2] == T
    np.testing.assert_allclose(toes_of(x)[1][2], toes_of(dx)[0][2], atol=1e-15)
    assert d[0] == pytest.approx(before - kinetic(x, 2)) and kinetic(x, 2) > 0  # energy from nowhere


def landed(rho, speed, hip=0.0, fall=0.02):
    """Let the toe of a level, resting robot's leg 0 touch down; return state, chart and memory."""
    model = held()
    joints = np.column_stack([np.zeros(6), PARAMS.theta_r0, PARAMS.rho_r0])
    joints[0] = hip, PARAMS.theta_r0[0], rho
    x = assemble(PARAMS, [0, 0, 0.5], [1, 0, 0, 0], joints)
    x[2] -= x[15] + 1e-7  # located just below the ground
    x[15:49:6] -= x[15] + 1e-7
    x[16:19] = 0.0, speed, -fall
    before = kinetic(x, 0)
    chart, d = fire(model, x, 5 << 12, "touchdown", 0)
    assert chart >> 12 == 5  # the mode of the controller
    assert x[15] == 0.0 and d[0] == pytest.approx(before - kinetic(x, 0), abs=1e-15) and d[0] > 0
    return x, toe_mode(chart, 0), d


def test_a_toe_lands_and_sticks_slides_or_flies_on():
    x, mode, _ = landed(rho=0.19, speed=0.005)  # friction takes all of it
    assert mode == STICK and not x[16:19].any()
    x, mode, d = landed(rho=0.19, speed=0.3)
    assert mode == SLIDE and d[RELEASED] == 0.0
    assert x[17] == pytest.approx(0.3 - PARAMS.friction_coeff * 0.02) and x[16] == x[18] == 0.0
    x, mode, _ = landed(rho=0.19, speed=0.012)  # 2 mm/s are left: slow enough to stick
    assert mode == STICK and not x[16:19].any()
    x, mode, _ = landed(rho=0.19, speed=0.014)  # 4 mm/s are not
    assert mode == SLIDE and x[17] == pytest.approx(0.004)
    x, mode, _ = landed(rho=0.19, speed=0.0, hip=0.03)  # at rest, the hip pushes with a third of the load
    assert mode == STICK
    x, mode, _ = landed(rho=0.19, speed=0.0, hip=0.1)  # with nine tenths: out of the cone
    assert mode == SLIDE and not x[16:19].any()
    x, mode, d = landed(rho=0.21, speed=0.0)  # a leg that is too long pulls
    assert mode == FLIGHT and d[RELEASED] == T


def test_first_toes_stand_if_they_touch_and_do_not_leave():
    model = held()
    x = start(PARAMS)
    on_ground = np.abs(x[15:49:6]) < 1e-9

    def modes(x):
        return toe_mode(model.hooks["initial"](0.0, x.copy(), np.zeros(N_MEMORY), model.p0), np.arange(6))

    np.testing.assert_array_equal(modes(x) != FLIGHT, on_ground)
    leaving = x.copy()
    leaving[18] = 0.1  # toe 0 goes up
    np.testing.assert_array_equal(modes(leaving) != FLIGHT, on_ground & (np.arange(6) != 0))
    x[15:49:6] += 1e-4
    assert not modes(x).any()


def test_lines_join_hips_and_toes_and_tell_which_toes_touch():
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    chart = chart_of(STICK, FLIGHT, SLIDE, FLIGHT, FLIGHT, STICK)
    drawn = model.hooks["lines"](T, x, np.zeros(N_MEMORY), model.p0, chart)
    matrix, toes = rotation_matrix(x[3:7]), toes_of(x)[0]
    for leg in range(6):
        np.testing.assert_allclose(drawn[f"leg{leg}"][0], x[:3] + matrix @ PARAMS.attach[leg], atol=1e-15)
        np.testing.assert_array_equal(drawn[f"leg{leg}"][1], toes[leg])
    np.testing.assert_array_equal(drawn["feet_on_ground"], toes[[0, 2, 5]])
    np.testing.assert_array_equal(drawn["feet_in_air"], toes[[1, 3, 4]])
    outline = (drawn["body"] - x[:3]) @ matrix
    np.testing.assert_allclose(np.abs(outline), np.tile([0.1, 0.25, 0.0], (5, 1)), atol=1e-15)


def test_the_fields_energies_are_powers():
    """What motors give, dampers take and sliding takes: products of forces and rates."""
    model = held(EGG_BOX)
    x = standing(model, EGG_BOX)
    chart, dx = chart_of(FLIGHT, SLIDE, SLIDE, FLIGHT, SLIDE, SLIDE), np.zeros(len(x))
    model.three["field"](T, x, np.zeros(N_MEMORY), model.p0, chart, dx)
    rates, legs = joints_of(PARAMS, x)[1], outputs_of(model, x, chart)[1]
    damping = PARAMS.rho_d * rates[:, 2] ** 2 + PARAMS.theta_d * rates[:, 1] ** 2
    assert dx[49] == pytest.approx(np.sum(legs[:, 0] * rates[:, 0]))
    assert dx[50] == pytest.approx(damping.sum())
    normal = EGG_BOX.normal(*toes_of(x)[0][:, :2].T)
    assert dx[51] == pytest.approx(-np.sum(legs[:, 2:5] * toes_of(x)[1]))
    assert np.abs(np.vecdot(normal, toes_of(x)[1])).max() < 1e-12 and model.p0[P.third_law] == 1.0


@pytest.mark.parametrize("variants", [Variants(), Variants(stop_force=5.0)], ids=["plain", "end stop"])
def test_the_energy_changes_by_what_the_field_books(variants):
    model = held(EGG_BOX, variants)
    x = standing(model, EGG_BOX, seed=2)
    chart, dx, e = chart_of(FLIGHT, SLIDE, STICK, FLIGHT, SLIDE, SLIDE), np.zeros(len(x)), 1e-7
    toes_of(x)[1][2] = 0.0
    long = PARAMS.attach[0] + leg_vector(0.2, 0.1, PARAMS.rho_r0[0] + 3e-3)  # a flying leg in its end stop
    toes_of(x)[0][0] = x[:3] + rotation_matrix(x[3:7]) @ long
    model.three["field"](T, x, np.zeros(N_MEMORY), model.p0, chart, dx)
    rate = (energy.energy(PARAMS, x + e * dx, variants) - energy.energy(PARAMS, x - e * dx, variants)) / (2 * e)
    booked = energy.motor_work(dx) - energy.damper_loss(dx) - energy.slide_loss(dx)
    assert rate == pytest.approx(booked, rel=1e-6) and np.abs(dx[49:]).min() > 0.1
    d = np.arange(1.0, N_MEMORY + 1)
    total = energy.energy(PARAMS, x, variants) + x[50] + x[51] + d[model.memory_names.index("impact_loss")] - x[49]
    assert energy.balance(PARAMS, x, d, variants) == pytest.approx(total)
    assert model.state_names[49:52] == ("motor_work", "damper_loss", "slide_loss")
