"""What the page of a run draws stands where MuJoCo draws it, and is as large."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.mjcf import hexapod
from tarsus.mjcf.look import HIDDEN
from tarsus.scripts.library.views import parts


@pytest.fixture(scope="module")
def posed():
    """A hexapod whose body is turned, whose hips are turned differently, and whose legs have different lengths."""
    model = hexapod.build(HexapodParams()).compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.qpos[:7] = (0.3, -0.2, 0.4, 0.8, 0.36, -0.48, 0.0)
    data.qpos[7:] += rng.uniform(-0.05, 0.05, model.nq - 7)
    mujoco.mj_kinematics(model, data)
    return model, data


class Scene:
    """Keeps what is added to it by name."""

    def __init__(self):
        self.added = {}

    def __getattr__(self, what):
        def add(name, *given, bone_positions=(), **named):
            assert name not in self.added
            self.added[name] = handle = type("Handle", (), {"what": what, "given": given, "named": named})()
            handle.bones = [type("Bone", (), {})() for _ in bone_positions]
            return handle

        return add


def placed(vertices, position, quat):
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.asarray(quat, float))
    return vertices @ turn.reshape(3, 3).T + position


def drawn(model, data):
    """Return the scene with all parts where the state has them."""
    scene = Scene()
    for move in parts.add_parts(scene, model):
        move(data)
    return scene.added


def test_struts_and_feet_are_mujocos_skins(posed):
    model, data = posed
    scene = mujoco.MjvScene(model, maxgeom=100)
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL, scene)
    added = drawn(model, data)
    for k in range(model.nskin):
        skin, handle = model.skin(k), added[f"/robot/skin/{model.skin(k).name}"]
        if handle.bones:
            ends = [placed(handle.given[0], bone.position, bone.wxyz) for bone in handle.bones]
            ours = np.einsum("vb,bvx->vx", handle.named["skin_weights"], np.array(ends))
        else:
            ours = placed(handle.given[0], handle.position, handle.wxyz)
        theirs = scene.skinvert.reshape(-1, 3)[skin.vertadr[0] :][: skin.vertnum[0]]
        np.testing.assert_allclose(ours, theirs, atol=2e-6)  # single precision
        assert handle.given[1].max() == len(ours) - 1
    assert sum(bool(handle.bones) for handle in added.values()) == 6


def test_every_part_that_mujoco_draws_is_there(posed):
    model, data = posed
    added = drawn(model, data)
    sites = [model.site(int(k)) for k in np.flatnonzero(model.site_group == 1)]
    assert {f"/robot/site/{site.name}" for site in sites} <= added.keys()
    for site in sites:
        np.testing.assert_allclose(added[f"/robot/site/{site.name}"].position, data.site(site.id).xpos)
    shown = {model.geom(k).name for k in range(model.ngeom) if model.geom_group[k] != HIDDEN and model.geom_bodyid[k]}
    assert {name.rpartition("/")[2] for name in added if name.startswith("/robot/geom")} == shown


@pytest.mark.parametrize(("rounded", "length"), [(False, 0.5), (True, 0.7)])
def test_a_rod_has_its_radius_and_length(rounded, length):
    vertices, faces = parts.rod(0.1, 0.25, rounded=rounded)
    assert np.hypot(*vertices[:, :2].T).max() == pytest.approx(0.1) and np.ptp(vertices[:, 2]) == pytest.approx(length)
    assert vertices.mean(axis=0) == pytest.approx(0.0, abs=1e-12) and faces.max() == len(vertices) - 1
    edges = {tuple(edge) for face in faces for edge in zip(face, np.roll(face, -1), strict=True)}
    assert all(edge[::-1] in edges for edge in edges if not np.isclose(np.hypot(*vertices[edge[0], :2]), 0.0))
