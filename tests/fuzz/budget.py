"""How long a fuzz goes on: so many tries, or the seconds of processor time that TARSUS_FUZZ_SECONDS grants.

A count by default, so that a run is the same on every machine; seconds for a search that is left to itself:

    TARSUS_FUZZ_SECONDS=600 pytest tests/fuzz
"""

import os

import numpy as np

SECONDS = "TARSUS_FUZZ_SECONDS"


def tries(seed=0, count=200):
    """Yield random generators, one for each try, until the budget is spent: `count` of them or the seconds granted.

    The k-th is `np.random.default_rng([seed, k])`, so that a try which fails can be repeated without those before it.
    The seconds of this process and of its children that have ended are counted, from the first try on, and one try is
    made whatever is granted.

    Raises:
        ValueError: If TARSUS_FUZZ_SECONDS is no positive number.
    """
    seconds, start, k = _granted(), _spent(), 0
    while k == 0 or (k < count if seconds is None else _spent() - start < seconds):
        yield np.random.default_rng([seed, k])
        k += 1


def _granted():
    """Return the seconds that the environment grants, None without a word of it."""
    text = os.environ.get(SECONDS)
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = np.nan
    if not 0.0 < seconds < np.inf:
        raise ValueError(f"{SECONDS} must be a positive number of seconds, got {text!r}")
    return seconds


def _spent():
    """Return the processor time of this process and of its children that have ended [s]."""
    return sum(os.times()[:4])
