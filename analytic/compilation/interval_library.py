"""The rules of intervals as a library that numba links with what calls them: translated once for all, kept as bitcode.

Rules are functions of floats, given and made as bounds one behind the other (`interval_rules`). Of a function of a
model there are rules for its value, for its derivative by each mixture of intervals and numbers, and, where bounds may
not decide, for the question that it asks: a hundred, of which a model uses twenty.
"""

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding as llvm
from numba.core import types
from numba.core.registry import cpu_target

from . import interval_rules
from .functions import INNER, inner
from .interval_rules import CHOICES, ONE, QUESTIONS, RULES
from .machine_code import circumstances
from .rebuild import rebuild

PARTS = ("arithmetic", "elementary", "questions", "rules", "slopes", "library")
FILES = (*(f"interval_{part}.py" for part in PARTS), "linking.py")
OURS = "tarsus_rule_"  # begins as `linking.OURS` does


class IntervalRule(NamedTuple):
    """A rule, how many floats it is given, and how many it makes."""

    function: Callable
    given: int
    made: int


def value_name(function: Callable) -> str:
    """Return the name of the rule of a function's value."""
    return f"value_{RULES[function][0].__name__}"


def jet_name(function: Callable, which: str) -> str:
    """Return the name of the rule of a function's value and derivative; `which` as in `interval_rules.jet_rule`."""
    return f"jet_{RULES[function][0].__name__}_{which}"


def question_name(function: Callable) -> str:
    """Return the name of the rule of a question."""
    return f"question_{QUESTIONS[function].__name__}"


def all_rules() -> dict[str, IntervalRule]:
    """Return the rules by name."""
    found = {}
    for function in RULES:
        n = 1 if function in ONE else 2
        found[value_name(function)] = IntervalRule(interval_rules.value_rule(function), 2 * n, 2)
        for which in ("i",) if n == 1 else ("ii",) if function in CHOICES else ("ii", "if", "fi"):
            given = sum(4 if of == "i" else 2 for of in which)
            found[jet_name(function, which)] = IntervalRule(interval_rules.jet_rule(function, which), given, 4)
    for function, rule in QUESTIONS.items():
        found[question_name(function)] = IntervalRule(rule, 2 * (rule.__code__.co_argcount // 2), 3)
    return found


_DONE: dict[int, Callable] = {}  # rules with the helpers that they call compiled, by `id`


def with_helpers(rule: Callable) -> Callable:
    """Return a rule that calls compiled helpers."""
    return rebuild(rule, lambda part: inner(part, **INNER), {}, _DONE, interval_rules.__name__, frozen=True).py_func


@functools.cache
def library() -> Any:
    """Return the library, a `together.Part`, of functions by the names that `symbol` returns."""
    from .linked_code import bitcode
    from .together import Part

    sources = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in FILES]
    key = hashlib.sha256(repr((sources, INNER, circumstances())).encode()).hexdigest()[:20]
    made = Part(cpu_target.target_context.codegen(), "tarsus_rules")
    made._final_module = llvm.parse_bitcode(bitcode("rules", key, _translated))
    made.finalize()
    return made


def symbol(name: str) -> str:
    """Return the symbol of a rule in the library."""
    return f"{OURS}{name}"


def signature(given: int, made: int) -> types.Type:
    """Return the signature of a rule."""
    return types.UniTuple(types.float64, made)(*[types.float64] * given)


def _translated() -> llvm.ModuleRef:
    from .linking import translated

    return translated(
        {symbol(name): (with_helpers(of.function), signature(of.given, of.made)) for name, of in all_rules().items()}
    )
