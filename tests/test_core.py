"""What is of the core of the tests and what is extra, and the signs that `tests/mutants.py` flips."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).parent
FORMULA = '''"""Minus - signs + in texts stay."""
A = x[i + 1, -1] + 2.0 * -y  # - b
def f(a, b):
    if a < -1.0:
        raise ValueError("a" + str(a - 1))
    return np.sum(a - (b), axis=-1), "a" + "b", [a] + [b], 1e-3
'''


def loaded(name, monkeypatch):
    spec = importlib.util.spec_from_file_location(f"tests_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_files_are_of_the_core_unless_they_are_listed(monkeypatch):
    conftest = loaded("conftest", monkeypatch)
    core = {"envs/test_contract.py", "scripts/command/test_cli.py", "scripts/library/records/test_record.py"}
    extra = {"scripts/laboratory/figures/test_figures.py", "scripts/suite/test_hard.py", "test_notebooks.py"}
    assert {name for name in core | extra if conftest.is_extra(HERE / name)} == extra
    listed = {path.name for path in (*conftest.EXTRA, *conftest.CORE) if not path.exists()}
    assert listed <= {"fuzz"}  # which may be empty


def test_the_two_runs_of_ci_are_all_tests_and_none_twice():
    makefile, ci = (HERE.parent / name for name in ("Makefile", ".ci/run"))
    rules = makefile.read_text(encoding="utf-8")
    assert '-m "not extra"\n' in rules and '$(if $(filter test,$(AFTER)),-m "extra and not thorough")\n' in rules
    assert "make test\nmake test-all AFTER=test\n" in ci.read_text(encoding="utf-8")


def test_the_signs_of_formulas_are_found_and_flipped_one_by_one(monkeypatch, tmp_path):
    mutants = loaded("mutants", monkeypatch)
    path = tmp_path / "formula.py"
    path.write_text(FORMULA)
    sites = mutants.signs(path)
    changed = {site.flipped().splitlines()[site.line] for site in sites}
    assert changed == {
        "A = x[i + 1, -1] - 2.0 * -y  # - b",
        "A = x[i + 1, -1] + 2.0 * +y  # - b",
        "    if a < +1.0:",
        '    return np.sum(a + (b), axis=-1), "a" + "b", [a] + [b], 1e-3',
    }
    assert len(sites) == 4


def test_a_module_is_tested_by_what_imports_it_or_its_folder(monkeypatch):
    mutants = loaded("mutants", monkeypatch)
    own = mutants.tests_of(HERE.parent / "analytic" / "models" / "slip.py")
    assert own[0].endswith("test_slip.py") and any(file.endswith("test_sections.py") for file in own)
    above = mutants.tests_of(HERE.parent / "envs" / "shaping.py")
    assert str(HERE / "envs" / "test_contract.py") in above
