"""The one command `tarsus`, and pages generated from the code."""

import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.scripts import cli, write_docs
from tarsus.scripts.pages import hexapod_page, hopping_leg_page, quasistatic_page, slip_leg_page, walker_pages


def test_every_script_is_a_subcommand_with_a_summary():
    commands = cli.subcommands()
    assert "run" in commands and "benchmark env" in commands
    for name, path in commands.items():
        assert cli.summary(path).endswith((".", ":")), f"{name}: its docstring begins with one sentence"


def test_the_bare_command_lists_the_subcommands(capsys):
    assert cli.main([]) == 0
    assert "tarsus run" in capsys.readouterr().out


def test_an_unknown_subcommand_is_an_error_that_lists_what_exists(capsys):
    assert cli.main(["fly", "hexapod"]) == 2
    captured = capsys.readouterr()
    assert "no subcommand is called 'fly hexapod'" in captured.err and "tarsus run" in captured.out


def test_generated_pages_are_up_to_date(capsys):
    assert write_docs.main(["--check"]) == 0, "run: tarsus write docs"


DOCUMENTED = (hexapod_page.PAGE, hopping_leg_page.PAGE, slip_leg_page.PAGE, walker_pages.MULTIPOD, walker_pages.BIGANT)


INFO = {page.name: page.all_info for page in DOCUMENTED} | {"MultipodQuasistatic-v0": quasistatic_page.INFO}


@pytest.mark.parametrize("name", INFO)
def test_documented_info_is_what_the_environment_reports(name):
    env = gymnasium.make(name)
    env.reset(seed=0)
    info = env.step(np.zeros(env.action_space.shape))[4]
    keys = {"reward_NAME" if key.startswith("reward_") else key for key in info}
    assert keys == set(INFO[name])


def test_every_environment_in_mujoco_has_a_page():
    assert {page.name for page in DOCUMENTED} == set(tarsus.envs.ENVIRONMENTS)


@pytest.mark.parametrize("name", cli.subcommands())
def test_every_subcommand_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([*name.split(), "--help"])
    assert stop.value.code == 0 and "usage" in capsys.readouterr().out
