"""The tableau's sums unrolled as source code of the kernel: loops over short rows cost more than the arithmetic.

Unrolled, the zeros of the tableau vanish and the loop over the state is one vector instruction for small models:
a DOP853 step of SLIP takes half the time. Both modes run the same text, so they are still bitwise identical.
"""

from collections.abc import Sequence

import numpy as np

from .tableau import Method

IMPORTS = "from .free import N, jit, plain\nfrom .stages import rates\n"


def weighted(row: Sequence[float]) -> str:
    """Return the sum of `row[j] * k[j, i]` over the entries that are not zero, as an expression."""
    terms = [f"{float(value)!r} * k[{j}, i]" for j, value in enumerate(row) if value != 0]
    return " + ".join(terms) or "0.0"


def unrolled(method: Method) -> str:
    """Return the kernel's file `sums` for a method: `stages`, `error_terms`, `dense_terms` (described there)."""
    arrays = method.arrays
    if method.gamma:
        dense = [_terms(f"dense{r}", [0.0, *row]) for r, row in enumerate(arrays["H"])]
        return "\n\n".join([IMPORTS + "from .linear import prepare_stages, solve\n", _rosenbrock(arrays), *dense])
    parts = [IMPORTS, _stages(arrays["A"], arrays["B"], arrays["C"], method.n_stages)]
    if "E3" in arrays:
        parts.append(_terms("error5", arrays["E5"]))
        parts.append(_terms("error3", arrays["E3"]))
        parts.append(_more_stages(arrays["A"], arrays["C"], method.n_stages))
        parts += [_terms(f"dense{r}", row) for r, row in enumerate(arrays["D"])]
    else:
        parts.append(_terms("error", arrays["E"]))
        parts += [_terms(f"dense{r}", row) for r, row in enumerate(arrays["P"].T)]
    return "\n\n".join(parts)


def _terms(name: str, row: np.ndarray) -> str:
    return f"@jit\ndef {name}_terms(k, i):\n    return {weighted(row)}\n"


def _stages(a: np.ndarray, b: np.ndarray, c: np.ndarray, n_stages: int) -> str:
    text = ["@jit", "def stages(w, h, out):", "    k = plain(w.k)", "    x = plain(w.x)", "    inner = plain(w.inner)"]
    for s in range(1, n_stages):
        text += ["    for i in range(N):", f"        inner[i] = x[i] + h * ({weighted(a[s, :s])})"]
        text += [f"    rates(w, w.t + {float(c[s])!r} * h, inner, k[{s}])"]
    text += ["    for i in range(N):", f"        out[i] = x[i] + h * ({weighted(b)})"]
    return "\n".join(text) + "\n"


def _more_stages(a: np.ndarray, c: np.ndarray, n_stages: int) -> str:
    text = ["@jit", "def more_stages(w, h):", "    k = plain(w.k)", "    x = plain(w.x)", "    inner = plain(w.inner)"]
    for s in range(n_stages + 1, n_stages + 4):
        text += ["    for i in range(N):", f"        inner[i] = x[i] + h * ({weighted(a[s, :s])})"]
        text += [f"    rates(w, w.t + {float(c[s])!r} * h, inner, k[{s}])"]
    return "\n".join(text) + "\n"


def _rosenbrock(arrays: dict[str, np.ndarray]) -> str:
    # The solutions are the rows of `k` from the second; the first is the field at the start.
    a, c, times, d = (arrays[name] for name in ("A", "C", "TIMES", "D"))
    text = ["@jit", "def stages(w, h, out):", "    k = plain(w.k)", "    x = plain(w.x)", "    inner = plain(w.inner)"]
    text += ["    ft = plain(w.ft)", "    prepare_stages(w, h)", "    inverse = 1.0 / h"]
    text += ["    for i in range(N):", f"        k[1, i] = k[0, i] + h * {float(d[0])!r} * ft[i]", "    solve(w, k[1])"]
    for s in range(1, len(d)):
        text += ["    for i in range(N):", f"        inner[i] = x[i] + ({weighted([0.0, *a[s, :s]])})"]
        text += [f"    rates(w, w.t + {float(times[s])!r} * h, inner, k[{s + 1}])"]
        slope = f" + h * {float(d[s])!r} * ft[i]" if d[s] else ""
        text += ["    for i in range(N):", f"        k[{s + 1}, i] += inverse * ({weighted([0.0, *c[s, :s]])}){slope}"]
        text += [f"    solve(w, k[{s + 1}])"]
    text += ["    for i in range(N):", f"        out[i] = x[i] + ({weighted([0.0, *a[-1, :-1], 1.0])})"]
    return "\n".join(text) + "\n"
