"""Thresholds of ensembles whose truth is known: individual thresholds, pockets, islands, chance."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from tarsus.scripts.library.stability.ensembles import ensemble, least_failures, most_failures, share_interval
from tarsus.scripts.library.stability.survival import AT_LEAST, FOUND, NONE, Settings, bound_of, threshold

FINE = Settings(n_sizes=8)
MEMBERS = ensemble()


def number(trials) -> np.ndarray:
    """Return which member of the ensemble each trial is, shape (n,)."""
    return np.array([8 * (trial.seed % 8) + int(8 * trial.phase) for trial in trials])


def sizes(trials) -> np.ndarray:
    return np.array([trial.size for trial in trials])


def individual(rng):
    """Return an ensemble whose members each survive up to a lognormal threshold of their own, and the truth."""
    own = np.exp(0.4 * rng.normal(size=64))
    return lambda trials: sizes(trials) < own[number(trials)], float(np.exp(0.4 * norm.ppf(0.05)))


def chance(rng):
    """Return an ensemble that survives each size with a probability, independently of other sizes, and the truth."""

    def survives(trials):
        return rng.random(len(trials)) < share(sizes(trials))

    def share(x):
        return norm.sf((x - 1.5) / 0.4)

    return survives, 1.5 + 0.4 * float(norm.isf(0.95))


def plateau(rng):
    """Return an ensemble of which 3 %, other members at each size, fail everywhere below 1, where all fail."""
    return lambda trials: (rng.random(len(trials)) < 0.97) & (sizes(trials) < 1.0), 1.0


def pocket(rng):
    """Return an ensemble that fails in a pocket below its own thresholds, 20 % of the members, and the truth."""
    own = np.exp(0.2 * rng.normal(size=64))
    falls = rng.random(64) < 0.2

    def survives(trials):
        x, k = sizes(trials), number(trials)
        return (x < 2.0 * own[k]) & ~(falls[k] & (x > 0.4) & (x < 0.7))

    return survives, 0.4


@pytest.mark.extra
@pytest.mark.parametrize("truth", [individual, chance, plateau, pocket], ids=lambda f: f.__name__)
def test_the_interval_covers_the_truth_as_often_as_it_says(truth):
    """Of 400 ensembles; three standard errors of a share of 0.9 are 0.045."""
    n, missed = 400, [0, 0]
    for k in range(n):
        survives, known = truth(np.random.default_rng(k))
        found = threshold(survives, MEMBERS, 3.0, FINE)
        missed[0] += found.low > known
        missed[1] += found.high is not None and found.high < known
    assert sum(missed) / n < 0.1 + 0.045, missed
    assert max(missed) / n < 0.05 + 0.033, missed


@pytest.mark.parametrize("truth", [individual, chance, pocket], ids=lambda f: f.__name__)
def test_disjoint_ensembles_agree_and_are_near_the_truth(truth):
    apart, errors = 0, []
    for k in range(50):
        (one, known), (other, _) = truth(np.random.default_rng(k)), truth(np.random.default_rng(1000 + k))
        a, b = threshold(one, MEMBERS, 3.0, FINE), threshold(other, ensemble(first_seed=8), 3.0, FINE)
        apart += not a.agrees(b)
        errors += [a.value - known, b.value - known]
    assert apart <= 2
    assert abs(np.median(errors)) < 0.1 * known  # of 64 members the fourth largest decides: a share of 0.05 +- 0.027


def test_thresholds_that_differ_do_not_agree():
    quick, slow = (threshold(lambda t, top=top: sizes(t) < top, MEMBERS, 3.0, FINE) for top in (2.5, 0.5))
    assert not quick.agrees(slow) and quick.agrees(quick)


def test_one_threshold_for_all_is_found_to_the_resolution():
    found = threshold(lambda trials: sizes(trials) < 1.234, MEMBERS, 3.0, FINE)
    assert found.status == FOUND and found.islands == ()
    assert found.value < 1.234 <= found.high <= found.value + found.resolution * (1 + 1e-9)
    assert found.low == found.value  # no member fails below
    assert found.resolution == 3.0 / 8 / 8
    assert "95% of 64 trials survive up to 1.22 m/s" in found.message("m/s")


def test_a_pocket_between_the_sizes_of_the_grid_is_found():
    """Sizes are tried at 0.375, 0.75, ...: that from 0.5 to 0.6 is between them, and wider than an eighth."""
    found = threshold(lambda t: (sizes(t) < 2.0) & ~((sizes(t) > 0.5) & (sizes(t) < 0.6)), MEMBERS, 3.0, FINE)
    assert found.status == FOUND
    assert 0.5 - found.resolution <= found.value <= 0.5 < found.high <= 0.6
    (island,) = found.islands
    assert 0.6 <= island.first <= 0.75 and 1.8 < island.last < 2.0 and island.share == 1.0
    assert "and again 0.75 to" in found.message()


def test_islands_above_the_threshold_are_listed():
    def survives(trials):
        x = sizes(trials)
        return (x < 0.8) | ((x > 1.4) & (x < 2.0)) | ((x > 2.5) & (x < 2.7))

    found = threshold(survives, MEMBERS, 3.0, FINE)
    assert found.value < 0.8 <= found.high
    assert [(island.first, island.last) for island in found.islands] == [(1.5, 1.875), (2.625, 2.625)]


def test_a_share_too_small_is_no_island():
    """Half of the members survive there."""
    found = threshold(lambda t: (sizes(t) < 0.8) | ((sizes(t) > 1.4) & (number(t) % 2 == 0)), MEMBERS, 3.0, FINE)
    assert found.value < 0.8 and found.islands == ()


def test_what_always_survives_does_so_at_least_up_to_the_bound():
    found = threshold(lambda trials: np.ones(len(trials), bool), MEMBERS, 3.0, FINE)
    assert (found.status, found.value, found.low, found.high) == (AT_LEAST, 3.0, 3.0, None)
    assert found.message("m/s").startswith("95% of 64 trials survive at least up to 3 m/s")
    assert found.cell == "at least 3"


def test_what_never_survives_has_no_threshold():
    found = threshold(lambda trials: np.zeros(len(trials), bool), MEMBERS, 3.0, FINE)
    assert (found.status, found.value, found.low) == (NONE, 0.0, 0.0)
    assert found.high == pytest.approx(found.resolution)
    assert max(found.tried) < 64  # given up early
    assert found.message().startswith("fewer than 95% of 64 trials survive 0.0469, the least size that was tried")
    assert found.cell == "under 0.0469"


def test_few_members_show_nothing_below():
    """Of 20 members not even all surviving shows that 95 % do: 0.95^20 is 0.36."""
    found = threshold(lambda trials: sizes(trials) < 1.0, MEMBERS[:20], 3.0)
    assert found.low == 0.0 < found.value


def test_sizes_are_whole_steps():
    found = threshold(lambda trials: sizes(trials) <= 3, MEMBERS, 10.0, step=1.0)
    assert (found.value, found.high) == (3.0, 4.0)
    assert all(size == round(size) for size in found.sizes)
    assert threshold(lambda trials: sizes(trials) <= 3, MEMBERS, 4.0, step=1.0).sizes == (1.0, 2.0, 3.0, 4.0)


def test_a_bound_is_beyond_what_half_survive():
    assert bound_of(lambda trials: sizes(trials) < 1.0, MEMBERS, 0.1, 8.0) == pytest.approx(1.5 * 1.6)
    assert bound_of(lambda trials: sizes(trials) < 100.0, MEMBERS, 0.1, 8.0) == 8.0
    assert bound_of(lambda trials: sizes(trials) < 0.0, MEMBERS, 0.1, 8.0) == pytest.approx(0.15)


@pytest.mark.parametrize("n", [10, 64, 128])
@pytest.mark.parametrize("tail", [0.05, 0.005])
def test_limits_of_failures_are_the_binomial_distributions(n, tail):
    most, least = most_failures(n, 0.95, tail), least_failures(n, 0.95, tail)
    assert (most < 0 or binom.cdf(most, n, 0.05) <= tail) and binom.cdf(most + 1, n, 0.05) > tail
    assert binom.sf(least - 1, n, 0.05) <= tail < binom.sf(least - 2, n, 0.05)


def test_a_shares_interval_is_clopper_pearsons():
    low, high = share_interval(64, 64, 0.9)
    assert high == 1.0 and low == pytest.approx(0.05 ** (1 / 64))


def test_ensembles_fill_sectors_and_periods_and_are_disjoint():
    one, other = ensemble(1.0, 0.4), ensemble(1.0, 0.4, first_seed=8)
    assert len(one) == 64 and len(set(one) | set(other)) == 128
    assert not {trial.seed for trial in one} & {trial.seed for trial in other}
    assert np.bincount([int(8 * trial.phase) for trial in one]).tolist() == [8] * 8
    assert all(abs(trial.direction - 1.0) <= 0.4 for trial in one)
    assert np.ptp([trial.direction for trial in one]) > 0.6
    assert len({trial.phase for trial in (*one, *other)}) == 128
    assert {trial.direction for trial in ensemble(1.0)} == {1.0}
    assert one == ensemble(1.0, 0.4)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: ensemble(n_phases=0), "at least one phase and one seed, got 0 and 8"),
        (lambda: ensemble(half_width=-1.0), "must not be negative"),
        (lambda: Settings(share=1.0), "share must lie between 0 and 1"),
        (lambda: Settings(n_sizes=0), "must be at least 1"),
        (lambda: threshold(sizes, (), 1.0), "at least one member"),
        (lambda: threshold(sizes, MEMBERS, 0.0), "bound must be positive"),
        (lambda: threshold(sizes, MEMBERS, 0.5, step=1.0), "at least a step of 1, got 0.5"),
    ],
)
def test_misuse_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()
