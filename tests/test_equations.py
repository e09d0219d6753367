"""Equations become MathML while the site is built, and what cannot be read is refused instead of shown as LaTeX."""

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("latex2mathml", reason="it needs the extra `docs`")
pytest.importorskip("sphinx", reason="it needs the extra `docs`")
DOCS = Path(__file__).parents[1] / "docs"
spec = importlib.util.spec_from_file_location("mathml", DOCS / "mathml.py")
mathml = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mathml)


def test_columns_bars_dots_and_signs_are_set_as_latex_sets_them():
    made = mathml.mathml(r"\begin{aligned} \dot v &= -g \\ \Delta l &= \lvert x\rvert^2 \pm 1 \end{aligned}", "block")
    assert made.count("<mtr>") == 2 and made.count('columnalign="right"') == 2
    assert '<mover accent="true"><mi>v</mi><mo>&#x002D9;</mo></mover>' in made
    assert '<mo>&#x0003D;</mo><mo form="prefix" rspace="0">&#x02212;</mo><mi>g</mi>' in made
    assert '<mi mathvariant="normal">&#x00394;</mi>' in made and "<mo>&#x000B1;</mo>" in made
    assert re.search(r'form="prefix">&#x0007C;</mo><mi>x</mi><mo [^>]*form="postfix">&#x0007C;</mo></mrow><mn>2', made)
    assert 'lspace="0.167em" rspace="0">min</mo>' in mathml.mathml(r"\min x", "inline")


def test_functions_stand_apart_from_what_they_are_not_applied_to_in_brackets():
    thin = '<mspace width="0.167em" />'
    made = mathml.mathml(r"l \sin^2\alpha \cos(\beta) \sin\dot x", "inline")
    alpha, close = "<mi>&#x003B1;</mi>", '<mo stretchy="false">&#x00029;</mo>'
    assert f"<mi>l</mi>{thin}<msup><mi>sin</mi><mn>2</mn></msup>{thin}{alpha}{thin}<mi>cos</mi><mo" in made
    assert f"{close}{thin}<mi>sin</mi>{thin}<mover" in made and made.count(thin) == 5
    assert mathml.mathml(r"\sin(x)", "inline").count("mspace") == 0


@pytest.mark.parametrize("latex", [r"\unknown{x}", "a & b", r"\left( a", "x^", r"\frac"])
def test_what_cannot_be_read_is_refused(latex):
    with pytest.raises(ValueError, match="cannot be read as LaTeX|does not know"):
        mathml.mathml(latex, "block")
