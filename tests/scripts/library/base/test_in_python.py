"""What the package's functions refuse speaks of arguments, and what its commands refuse of options."""

import re

import pytest

import tarsus
from tarsus.scripts.command import cli
from tarsus.scripts.library.base.in_python import words

REFUSED = [
    ("run", ("hexapod", "exakt"), {}, "^unknown engine 'exakt'; there are mujoco, exact; did you mean exact\\?$"),
    ("run", ("multipod", "exact"), {}, "^unknown engine 'exact'; there are mujoco$"),
    ("run", ("hexapod",), {"seconds": "long"}, "^hexapod: seconds must be a number, got 'long'$"),
    ("run", ("hexapod",), {"params": {"mass": "heavy"}}, "^params takes numbers, got 'mass=heavy'"),
    ("run", ("hexapod",), {"robot": "rhx"}, "^hexapod: unknown robot 'rhx'; there are table2, rhex, .*mean rhex\\?$"),
    ("crossvalidate", ("slip_leg",), {"seconds": 0.001}, "^seconds must be finite and at least 0.01, got 0.001$"),
    (
        "evaluate",
        ("zero",),
        {"options": {"render_mode": "human"}},
        "^option render_mode .*`tarsus evaluate --video` films",
    ),
    ("certify", ("zero",), {"options": {"preset": "rl"}}, "^option preset is set by the settings"),
    ("train", (), {"steps": 10}, "^takes a run or environment NAME; runs are hexapod, "),
    (
        "stability",
        ("clok",),
        {},
        "^unknown policy 'clok'; `tarsus evaluate` alone lists the names; did you mean clock\\?$",
    ),
]


@pytest.mark.parametrize(("name", "given", "keywords", "message"), REFUSED)
def test_a_function_that_refuses_speaks_of_arguments(name, given, keywords, message):
    with pytest.raises(ValueError, match=message) as refused:
        getattr(tarsus, name)(*given, **keywords)
    assert not re.search("--[a-z]", re.sub("`[^`]*`", "", str(refused.value)))


@pytest.mark.parametrize("name", ["crossvalidate", "certify", "evaluate", "stability", "run"])
def test_an_argument_that_is_none_has_its_nearest_named(name):
    with pytest.raises(
        (TypeError, ValueError), match="(no option|argument) 'optoins|secnods'; .*did you mean (options|seconds)"
    ):
        getattr(tarsus, name)("slip_leg", **{"secnods" if name in ("run", "crossvalidate") else "optoins": 1})


def test_a_command_speaks_of_options(capsys):
    assert cli.main(["crossvalidate", "slip-leg", "--seconds", "0.001"]) == 2
    assert "--seconds must be finite and at least 0.01" in capsys.readouterr().err


def test_commands_in_backticks_and_dashes_are_left_alone():
    assert words("--num-envs 3 needs `tarsus train --env X`, a--b and --env") == (
        "num_envs 3 needs `tarsus train --env X`, a--b and environment"
    )


def test_a_word_that_argparse_refuses_is_refused_as_others_are():
    assert words("dog.xml: forward: invalid choice: 'z' (choose from 'x', 'y'); did you mean y?") == (
        "dog.xml: unknown forward 'z'; there are x, y; did you mean y?"
    )
    assert words("slip_leg: --erratum: invalid choice: 5 (choose from 1, 2)") == (
        "slip_leg: unknown erratum 5; there are 1, 2"
    )
