"""The peers of `tarsus benchmark hybrid` simulate the same machine, and one that is not installed is named."""

import numpy as np
import pytest

from tarsus.scripts.laboratory.benchmarks import hybrid, hybrid_peers

REFERENCE = np.loadtxt(hybrid.REFERENCE)


@pytest.mark.parametrize("name", hybrid_peers.PEERS)
def test_a_peer_finds_the_events_of_the_same_machine(name):
    module, make, settings = hybrid_peers.PEERS[name]
    pytest.importorskip(module)
    times = make(settings[-1])(1e-9, REFERENCE.size)
    np.testing.assert_allclose(times, REFERENCE, atol=1e-6)


def test_a_peer_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(hybrid_peers.PEERS, "another", ("a_module_that_is_not_there", None, (1,)))
    monkeypatch.setattr(hybrid, "runs", lambda: {"ours": lambda: hybrid.ours("dop853", "python")})
    monkeypatch.setattr(hybrid, "EVENTS", REFERENCE.size)
    monkeypatch.setattr(hybrid, "FIRST_CALLS", 1)
    assert "another" not in " ".join(hybrid_peers.installed())
    monkeypatch.setattr(hybrid_peers, "missing", lambda: ["hybrid-tools", "another"])
    *_, words, _ = hybrid.tables(repeats=1).parts
    assert words.startswith("Not installed, skipped:") and "another" in words and "`bench`" in words
