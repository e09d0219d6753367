"""Options read from a signature: types, defaults and help are the function's, and what it cannot take is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import pytest

from tarsus.scripts.command import arguments, signature


def walk(
    machine: str,
    speed: float = 0.5,
    steps: int = 3,
    preset: Literal["fast", "exact"] = "fast",
    order: Literal[4, 8] = 8,
    quiet: bool = False,
    film: bool = True,
    out: Path | None = None,
    slopes: tuple[float, ...] = (0.0, 0.1),
    push: tuple[float, float] = (0.0, 0.0),
    names: Sequence[str] = (),
    rate: float | Literal["auto"] = "auto",
    seconds: Annotated[float, arguments.seconds] = 2.0,
    from_: signature.Seed = 0,
    jobs: signature.Jobs = -1,
    style: Annotated[Literal["plain", "rich"], "of what is printed"] = "rich",
    **more: float,
) -> None:
    """Walk.

    Args:
        machine: Which one.
        speed: Forward,
            at 100 % of the load [m/s].
        film: Not one of it.

    Returns:
        steps: Not a parameter's line.
    """


def parsed(line: str, function=walk, skip=()) -> dict:
    parser = arguments.Parser(prog="walk")
    signature.add_options(parser, function, skip)
    return signature.keywords(parser.parse_args(line.split()), function, skip)


DEFAULTS = dict(machine="ant", speed=0.5, steps=3, preset="fast", order=8, quiet=False, film=True, out=None, jobs=-1)
DEFAULTS |= dict(slopes=(0.0, 0.1), push=(0.0, 0.0), names=(), rate="auto", seconds=2.0, from_=0, style="rich")


def test_what_is_not_given_is_the_default():
    assert parsed("ant") == DEFAULTS


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("--speed -1.5", "speed", -1.5),
        ("--steps -2", "steps", -2),
        ("--preset exact", "preset", "exact"),
        ("--order 4", "order", 4),
        ("--quiet", "quiet", True),
        ("--no-film", "film", False),
        ("--out a/b", "out", Path("a/b")),
        ("--slopes 1 2 3", "slopes", (1.0, 2.0, 3.0)),
        ("--push 1 2", "push", (1.0, 2.0)),
        ("--names a b", "names", ("a", "b")),
        ("--rate 3", "rate", 3.0),
        ("--rate auto", "rate", "auto"),
        ("--from 7", "from_", 7),
        ("--jobs 2", "jobs", 2),
        ("--style plain", "style", "plain"),
    ],
)
def test_a_word_becomes_what_the_parameter_takes(words, name, value):
    made = parsed(f"ant {words}")
    assert made == DEFAULTS | {name: value} and type(made[name]) is type(value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--speed nan", "walk: --speed must be finite and at least -1e+09, got nan"),
        ("--steps 2.5", "walk: --steps must be a whole number, got '2.5'"),
        ("--preset slow", "invalid choice: 'slow'"),
        ("--style plane", "invalid choice: 'plane'"),
        ("--order 5", "invalid choice: '5'"),
        ("--push 1", "expected 2 arguments"),
        ("--seconds 0", "walk: --seconds must be positive and finite, got 0"),
        ("--rate fast", "walk: --rate must be a number or one of auto, got 'fast'"),
        ("--jobs 0", "walk: --jobs must be a number of processes"),
        ("--fly 1", "unrecognized arguments: --fly"),
    ],
)
def test_what_it_cannot_take_is_refused_in_a_sentence(words, sentence):
    with pytest.raises(arguments.Refusal) as refusal:
        parsed(f"ant {words}")
    assert sentence in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_parameter_without_a_default_must_be_given():
    with pytest.raises(arguments.Refusal, match="required: MACHINE"):
        parsed("--jobs 1")


def test_the_help_is_the_docstring_s_with_the_default():
    parser = arguments.Parser(prog="walk")
    signature.add_options(parser, walk)
    text = " ".join(parser.format_help().split())
    assert "Forward, at 100 % of the load [m/s] (default: 0.5)" in text and "Which one" in text
    assert "--style {plain,rich} of what is printed (default: rich)" in text
    assert "--jobs JOBS processes; -1 takes every core (default: -1)" in text and "--from FROM" in text
    assert "(default: 0 0.1)" in text and "Not one of it" in text and "a parameter's line" not in text


@dataclass
class Gait:
    """A gait.

    Attributes:
        period: Of a stride [s].
    """

    period: float = 0.5
    legs: tuple[int, ...] = field(default_factory=lambda: (1, 2))


def test_fields_of_a_dataclass_are_options():
    assert Gait(**parsed("--period 0.7", Gait)) == Gait(0.7)
    assert parsed("--period 0.7", Gait, skip=["legs"]) == {"period": 0.7}
    assert signature.descriptions(Gait) == {"period": "Of a stride [s]"}


def bad_dictionary(where: dict = {}) -> None:  # noqa: B006
    """Take what cannot be said."""


def bad_flag(where: bool | None = None) -> None:
    """Take what cannot be said."""


def bad_table(where: tuple[tuple[float, float], ...] = ()) -> None:
    """Take what cannot be said."""


@pytest.mark.parametrize("function", [bad_dictionary, bad_flag, bad_table])
def test_a_type_that_no_text_can_be_read_as_is_the_programmer_s_mistake(function):
    with pytest.raises(TypeError, match="where: no option can have the type"):
        parsed("", function)


def test_a_flag_has_words_of_its_own(capsys):
    def walk(loud: Annotated[bool, "make a noise"] = False) -> None:
        """Walk."""

    assert parsed("--loud", walk) == {"loud": True} and parsed("", walk) == {"loud": False}
    with pytest.raises(SystemExit):
        parsed("--help", walk)
    assert "--loud      make a noise" in capsys.readouterr().out
