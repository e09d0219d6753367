"""The pass of derivatives is translated once, and linked with models for any number of directions."""

import ast

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from tarsus.analytic import hybrid as hy  # noqa: E402
from tarsus.analytic.compilation import functions, linking  # noqa: E402
from tarsus.analytic.hybrid import generic_pass, replay  # noqa: E402
from tarsus.analytic.hybrid.derivatives import Derivatives  # noqa: E402
from tarsus.analytic.hybrid.tableau import METHODS  # noqa: E402

pytestmark = pytest.mark.skipif(not functions.is_tried(), reason="this release of numba was not tried")
END = 1.2


def ball(method="dop853", bounce=None):
    """A ball that is dropped and bounces; its speed of impact is kept in the memory."""
    model = hy.Model(
        "ball",
        state={"h": 1.0, "v": 0.0},
        memory={"speed": 0.0},
        params={"g": 9.81, "restitution": 0.5},
        charts=["fly"],
        method=method,
    )

    @model.field("fly")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -p[0]

    @model.guard("fly")
    def hit(t, x, d, p):
        return x[0]

    @model.on("hit")
    def on_hit(t, x, d, p):
        d[0] = -x[1]
        x[0] = 0.0
        x[1] = -p[1] * x[1]
        if bounce is not None:
            bounce(t, x, d)
        return 0

    return model


def derived(wrt, mode="compiled", **how):
    return Derivatives(ball(**how), len(wrt), mode=mode).run(wrt, final_time=END)


def assert_close(a, b):
    for name in ("x_by", "d_by"):
        np.testing.assert_allclose(getattr(a.end, name), getattr(b.end, name), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(a.event_times_by, b.event_times_by, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("method", ["dop853", pytest.param("rodas5p", marks=pytest.mark.extra)])
def test_any_number_of_directions_is_linked_with_one_translation(method, monkeypatch):
    names = ("h", "v", "restitution")
    derived(names, method=method)
    monkeypatch.setattr(generic_pass, "_translated", None)  # not called
    for wrt in (names[:1], names, (*names, "g")):
        made = derived(wrt, method=method)
        assert_close(made, derived(wrt, mode="python", method=method))
    assert made.end.x_by.shape == (2, 4)


def test_one_number_of_directions_serves_the_next_odd_one():
    """Zero is a direction as any other: what is added to fill a block changes nothing."""
    one, two = derived(["h"]), derived(["h", "g"])
    np.testing.assert_array_equal(one.end.x_by[:, 0], two.end.x_by[:, 0])
    sizes = [
        Derivatives(ball(), k, mode=mode).sizes.k for mode in ("compiled", "python") for k in (1, 2, 3, 12, 13, 25)
    ]
    assert sizes == [2, 2, 4, 12, 8, 10, 1, 2, 3, 12, 7, 9]


def test_derivatives_of_one_model_share_their_code():
    one, two, other = (Derivatives(ball(), k)._replay._carry for k in (1, 2, 3))
    assert one is two and one is not other


def test_what_cannot_be_linked_is_compiled_apart_with_the_values_it_had(monkeypatch):
    share = 0.5

    def halves(t, x, d):
        d[0] = share * d[0]

    def refuse():
        raise linking.NotLinked("a function calls itself")

    made = Derivatives(ball(bounce=halves), 1, mode="compiled", jets=False)
    monkeypatch.setattr(made._replay._carry._code, "address", refuse)
    monkeypatch.setattr(replay, "compiled", lambda function, *how: function)  # as it is: it takes half a minute
    monkeypatch.setattr(replay, "intrinsic_plain", lambda: lambda array: array)
    made.sim.run(final_time=END)
    share = 0.25
    run = made.run(["g"], final_time=END)
    share = 0.5
    assert_close(run, derived(["g"], mode="python", bounce=halves))


def test_a_pass_is_named_by_its_source_and_what_it_depends_on(monkeypatch):
    explicit = [generic_pass.pass_key(METHODS[name], reach, True) for name in ("rk23", "dop853") for reach in (1e-4, 1)]
    stiff = [generic_pass.pass_key(METHODS["rodas5p"], *how) for how in ((1e-4, True), (1e-3, True), (1e-4, False))]
    assert len({*explicit}) == 1 and len({*explicit, *stiff}) == 4
    monkeypatch.setattr(generic_pass, "_source", lambda file, source=generic_pass._source: source(file) + "#")
    assert generic_pass.pass_key(METHODS["rk23"], 1e-4, True) != explicit[0]


def test_the_pass_has_for_sizes_the_names_that_are_open():
    """Under another name a size would be what stands for it, and no number."""
    found = {}
    for file in generic_pass.FILES:
        for node in ast.walk(ast.parse(generic_pass._source(file))):
            if isinstance(node, ast.Assign):
                pairs = zip(*(getattr(part, "elts", [part]) for part in (node.targets[0], node.value)), strict=False)
                found |= {ast.unparse(a): b.attr for a, b in pairs if ast.unparse(b).startswith("s.")}
    assert found == generic_pass.SIZES
