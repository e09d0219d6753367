"""The peers of `tarsus benchmark hybrid` simulate the same machine, and one that is not installed is named."""

import numpy as np
import pytest

from tarsus.scripts.laboratory.benchmarks import hybrid, hybrid_ball, hybrid_peers

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
    *_, words, _, ball = hybrid.tables(repeats=1).parts
    assert "skipped: hybrid-tools is not installed" in ball
    assert words.startswith("Not installed, skipped:") and "another" in words and "tarsus[bench]" in words


def test_the_ball_of_the_closed_form_is_ours():
    x, by = hybrid_ball.exact()
    for state, derivative in (hybrid_ball.ours()(), hybrid_ball.ours_derived()()):
        np.testing.assert_allclose(state, x, atol=1e-11)
        if np.isfinite(derivative).all():
            np.testing.assert_allclose(derivative, by, atol=1e-10)
    assert np.isfinite(hybrid_ball.ours_derived()()[1]).all()


@pytest.mark.parametrize("derived", [False, True])
def test_hybrid_tools_bounces_the_same_ball(derived):
    pytest.importorskip("hybrid_tools")
    state, derivative = hybrid_ball.theirs(0.1, derived)()
    x, by = hybrid_ball.exact()
    np.testing.assert_allclose(state, x, atol=1e-10)
    if derived:
        np.testing.assert_allclose(derivative, by, atol=1e-10)
