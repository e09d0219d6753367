"""Which environment a policy is played in: a file names those that there are, a person any module's."""

import json
import sys

import gymnasium
import numpy as np
import pytest

from tarsus.scripts.command.verbs import certify, evaluate, export
from tarsus.scripts.library.learning import environments, playing, policies

ROBOT = """
import pathlib
from tarsus.envs import own_robot
from tarsus.mjcf import own_robot as models
pathlib.Path("imported").touch()
own_robot.register("Hound-v0", models.EXAMPLE, ("FL", "FR", "RL", "RR"), baseline=None, max_episode_steps=5)
"""
POLICY = policies.SHIPPED / "hexapod-gait-0"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a module that registers a robot, and notes that it was imported."""
    (tmp_path / "kennel.py").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("kennel", None)
    gymnasium.registry.pop("Hound-v0", None)


def stored(folder, environment, observed=None):
    """Write a policy that names an environment, observing as many numbers as that has."""
    with np.load(POLICY / "policy.npz") as there:
        arrays = dict(there)
    about = json.loads(str(arrays["about"])) | {"environment": environment}
    if observed:
        about["options"] = {}
        arrays |= {"mean": np.zeros(observed), "scale": np.ones(observed), "weight_0": np.zeros((64, observed))}
        arrays |= {"weight_2": np.zeros((12, 64)), "bias_2": np.zeros(12)}
    folder.mkdir(exist_ok=True)
    np.savez(folder / "policy.npz", **arrays | {"about": json.dumps(about)})
    (folder / "run.json").write_text(json.dumps(about))
    return str(folder)


@pytest.mark.parametrize("verb", [evaluate, certify, export])
@pytest.mark.parametrize("name", ["kennel:Hound-v0", "kennel:Hexapod-v0", "CartPole-v1", "Hound-v0"])
def test_a_stored_policy_imports_nothing(here, capsys, verb, name):
    path = stored(here / "mine", name)
    assert verb.main([path]) == 2
    err = capsys.readouterr().err
    assert (
        f"of the stored policy, where --env names no other: unknown environment {name!r}; there are Hexapod-v0" in err
    )
    assert err.count("\n") == 1 and "kennel" not in sys.modules and not (here / "imported").exists()


def test_what_a_person_names_is_imported_and_may_be_what_the_policy_names(here, capsys):
    env = gymnasium.make(environments.asked_for("kennel:Hound-v0"))
    assert (here / "imported").exists()
    n = env.observation_space.shape[0]
    for name in ("kennel:Hound-v0", "Hound-v0"):
        path = stored(here / "mine", name, observed=n)
        assert evaluate.main([path, "--env", "kennel:Hound-v0", "--seeds", "1"]) == 0
        assert export.main([path, "--env", "kennel:Hound-v0", "--force"]) == 0
    assert playing.steps_of(env) == 5
    capsys.readouterr()
    assert evaluate.main([path, "--env", "BigAnt-v1"]) == 2
    assert "environment was 'Hound-v0', asked for is 'BigAnt-v1'" in capsys.readouterr().err


def test_a_module_that_is_not_there_or_fails_is_said(here):
    (here / "broken.py").write_text("1 / 0")
    for name, why in (("nowhere:A-v0", "No module named 'nowhere'"), ("broken:A-v0", "ZeroDivisionError")):
        with pytest.raises(ValueError, match=f"there is no environment '{name}': .*{why}"):
            environments.asked_for(name)
    with pytest.raises(ValueError, match="unknown environment 'Cat-v0'; there are .*Hound-v0"):
        environments.asked_for("kennel:Cat-v0")
    assert environments.asked_for("tarsus:Hexapod-v0") == "Hexapod-v0"
