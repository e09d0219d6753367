"""The signs that `tests/mutants.py` flips: one that it did not see would pass for tested."""

import importlib.util
import sys
from pathlib import Path

FORMULA = '''"""Minus - signs + in texts stay."""
A = x[i + 1, -1] + 2.0 * -y  # - b
def f(a, b):
    if a < -1.0:
        raise ValueError("a" + str(a - 1))
    return np.sum(a - (b), axis=-1), "a" + "b", [a] + [b], 1e-3
'''


def test_the_signs_of_formulas_are_found_and_flipped_one_by_one(monkeypatch, tmp_path):
    spec = importlib.util.spec_from_file_location("tests_mutants", Path(__file__).with_name("mutants.py"))
    mutants = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, mutants)  # where dataclasses look for it
    spec.loader.exec_module(mutants)
    path = tmp_path / "formula.py"
    path.write_text(FORMULA)
    sites = mutants.signs(path)
    assert [site.flipped().splitlines()[site.line] for site in sites] == [
        "A = x[i + 1, -1] - 2.0 * -y  # - b",
        "A = x[i + 1, -1] + 2.0 * +y  # - b",
        "    if a < +1.0:",
        '    return np.sum(a + (b), axis=-1), "a" + "b", [a] + [b], 1e-3',
    ]
