"""The drawn leg: as long as the model's, from the hip to the toe, and above the ground."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import N_LEGS, HexapodParams, robot
from tarsus.controllers.clock import ClockController
from tarsus.mjcf import compile_model, hexapod, strut
from tarsus.mjcf.look import PARTS
from tarsus.scripts.laboratory.write_assets import machines


def hexapod_of(params=None, preset="reference"):
    model = compile_model(hexapod.build(params, preset=preset))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def drawn(model, data, scene=None):
    """Return the struts' vertices as a viewer has them, shape (6, n, 3), and the drawn feet's, (6, m, 3) [m]."""
    scene = mujoco.MjvScene(model, 1000) if scene is None else scene
    everything, view = mujoco.mjtCatBit.mjCAT_ALL, (mujoco.MjvOption(), None, mujoco.MjvCamera())
    mujoco.mj_forward(model, data)
    mujoco.mjv_updateScene(model, data, *view, everything, scene)
    return tuple(
        np.stack([scene.skinvert.reshape(-1, 3)[skin.vertadr[0] :][: skin.vertnum[0]] for skin in skins])
        for skins in ([model.skin(f"{part}_{leg}") for leg in range(N_LEGS)] for part in ("leg", "foot"))
    )


def ends(data):
    """Return the toes and the hips, shape (6, 3) each [m]: sites of the toes, and anchors of the hips' joints."""
    toes = np.array([data.site(f"foot_{leg}").xpos for leg in range(N_LEGS)])
    return toes, np.array([data.joint(f"hip_{leg}").xanchor for leg in range(N_LEGS)])


@pytest.mark.parametrize("name", ["hexapod", "rhex-drive"])
def test_a_strut_is_compressed_with_the_leg_wherever_the_torso_and_the_leg_have_turned(name):
    params = HexapodParams() if name == "hexapod" else robot(name)
    model, data = hexapod_of(params)
    rng = np.random.default_rng(3)
    for _ in range(5):
        data.qpos[:7] = rng.normal(size=7)
        data.qpos[7:] = (rng.uniform(-3, 3, (N_LEGS, 3)) * (1, 0.2, 0) + params.rho_r0[:, None] * (0, 0, 0.7)).ravel()
        legs, _ = drawn(model, data)
        for leg, (toe, hip) in enumerate(zip(*ends(data), strict=True)):
            at_rest, _, share = strut.surface(params.rho_r0[leg])
            in_toe = at_rest - np.multiply.outer(share * 0.3 * params.rho_r0[leg], (0, 0, 1))
            turn = data.body(f"toe_{leg}").xmat.reshape(3, 3)
            np.testing.assert_allclose(turn[:, 2] * 0.7 * params.rho_r0[leg], hip - toe, atol=1e-9)
            np.testing.assert_allclose(legs[leg], toe + in_toe @ turn.T, atol=5e-6)  # single precision


def test_over_a_walk_the_legs_are_above_ground_and_end_at_hip_and_toe():
    model, data = hexapod_of(preset="rl")
    controller, scene = ClockController(TripodGait()), mujoco.MjvScene(model, 1000)
    below, off, shortest = [], [], np.inf
    for step in range(1000):
        data.ctrl[:] = controller(data.time, data.qpos[7::3]).ravel()
        mujoco.mj_step(model, data)
        if step % 5 == 0:
            legs, feet = drawn(model, data, scene)
            toes, hips = ends(data)
            sink = np.maximum(-toes[:, 2], 0.0)  # the contact's own
            below.append(np.concatenate([-legs[..., 2], -feet[..., 2]], axis=1).max(axis=1) - sink)
            tip, top = legs[:, : strut.SIDES].mean(axis=1), legs[:, -strut.SIDES :].mean(axis=1)
            off.append([np.linalg.norm(tip - toes, axis=1), np.linalg.norm(top - hips, axis=1)])
            shortest = min(shortest, data.qpos[9::3].min())
    assert shortest < 0.17  # of 0.2 m: they are compressed
    assert np.max(below) < 5e-4
    assert np.max(off) < 1e-3


def test_the_foot_is_a_closed_surface_that_tapers_to_the_toe():
    """Its tip is the toe, its faces look outward, and at a lean of 50 degrees it is not in the ground."""
    points, faces = strut.foot()
    volume = np.einsum("ki,ki->k", points[faces[:, 0]], np.cross(points[faces[:, 1]], points[faces[:, 2]])).sum() / 6
    heights, radii = strut.FOOT.T
    frusta = np.diff(heights) * (radii[1:] ** 2 + radii[1:] * radii[:-1] + radii[:-1] ** 2) / 3
    area = 0.5 * strut.SIDES * np.sin(2 * np.pi / strut.SIDES)  # of a regular polygon of radius 1
    assert volume == pytest.approx(area * frusta.sum(), rel=1e-3)
    lean = np.deg2rad(50)
    assert (points @ (np.sin(lean), 0, np.cos(lean))).min() > -1e-6


@pytest.mark.parametrize("machine", machines())
def test_parts_are_drawn_as_sites_which_contact_does_not_look_at(machine):
    """Speculative contacts sweep every geom of a body that may touch; the hexapod's plates are for the mouse."""
    model = compile_model(machines()[machine]())
    touches = model.geom_contype | model.geom_conaffinity
    paired = {*model.pair_geom1, *model.pair_geom2}
    drawn = [model.geom(k).name for k in range(model.ngeom) if not touches[k] and k not in paired]
    assert drawn == (["top", "bottom"] if machine == "hexapod" else [])
    assert np.sum(model.site_group == PARTS) > 2


def test_the_machine_is_drawn_without_mass_or_contact():
    model, _ = hexapod_of()
    touching = [model.geom(k).name for k in range(model.ngeom) if model.geom_contype[k] or model.geom_conaffinity[k]]
    assert sorted(touching) == sorted(["ground", "torso", *(f"toe_{leg}" for leg in range(N_LEGS))])
    params = HexapodParams()
    assert model.body_mass.sum() == pytest.approx(params.body_mass + N_LEGS * params.leg_mass)
