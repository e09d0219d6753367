"""The committed equations of motion are what the generator writes."""

import pytest

from tarsus.scripts import write_dynamics

symbolic = pytest.importorskip("tarsus.scripts.symbolic")


@pytest.mark.parametrize("name", symbolic.MACHINES)
def test_regeneration_gives_the_committed_file(name):
    written = write_dynamics.path_of(name).read_text(encoding="utf-8")
    assert write_dynamics.source(name) == written, "run: tarsus write dynamics (SymPy 1.14 wrote the committed files)"


def test_an_unknown_machine_is_refused():
    with pytest.raises(ValueError, match="unknown machine 'unicorn'; known: hopping_leg, slip_leg"):
        write_dynamics.source("unicorn")


def test_no_sympy_is_needed_to_run():
    for name in symbolic.MACHINES:
        assert "sympy" not in write_dynamics.path_of(name).read_text(encoding="utf-8").lower()
