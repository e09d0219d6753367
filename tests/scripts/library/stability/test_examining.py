"""The verdict is right on constructed systems whose truth is known."""

import numpy as np
import pytest
from scipy.linalg import expm

from tarsus.scripts.library.stability import multipliers
from tarsus.scripts.library.stability.cycle import classify
from tarsus.scripts.library.stability.examining import RANDOM, Examined, examine, not_periodic
from tarsus.scripts.library.stability.system import MapSystem, iterated
from tarsus.scripts.library.stability.verdict import Kind, Verdict

SETTLED = 200  # strides before it is looked at
SECTIONS = 192  # that are compared
TINY = 1e-7  # displacement whose growth tells chaos, in typical values


def examine_map(system: MapSystem) -> Examined:
    """Return the verdict on a map, and what it is from, after some strides."""
    begun = [iterated(system.stride, system.at, SECTIONS) for _ in range(2)]
    if not np.array_equal(*begun, equal_nan=True):
        return Examined(Verdict(Kind.STOCHASTIC, RANDOM))
    path = iterated(system.stride, system.at, SETTLED + SECTIONS)
    if not np.isfinite(path).all():
        return Examined(Verdict(Kind.FALLS, f"it ends in stride {int(np.isfinite(path).all(1).argmin())}."))
    known = system.names, system.scale, system.symmetric, system.hidden
    settled = MapSystem(system.stride, path[SETTLED], *known)
    moving = np.array([name not in system.symmetric for name in system.names]) & ~system.hidden
    tiny = settled.deviations(TINY * system.scale * moving, SECTIONS)
    growth = np.linalg.norm((tiny / system.scale)[:, moving], axis=1)
    cycle = classify((path[SETTLED:] / system.scale)[:, moving], growth[-1] / growth[0])
    if not cycle.periodic:
        return Examined(not_periodic(cycle, [n for n, kept in zip(system.names, moving, strict=True) if kept]))
    k = cycle.multiple
    many = MapSystem(lambda z: iterated(system.stride, z, k)[-1], path[-1], *known)
    found = examine(many)
    if k == 1:
        return found
    words = Verdict(found.verdict.kind, f"it repeats after {k} strides, not one: {found.verdict.reason}")
    return Examined(words, found.multipliers, found.decays, found.kink)


def linear(matrix, centre=0.3, **more):
    """A linear map about a fixed point that is not zero."""
    matrix = np.atleast_2d(matrix)
    at = np.full(len(matrix), centre)
    return MapSystem(lambda z: at + matrix @ (z - at), at, **more)


def curved(matrix, size=0.3):
    """The same with a quadratic term, which no multiplier sees."""
    matrix = np.atleast_2d(matrix)
    return MapSystem(lambda z: matrix @ z + size * z**2, np.zeros(len(matrix)))


def sampled_with_delay():
    """A second-order plant whose control is sampled, held, and one period late: state x, v, and the last control.

    Between samples x'' = u, so that the exact map is a matrix exponential; see `test_sample_and_hold_with_delay`.
    """
    dt, gain = 0.1, np.array([4.0, 2.5])
    A, B = np.array([[0.0, 1.0], [-1.0, -0.2]]), np.array([0.0, 1.0])
    whole = expm(np.block([[A, B[:, None]], [np.zeros((1, 3))]]) * dt)
    phi, gamma = whole[:2, :2], whole[:2, 2]
    matrix = np.block([[phi, gamma[:, None]], [-gain[None], np.zeros((1, 1))]])
    return matrix, A, B, gain, dt


def test_sample_and_hold_with_delay():
    """Integrated in small steps as a simulator would, its multipliers are those of the exact matrix to 1e-6."""
    matrix, A, B, gain, dt = sampled_with_delay()

    def stride(z):
        x, u = z[:2], z[2]
        for _ in range(100):
            h = dt / 100
            k1 = A @ x + B * u
            k2 = A @ (x + 0.5 * h * k1) + B * u
            k3 = A @ (x + 0.5 * h * k2) + B * u
            k4 = A @ (x + h * k3) + B * u
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return np.array([*x, -gain @ z[:2]])

    found = examine_map(MapSystem(stride, np.zeros(3)))
    expected = np.linalg.eigvals(matrix)
    assert found.verdict.kind is Kind.STABLE
    np.testing.assert_allclose(np.sort_complex(found.multipliers.values), np.sort_complex(expected), atol=1e-6)


def test_a_complex_pair():
    r, angle = 0.9, 0.7
    c, s = r * np.cos(angle), r * np.sin(angle)
    found = examine_map(curved([[c, -s], [s, c]]))
    assert found.verdict.kind is Kind.STABLE
    np.testing.assert_allclose(np.sort_complex(found.multipliers.values), [c - 1j * s, c + 1j * s], atol=1e-6)


def test_a_slow_transient_of_a_matrix_that_is_not_normal():
    """Displacements grow a hundredfold before they decay, and the decay agrees all the same."""
    found = examine_map(linear([[0.7, 20.0], [0.0, 0.65]]))
    assert found.verdict.kind is Kind.STABLE
    assert found.multipliers.largest == pytest.approx(0.7, rel=1e-3)
    assert max(decay.observed.max() / decay.observed[0] for decay in found.decays) > 10.0


@pytest.mark.parametrize(("value", "kind"), [(0.999, Kind.STABLE), (1.001, Kind.UNSTABLE), (1.0, Kind.NEUTRAL)])
def test_nearly_one(value, kind):
    found = examine_map(linear(np.diag([value, 0.5])))
    assert found.verdict.kind is kind
    assert found.multipliers.interval[0] <= value + 1e-9 and found.multipliers.interval[1] >= value - 1e-9


def test_a_neutral_direction_is_named():
    found = examine_map(linear(np.diag([0.5, 1.0]), names=("speed", "energy")))
    assert found.verdict.kind is Kind.NEUTRAL and "energy" in found.verdict.reason


def test_a_symmetry_is_taken_out_by_name_though_it_drifts():
    """Place goes on, and depends on speed; nothing depends on place."""

    def stride(z):
        return np.array([0.6 * z[0] + 0.1, z[1] + 0.3 * z[0] + 0.2])

    found = examine_map(MapSystem(stride, np.zeros(2), names=("speed", "forward"), symmetric=("forward",)))
    assert found.verdict.kind is Kind.STABLE
    assert found.multipliers.neutral == ("forward",)
    np.testing.assert_allclose(found.multipliers.values, [0.6], atol=1e-6)


@pytest.mark.parametrize("matrix", [[[0.5, 0.2], [-0.3, 0.9]], [[0.5, 0.2], [-0.1, 1.0]]])
def test_what_is_called_a_symmetry_but_pulls_back_is_kept(matrix):
    """A heading that a policy steers by is a coordinate as any other."""
    found = examine_map(linear(matrix, centre=0.0, names=("speed", "yaw"), symmetric=("yaw",)))
    assert found.multipliers.neutral == ()
    expected = np.linalg.eigvals(matrix)
    np.testing.assert_allclose(np.sort_complex(found.multipliers.values), np.sort_complex(expected), atol=1e-6)


def test_memories_that_change_nothing_and_clocks_that_nothing_drives_are_told():
    """Of position, filter (driven by it, drives it), log (driven only), clock (drives only)."""
    matrix = np.array([[0.5, 0.1, 0.0, 0.2], [0.3, 0.4, 0.0, 0.0], [0.7, 0.0, 0.9, 0.0], [0.0, 0.0, 0.0, 1.0]])
    hidden = np.array([False, True, True, True])
    out = multipliers.idle(matrix, hidden)
    assert out.tolist() == [False, False, True, False]
    assert multipliers.autonomous(matrix, hidden, out).tolist() == [False, False, False, True]
    system = linear(matrix, centre=0.0)
    system.hidden = hidden
    step = multipliers.Step(1e-4, 1e-9, 1e-3, 1e-15)
    found = multipliers.multipliers(system, step, matrix, matrix, np.random.default_rng(0))
    assert found.neutral == (multipliers.CLOCK,)
    expected = np.linalg.eigvals(matrix[:2, :2])
    np.testing.assert_allclose(np.sort_complex(found.values), np.sort_complex(expected), atol=1e-12)


def test_unstable():
    found = examine_map(linear(np.diag([1.2, 0.3])))
    assert found.verdict.kind is Kind.UNSTABLE and found.multipliers.largest == pytest.approx(1.2, abs=1e-6)


@pytest.mark.parametrize("slopes", [(0.9, 0.3), (0.5, -0.5), (1.2, 0.4), (0.03, 0.01)])
def test_a_kink_is_not_determined(slopes):
    """Central differences agree at all steps there, at the mean of the slopes, which says nothing."""
    left, right = slopes
    found = examine_map(MapSystem(lambda z: np.where(z > 0, right * z, left * z), np.zeros(1)))
    assert found.verdict.kind is Kind.NOT_DETERMINED and "kink" in found.verdict.reason
    assert found.multipliers.largest == pytest.approx(abs(0.5 * (left + right)), abs=1e-6)


@pytest.mark.parametrize(("slopes", "kinked"), [((0.012, 0.004), False), ((0.03, 0.01), True)])
def test_a_kink_in_what_is_forgotten_at_once_is_none(slopes, kinked):
    found = examine_map(MapSystem(lambda z: np.where(z > 0, *slopes) * z, np.zeros(1)))
    assert (found.kink > multipliers.AGREE) is kinked


def test_a_kink_beside_the_largest_direction_shows_in_the_decay():
    """Differences take the kinked coordinate for one that is forgotten at once, and it is the slowest."""
    found = examine_map(MapSystem(lambda z: np.array([0.8 * z[0], 0.9 * np.abs(z[1])]), np.zeros(2)))
    assert found.verdict.kind is Kind.NOT_DETERMINED and "observed decay" in found.verdict.reason


def test_period_two():
    """The logistic map at 3.2 alternates; over two strides its multiplier is 4 + 2 r - r^2 (Strogatz, 10.3)."""
    r = 3.2
    found = examine_map(MapSystem(lambda z: r * z * (1 - z), [0.4]))
    assert found.verdict.kind is Kind.STABLE and "after 2 strides" in found.verdict.reason
    assert found.multipliers.values[0] == pytest.approx(4 + 2 * r - r**2, abs=1e-6)


def test_a_drift_is_not_periodic():
    found = examine_map(MapSystem(lambda z: np.array([0.5 * z[0], z[1] + 0.01]), [0.2, 0.0], names=("speed", "tilt")))
    assert found.verdict.kind is Kind.NOT_PERIODIC and "tilt" in found.verdict.reason


def test_noise_is_stochastic():
    rng = np.random.default_rng(0)
    found = examine_map(MapSystem(lambda z: 0.5 * z + 0.01 * rng.standard_normal(z.shape), [0.0]))
    assert found.verdict.kind is Kind.STOCHASTIC


def test_quasi_periodic_and_chaotic_are_not_periodic():
    golden = 2 * np.pi * 0.5 * (np.sqrt(5) - 1)
    c, s = np.cos(golden), np.sin(golden)

    def circle(z):
        radius = np.linalg.norm(z)
        return np.array([[c, -s], [s, c]]) @ z * (1.0 + 0.5 * (1.0 - radius))

    found = examine_map(MapSystem(circle, [1.0, 0.0]))
    assert found.verdict.kind is Kind.NOT_PERIODIC and "near each other" in found.verdict.reason
    found = examine_map(MapSystem(lambda z: 3.9 * z * (1 - z), [0.4]))
    assert found.verdict.kind is Kind.NOT_PERIODIC and "part" in found.verdict.reason


def test_what_ends_falls():
    found = examine_map(MapSystem(lambda z: np.where(np.abs(z) < 1.0, 1.5 * z, np.nan), [0.1]))
    assert found.verdict.kind is Kind.FALLS


def test_noise_of_single_precision_is_told_from_the_derivative():
    matrix = np.array([[0.6, 0.2], [-0.1, 0.4]])
    at = np.array([0.3, 0.7])

    def stride(z):
        return (at + matrix @ (z - at)).astype(np.float32).astype(float)

    found = examine_map(MapSystem(stride, at))
    assert found.verdict.kind is Kind.STABLE
    low, high = found.multipliers.interval
    assert low - 1e-4 <= np.abs(np.linalg.eigvals(matrix)).max() <= high + 1e-4


def clocked(ratio, decay=0.95):
    """A plant that a clock of `ratio` control periods drives, as a map of one control period; the clock is hidden."""

    def stride(z):
        return np.array([decay * z[0] + np.cos(2 * np.pi * z[1]), z[1] + 1.0 / ratio])

    return MapSystem(stride, np.zeros(2), names=("speed", "clock"), hidden=(False, True))


def test_a_clock_of_half_a_control_period_more_repeats_after_two_cycles():
    found = examine_map(clocked(26.5))
    assert found.verdict.kind is Kind.STABLE and "after 53 strides" in found.verdict.reason
    np.testing.assert_allclose(found.multipliers.values, [0.95**53], rtol=1e-6)
    assert found.multipliers.neutral == (multipliers.CLOCK,)


def test_a_clock_of_an_irrational_ratio_never_repeats_but_is_followed():
    found = examine_map(clocked(26.0 + 0.5 * (np.sqrt(5) - 1)))
    assert found.verdict.kind is Kind.NOT_PERIODIC and "all follow the clock" in found.verdict.reason


def test_a_limit_cycle_of_two_cycles_of_its_clock():
    """Once in a cycle of four control periods the logistic map is applied, which alternates at 3.2."""
    r = 3.2

    def stride(z):
        return np.array([r * z[0] * (1 - z[0]) if round(z[1]) % 4 == 0 else z[0], z[1] + 1.0])

    found = examine_map(MapSystem(stride, [0.4, 0.0], names=("speed", "clock"), hidden=(False, True)))
    assert found.verdict.kind is Kind.STABLE and "after 8 strides" in found.verdict.reason
    assert found.multipliers.values[0] == pytest.approx(4 + 2 * r - r**2, abs=1e-6)


def test_a_cycle_that_moves_on_is_not_determined_and_the_reason_says_so():
    """Its derivative, 0.7 + 0.1 cos(x / 1e-4 + 0.7), is another a few strides on, as a clock carries it."""
    slid = 3e-6

    def climb(x):
        return 0.7 * x + 1e-5 * np.sin(x / 1e-4 + 0.7)

    def stride(z):
        x, phase = z
        return np.array([phase + slid + climb(x) - climb(phase), phase + slid])

    found = examine(MapSystem(stride, np.zeros(2), names=("x", "phase"), hidden=(False, True)))
    assert found.verdict.kind is Kind.NOT_DETERMINED
    assert "the observed decay disagrees" in found.verdict.reason
    assert "The sections move on by 3e-06 typical values a stride" in found.verdict.reason
    still = examine(MapSystem(lambda z: stride(z) - slid, np.zeros(2), names=("x", "phase"), hidden=(False, True)))
    assert still.verdict.kind is Kind.STABLE
