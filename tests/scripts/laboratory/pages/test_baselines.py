import json

import numpy as np

from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import baselines
from tarsus.scripts.library.learning.evaluation import Episode


def stored(folder, name, **about):
    """Write what a checkpoint says of itself, and a policy of zeros."""
    best = folder / name / "best"
    best.mkdir(parents=True)
    about = {"environment": "Hexapod-v0", "options": {"action_mode": "gait"}, "steps": 10} | about
    (best / "run.json").write_text(json.dumps(about))
    layer = {"weight_0": np.zeros((6, 54)), "bias_0": np.zeros(6), "mean": np.zeros(54), "scale": np.ones(54)}
    np.savez(best / "policy.npz", about=json.dumps(about), clip=10.0, activation="tanh", squash=False, **layer)


def test_every_policy_of_an_environment_has_a_row_and_every_seed_an_episode(tmp_path):
    for name in ("walk-fast-0", "walk-fast-3", "other-0"):
        stored(tmp_path, name, environment="Other-v0" if name == "other-0" else "Hexapod-v0")
    rows = baselines.jobs("Hexapod-v0", tmp_path, 5)
    label = "walk-fast, trained (2 seeds, up to 10 steps)"
    assert {"zero", "random", "clock", "PD", label} <= set(rows)
    assert len(rows["clock"]) == 5 and len(rows[label]) == 10


def test_what_was_trained_on_other_ground_has_no_row(tmp_path):
    stored(tmp_path, "leg-0", environment="SlipLeg-v1", options={"observations": ["pitch"]})
    stored(tmp_path, "rough-0", environment="SlipLeg-v1", options={"terrain": "rough"})
    rows = baselines.jobs("SlipLeg-v1", tmp_path, 2)
    assert [name for name in rows if "trained" in name] == ["leg, trained (1 seed, up to 10 steps)"]


def test_the_page_keeps_its_prose(tmp_path, monkeypatch):
    page = tmp_path / "tasks.md"
    begin, end = "<!-- baselines: begin -->", "<!-- baselines: end -->"
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    episode = Episode(100.0, 20.0, 0.25, 0.2, 0.0)
    monkeypatch.setattr(baselines, "run_episode", lambda *args: episode)
    options = ["--env", "Hexapod-v0", "--runs", str(tmp_path), "--seeds", "2"]
    write = ["--write", "--docs", str(tmp_path)]
    assert frame.main(baselines, [*options, *write]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| Hexapod-v0 | clock | 100 | 0.250 ± 0.000 | 0.200 ± 0.000 | 0 of 2 |" in text
    assert f"Made by `tarsus page baselines {' '.join(options)}` on " in text
    page.write_text("no place for tables")
    assert frame.main(baselines, write) == 2 and page.read_text() == "no place for tables"


def test_a_score_is_a_training_seeds_mean_and_the_middle_half_of_them_counts():
    means = np.array([0.0, 1.0, 2.0, 3.0, 100.0])
    returns = (means[:, None] + [-0.5, 0.5]).ravel()
    text = baselines.interquartile(returns, 2)
    middle, low, high = (float(part.strip("()")) for part in text.replace("to", "").split())
    assert middle == 2.0 and 0.0 <= low < 2.0 < high <= 100.0
    assert baselines.interquartile(means, 5).startswith("2 (")  # of a hand-made policy, an episode is a score
    assert baselines.interquartile(np.array([7.0, 7.0]), 2) == "7"
