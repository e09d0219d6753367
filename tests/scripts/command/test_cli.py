"""The one command `tarsus`, and pages generated from the code."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.scripts.command import cli
from tarsus.scripts.laboratory.pages import docs as write_docs
from tarsus.scripts.laboratory.pages import environment_page

COMMANDS = cli.commands()


def out_and_err(capsys, line, status):
    """Return what a command line prints, by stream, after a look at its exit status."""
    assert cli.main(line.split()) == status
    return capsys.readouterr()


def test_a_word_that_is_no_text_is_refused_all_the_same(capsys):
    assert cli.main(["evaluate", "zero", "\ud800"]) == 2
    assert "\\ud800" in capsys.readouterr().err


def test_every_command_has_a_verb():
    assert {name.partition(" ")[0] for name in COMMANDS} == set(cli.VERBS)
    assert {"run hopping-leg", "benchmark env", "page docs", "figure zeno_ball", "search gait", "simsect"} <= set(
        COMMANDS
    )


@pytest.mark.parametrize("line", ["", "-h", "--help"])
def test_the_bare_command_shows_the_verbs_in_groups_and_what_to_try_first(capsys, line):
    out = out_and_err(capsys, line, 0).out
    assert [verb for row in out.splitlines() if row.startswith("  ") for verb in [row.split()[0]]] == list(cli.VERBS)
    assert all(f"\n{group}\n" in out for group in cli.GROUPS) and len(out.splitlines()) <= 30
    assert out.splitlines()[2].endswith(cli.FIRST) and cli.FIRST.removeprefix("tarsus ") in COMMANDS


@pytest.mark.parametrize("line", ["page", "page docs --check", "help benchmark", "figure zeno-ball"])
def test_a_verb_of_the_laboratory_says_in_a_wheel_that_it_needs_a_checkout(monkeypatch, tmp_path, capsys, line):
    assert "checkout" not in cli.usage()
    monkeypatch.setattr(cli, "FOLDER", tmp_path)  # as of a wheel, which has no folder `laboratory`
    verb = line.removeprefix("help ").split()[0]
    err = out_and_err(capsys, line, 2).err
    assert err.startswith(f"tarsus {verb}: it is not in the wheel and needs a checkout") and err.count("\n") == 1
    assert cli.usage().count("(needs a checkout)") == 3


@pytest.mark.parametrize("verb", [verb for verb in cli.VERBS if verb not in COMMANDS])
@pytest.mark.parametrize("more", ["", " --help"])
def test_a_verb_alone_lists_its_names(capsys, verb, more):
    out = out_and_err(capsys, verb + more, 0).out.splitlines()
    assert [row.split("  ")[0] for row in out] == [f"tarsus {name}" for name in COMMANDS if name.startswith(f"{verb} ")]


def test_a_prefix_lists_what_starts_with_it(capsys):
    listed = out_and_err(capsys, "figure hexapod", 0).out.splitlines()
    assert len(listed) > 5 and all(row.startswith("tarsus figure hexapod_") for row in listed)
    assert out_and_err(capsys, "ben", 0).out == out_and_err(capsys, "benchmark", 0).out


WRONG = {
    "fly": "there is no command 'fly'; `tarsus` alone lists what there is",
    "serch gait": "there is no command 'serch gait'; did you mean `tarsus search gait`?",
    "run hexapd": "there is no command 'run hexapd'; did you mean `tarsus run hexapod`?",
    "figure zeno_bals --out x": "there is no command 'figure zeno_bals'; did you mean `tarsus figure zeno_ball`?",
    "figure zeno wall": "there is no command 'figure zeno wall'; did you mean `tarsus figure zeno_ball`?",
    "stabilty quad_soft.xml": "there is no command 'stabilty'; did you mean `tarsus stability quad_soft.xml`?",
    "run kennel:Slip3-v0": "`run` has no 'kennel:Slip3-v0'; there are connection-mpc, hexapod, hopping-leg, multipod, "
    "slip-leg, and files of robots (.xml, .urdf)",
    "benchmrk": "there is no command 'benchmrk'; did you mean `tarsus benchmark`?",
    "hopping_leg": "there is no command 'hopping_leg'; did you mean `tarsus run hopping-leg`?",
    "--bogus": "there is no command '--bogus'; `tarsus` alone lists what there is",
    "x" * 500: f"there is no command '{'x' * 500}'; `tarsus` alone lists what there is",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_word_is_one_sentence_with_the_nearest_right_one(capsys, line):
    captured = out_and_err(capsys, line, 2)
    assert captured.out == "" and captured.err == f"tarsus: {WRONG[line]}\n"


def test_help_is_a_verb_too(capsys):
    assert out_and_err(capsys, "help", 0).out == cli.usage() + "\n"
    assert out_and_err(capsys, "help figure", 0).out == out_and_err(capsys, "figure --help", 0).out
    with pytest.raises(SystemExit):
        cli.main(["help", "run", "hopping_leg"])
    assert "usage: tarsus run hopping-leg" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", ["run hopping-leg", "figure zeno_ball", "figure zeno-ball", "figure zeno ball", "run hopping leg"]
)
def test_a_name_of_several_words_is_found_however_they_are_joined(words):
    command, n_words = cli.find([*words.split(), "more"])
    assert command in COMMANDS and n_words == len(words.split())


def test_the_version_is_the_package_s(capsys):
    assert out_and_err(capsys, "--version", 0).out == f"tarsus {tarsus.__version__}\n"


def test_the_list_of_verbs_imports_no_more_than_the_package():
    """`tarsus --help` is to cost what `import tarsus` costs: no command is imported for its line."""
    code = "import sys, tarsus; before = set(sys.modules); from tarsus.scripts.command import cli; cli.main([]); "
    code += "cli.main(['page']); print(*set(sys.modules) - before, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    new = done.stderr.split()
    ours = {f"tarsus.scripts{name}" for name in ("", ".command", ".command.cli")}
    assert len(new) < 10 and {name for name in new if "tarsus" in name} == ours


@pytest.mark.extra
def test_generated_pages_are_up_to_date(capsys):
    assert write_docs.main(["--check"]) == 0, "run: tarsus page docs"


ENVIRONMENTS = [*tarsus.envs.ENVIRONMENTS, *tarsus.envs.SURROGATES]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_documented_info_is_what_the_environment_reports(name):
    env = gymnasium.make(name)
    env.reset(seed=0)
    info = env.step(np.zeros(env.action_space.shape))[4]
    keys = {"reward_NAME" if key.startswith("reward_") else key for key in info}
    assert keys == set(environment_page.info(environment_page.words_of(name, env)))


@pytest.mark.parametrize("name", ["Hexapod-v0", "Multipod-v1", "BigAnt-v1"])
def test_every_action_mode_is_on_the_page(name):
    modes = gymnasium.make(name).unwrapped.task.MODES
    assert len(modes) > 3 and all(f'`"{mode}"`' in environment_page.page(name) for mode in modes)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([*name.split(), "--help"])
    assert stop.value.code == 0 and "usage" in capsys.readouterr().out


def test_a_reader_that_has_had_enough_is_no_error(new_process):
    code = "import sys, os; from tarsus.scripts.command import cli; os.close(1); r, w = os.pipe(); os.close(r); "
    code += "sys.stdout = open(w, 'w'); sys.exit(cli.main(['page']))"
    done = new_process(code)
    assert (done.returncode, done.stderr) == (1, "")
