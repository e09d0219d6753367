"""Kernels translated to Warp compute what Python does; what the translation does not take is refused, with its line."""

import importlib.util

import numpy as np
import pytest

from tarsus.envs.warp_refusals import NEEDED

wp = pytest.importorskip("warp", reason=NEEDED)
pytest.importorskip("torch", reason="it needs the extra `rl`")
from tarsus.envs.warp.kernels import translated  # noqa: E402

TENTH, THREE, ENDLESS = 0.1, 3, np.inf
ROWS, COLUMNS = "wp.array(dtype=wp.float64, ndim=2)", "wp.array(dtype=wp.int64, ndim=1)"


def first_below(row, bound, back):
    """Return the first entry of an even place below a bound and the place, or another and how many there are."""
    for j in range(len(row)):
        if -ENDLESS < row[j] < bound and not j % 2:
            return row[j], j
    return min(row[back], bound), len(row)


def everything(values, columns, out, n: int, flag: bool):
    """Write what comes of whole numbers, ties, signs, no numbers and swaps."""
    low, at, last = TENTH, columns[1] - 1, -1
    for i in range(len(values)):
        row = values[i]
        a, b, _ = row
        for _k in range(n):
            a, b = b, a + b
        found, place = first_below(values[i], low, n - 5)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = a, b, found, float(place)
        out[i, 4] = float(-n // THREE) + 0.1 * float(-n % THREE) + 10.0 * float(n % -THREE)
        out[i, 5] = n / 3 + 1 / 10 + 2.0**0.5
        out[i, 6] = np.copysign(1.5, -0.0) + np.rint(2.5) + np.floor(-0.5) + float(int(-2.7))
        out[i, 7], out[i, 8] = min(values[i, 2], 1.0), max(values[i, at], 1.0) if flag and n > 2 else 0.0
        out[i, 9] += abs(values[i, last]) * 2.0 * np.pi if not flag or a != b else 1.0


@pytest.mark.parametrize(("n", "flag"), [(4, True), (2, False)])
def test_a_translation_computes_what_python_does(n, flag):
    values = np.array([[1.0, 0.5, np.nan], [0.3, 0.01, -2.0], [0.01, 5.0, 1.0 / 3.0]])
    columns, ours = np.array([9, 3]), np.full((3, 10), 0.7)
    theirs = [wp.array(one, device="cpu") for one in (values, columns, ours)]
    everything(values, columns, ours, n, flag)
    kernel, rows = translated(everything, (ROWS, COLUMNS, ROWS, "", ""))
    assert rows == 0
    wp.launch(kernel, dim=3, inputs=[*theirs, n, flag], device="cpu")
    np.testing.assert_allclose(theirs[2].numpy(), ours, rtol=1e-15)


REFUSED = {
    "while x[i, 0] > 0.0: x[i, 0] -= 1.0": "`while",
    "for k in range(1, 3): x[i, k] = 0.0": "`for",
    "for v in x[i]: x[i, 0] = v": "`for",
    "x[i, 0] = sum(x[i])": "a call of `sum`",
    "x[i, 0] = round(s, ndigits=2)": "`round",
    "x[i, 0] = 3000000000": "no number of 32 bits",
    "x[i, 0] = unknown": "`unknown`",
    "x[i, 1:2] = 0.0": "`1:2`",
    "x[i, 0] = x[i][0]": r"`x\[i\]\[0\]`",
    "x[i, 0] = s | 1": r"`s \| 1`",
    "x[i, 0] = endless(s)": "`endless` in itself",
    "x[i, 0] = writes(x[i])": r"change of `row\[0\]`",
    "x[i, 0] = sometimes(s)": "an end without a return",
    "return": "`return`",
    "y = z = 1.0": "`y = z",
    "x[0, 0] = 1.0": r"change of `x\[0, 0\]`",
    "x[i, 0] = x[i - 1, 0]": "`x`, into which it writes",
    "x[i, 0] = writes(x)": r"change of `row\[0\]`",
    "s += 1.0": "change of `s`",
    "total += s": "change of `total`",
    "i = 0": "change of `i`",
    "for k in range(2): k = 1": "change of `k`",
    "if s > 0.0: last = s\n        x[i, 0] = last": "`last`, which may have no value",
    "for k in range(2): s2 = s\n        x[i, 0] = s2": "`s2`, which may have no value",
    "x[i, 0] = later\n        later = s": "`later`, which may have no value",
    "wp = 1.0": "the name `wp`",
    "s_ = 1.0": "the name `s_`",
}
MODULE = """
def endless(s):
    return endless(s)
def writes(row):
    row[0] = 1.0
    return 1.0
def sometimes(s):
    if s > 0.0:
        return s
def kernel(x, s):
    total = 0.0
    for i in range(len(x)):
        {}
"""


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_taken_is_refused_with_its_line(line, tmp_path):
    path = tmp_path / "kernels_of_ones_own.py"
    path.write_text(MODULE.format(line))
    spec = importlib.util.spec_from_file_location("kernels_of_ones_own", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(ValueError, match=rf"ones_own.py:\d+: \w+ cannot be translated to Warp: .*{REFUSED[line]}"):
        translated(module.kernel, (ROWS, ""))
