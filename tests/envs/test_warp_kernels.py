"""The kernels of walkers in Warp, and NumPy's functions on arrays of a device, against those of the processor."""

import numpy as np
import pytest

from tarsus.envs import kernels
from tarsus.envs.gait_kernels import SHAFT_CLOCK, UNDULATION
from tarsus.envs.warp_refusals import NEEDED

pytest.importorskip("warp", reason=NEEDED)
torch = pytest.importorskip("torch", reason="it needs the extra `rl`")
from tarsus.envs.warp import moving  # noqa: E402
from tarsus.envs.warp.arrays import DeviceArray, Draws  # noqa: E402
from tarsus.envs.warp.kernels import Kernels  # noqa: E402

N, LEGS, N_SUBSTEPS, GAIT = 40, 6, 5, np.array([0.7, 0.42, 0.75])
ROUNDING = 1e-12


def on_device(value):
    if isinstance(value, np.ndarray):
        return DeviceArray(torch.from_numpy(value.copy()))
    return tuple(map(on_device, value)) if isinstance(value, tuple) else value


def numbers(rng, *shape, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape)


def waiting(rng):
    """Return angles at which some legs wait, straight down or not; others follow their clock."""
    held = np.where(rng.uniform(size=(N, LEGS)) < 0.3, numbers(rng, N, LEGS, low=-4.0, high=4.0), np.inf)
    held[:4, 0], held[:4, 1:] = 2 * np.pi * np.arange(4), np.inf
    return held


def servo_table(rng):
    return numbers(rng, N, 11, low=0.5, high=2.0)


def clock(rng, width=0.1):
    low, high = np.array([[0.3, 1.2], [0.45, 0.6], [0.3, 1.5], [-0.5, 0.5], [-0.1, 0.1], [-0.3, 0.3], [-0.2, 0.2]]).T
    return np.column_stack([rng.uniform(low, high, (N, 7)), rng.uniform(0.0, width, N)])


def cases(rng):
    """Yield the name of a kernel and its arguments."""
    times, rows = np.arange(N_SUBSTEPS + 1) * 0.002, numbers
    commands, cycles = np.zeros((N, N_SUBSTEPS, LEGS, 3)), rows(rng, N, high=5.0)
    phase, side = np.tile([0.0, 0.5], 3), np.repeat([1.0, -1.0], 3)
    kept = [rows(rng, N, LEGS) for _ in range(2)]
    ends = np.zeros((N, LEGS)), np.zeros((N, LEGS)), commands
    turned = 2 * np.pi * rng.integers(-2, 3, (N, LEGS)).astype(float)
    for lead in (0, 1):
        when = cycles, times, lead, 0.5, 0.2
        yield "legs_of_clock", (clock(rng), phase, side, *when, *kept, waiting(rng), turned, *ends)
    low, high = np.array([[0.1, 0.6], [3.0, 5.0], [0.0, 0.3], [-0.2, 0.2], [-0.1, 0.1]]).T
    yield "joints_of_gait", (UNDULATION, rng.uniform(low, high, (N, 5)), *when, *kept, *ends)
    low, high = np.array([[0.05, 0.35], [0.4, 0.75], [0.7, 2.0], [1 / 3, 0.5], [-0.4, 0.4]]).T
    yield "joints_of_gait", (SHAFT_CLOCK, rng.uniform(low, high, (N, 5)), cycles, times, 0, 0.0, 0.0, *kept, *ends)
    yield "pose_of_gait", (SHAFT_CLOCK, rng.uniform(low, high, (N, 5)), cycles, np.zeros((N, LEGS)))
    qpos, qvel, table = rows(rng, N, 7 + LEGS), rows(rng, N, 6 + LEGS), servo_table(rng)
    joints, values = np.arange(7, 7 + LEGS), np.zeros((N, 80))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=-1, keepdims=True)
    at = np.array([0, 3, 6, 9])
    for axes in (np.array([0, 1, 1, 0]), np.array([1, 0, -1, 1])):
        yield "body_frame", (qpos, qvel, np.zeros((N, 3, 3)), values, at, axes)
    for torques in (False, True):
        columns = np.array([11, 17, 23, 29, 35, 41, 42, 43])
        state = (rows(rng, N, LEGS) for _ in range(4))
        body = (qpos, qvel, np.zeros((N, 3, 3)), values, at, axes)
        yield "walker_frame", (*body, joints, table, torques, *state, columns)
    limits = np.array([np.inf, 0.3, 0.5, 1.0, np.inf, 0.2])
    yield "ramp", (qpos, joints, table, limits, times, 1, *kept, np.zeros((N, LEGS)), commands)
    angles = rows(rng, N, LEGS, low=-7.0, high=7.0)
    yield "turn", (angles, table[:1], GAIT, 0.02, 0.5, kept[0], np.zeros((N, LEGS)))
    yield "pull", (angles, GAIT, phase, 0.4, kept[0], np.zeros((N, LEGS)))


@pytest.mark.parametrize(("name", "arguments"), list(cases(np.random.default_rng(0))))
def test_a_kernel_computes_on_a_device_what_it_does_here(name, arguments):
    theirs = on_device(arguments)
    ours = tuple(value.copy() if isinstance(value, np.ndarray) else value for value in arguments)
    translated, original, changed = Kernels("cpu"), getattr(kernels.COMPILED, name), 0.0
    for _ in range(3):  # what a kernel keeps goes into the next call
        original(*ours)
        getattr(translated, name)(*theirs)
    for before, here, there in zip(arguments, ours, theirs, strict=True):
        if isinstance(here, np.ndarray):
            finite, both = np.isfinite(here), np.isfinite(here) & np.isfinite(before)
            np.testing.assert_array_equal(finite, np.isfinite(there.tensor.numpy()))
            np.testing.assert_allclose(there.tensor.numpy()[finite], here[finite], rtol=ROUNDING, atol=ROUNDING)
            changed += np.abs(here[both] - before[both]).sum()
    assert changed > 1.0


A = np.random.default_rng(1).normal(size=(4, 3))
CALLS = {
    "arithmetic": lambda a: (2.0 - a) / (a + 3.0) * a - np.ones(3) ** 2,
    "elementwise": lambda a: np.minimum(np.exp(a), np.cos(a)) + np.copysign(np.sqrt(np.abs(a)), a) + np.rint(a),
    "comparison": lambda a: (a > 0.0) & ~(a <= 1.0) | (a == a),
    "vecdot": lambda a: np.vecdot(a, np.array([1.0, 2.0, 3.0])),
    "where": lambda a: np.where(a > 0.0, a, -1.0),
    "clip": lambda a: np.clip(a, -0.5, np.array([0.1, 0.2, 0.3])),
    "interp": lambda a: np.interp(a, (-1.0, 0.0, 0.7), (3.0, 1.0, 5.0)),
    "take": lambda a: np.take(a, np.array([2, 0]), axis=-1),
    "stack": lambda a: np.stack([a[:, 0], a[:, 1] * 0.0, a[:, 2]], -1),
    "concatenate": lambda a: np.concatenate([a, np.zeros((4, 1))], -1),
    "transposed": lambda a: a.T[1] - a[..., 0],
    "reduced": lambda a: np.abs(a).max(-1) + a.reshape(2, 2, 3).copy()[1, :, 0].max(-1),
    "norm": lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True),
    "take_along_axis": lambda a: np.take_along_axis(a, (a > 0).astype(int)[:, :1], -1),
    "broadcast": lambda a: np.broadcast_to(a[0], (5, 3)) + np.zeros_like(a)[0] + np.full_like(a, 2.0)[0],
    "moved": lambda a: np.moveaxis(a, -1, 0)[2] + np.tile(a[0], (4, 1))[:, 1],
    "indexed": lambda a: a[np.array([3, 1])][:, None, 1:],
    "positive": lambda a: np.positive(a) + np.reshape(a, (4, 3)) + np.atleast_2d(a[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_numpys_functions_on_a_device_are_numpys(name):
    found = CALLS[name](DeviceArray(torch.from_numpy(A.copy())))
    np.testing.assert_allclose(found.tensor.numpy(), CALLS[name](A.copy()), rtol=1e-14, atol=1e-15)


def test_writing_into_a_view_writes_into_the_whole_and_keeps_its_type():
    array = DeviceArray(torch.zeros(3, 2))
    view = array[..., 1]
    view[np.array([0, 2])] = np.array([1.0, 2.0])
    np.minimum(array, 1.5, out=array)
    array[1] += 0.25
    assert array.tensor.dtype is torch.float32
    np.testing.assert_array_equal(array.tensor, [[0.0, 1.0], [0.25, 0.25], [0.0, 1.5]])


def test_what_there_is_not_is_named():
    array = DeviceArray(torch.zeros(3))
    for wrong, name in ((np.sinh, ""), (np.cumsum, "cumsum"), (np.heaviside, "")):
        if name:
            with pytest.raises(TypeError, match=f"have no numpy.{name}"):
                wrong(array)
    with pytest.raises(TypeError, match="have no numpy.spacing"):
        np.spacing(array)
    with pytest.raises(TypeError, match=r"ask for `.tensor.cpu\(\).numpy\(\)`"):
        np.asarray(array)
    with pytest.raises(TypeError, match="logical_or.reduce"):
        np.logical_or.reduce(array)


def test_draws_have_a_row_for_each_and_their_ranges():
    draws = Draws(torch.Generator().manual_seed(0), 5000)
    low, high = np.array([0.0, -1.0]), np.array([1.0, 3.0])
    drawn = draws.uniform(low, DeviceArray(torch.from_numpy(high))).tensor.numpy()
    assert drawn.shape == (5000, 2) and ((drawn >= low) & (drawn <= high)).all()
    np.testing.assert_allclose(drawn.mean(0), [0.5, 1.0], atol=0.05)
    assert draws.uniform(size=1).shape == (5000, 1) and draws.uniform().shape == (5000,)
    np.testing.assert_allclose(draws.standard_normal(3).tensor.std(), 1.0, atol=0.05)
    assert set(draws.integers(3).tolist()) == {0, 1, 2}


class Holder:
    """What a task is to `moving`: an object that holds arrays, and others that do."""

    def __init__(self):
        self.whole = np.arange(6.0).reshape(2, 3)
        self.part, self.both = self.whole[:, 1], (self.whole, [self.whole.T])
        self.name, self.number = "text", 3.0


def test_views_remain_views_where_arrays_are_moved():
    holder = Holder()
    assert list(moving.buffers(holder)) == [".whole"]
    paths = moving.move(holder, torch.device("cpu"))
    assert list(paths) == [".whole"] and (holder.name, holder.number) == ("text", 3.0)
    holder.part[...] = 7.0
    np.testing.assert_array_equal(holder.whole.tensor, [[0, 7, 2], [3, 7, 5]])
    np.testing.assert_array_equal(holder.both[1][0].tensor, holder.whole.tensor.T)
