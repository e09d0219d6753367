"""Numbers of the README and of paper.md are those of the pages that they come from, and none is without a source."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from tarsus.scripts.laboratory.pages import contact_suite
from tarsus.scripts.suite import case, score

ROOT = Path(__file__).parents[1]
COULOMB = "Coulomb over viscous, hexapod, support included"


@cache
def text(path: str) -> str:
    """Return a file's text in one line, as its sentences may be broken anywhere."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


@cache
def tables(page: str, part: str = "") -> list[list[str]]:
    """Return the cells of all rows of the tables in a page of the documentation, or in one of its generated parts."""
    whole = (ROOT / "docs" / page).read_text(encoding="utf-8")
    if part:
        whole = whole.split(f"<!-- {part}: begin -->")[1].split(f"<!-- {part}: end -->")[0]
    return [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in whole.splitlines() if line[:1] == "|"]


def row(page: str, *first: str, part: str = "") -> list[str]:
    """Return the row that begins with these cells; there is one."""
    (found,) = (cells for cells in tables(page, part) if tuple(cells[: len(first)]) == first)
    return found


def found(page: str, pattern: str) -> list[float]:
    """Return the numbers in the groups of a pattern that a page has once."""
    (match,) = re.finditer(pattern, text(f"docs/{page}"))
    return [float(group) for group in match.groups()]


def number(cell: str) -> float:
    """Return the first number of a cell."""
    return float(re.search(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", cell).group().replace(",", ""))


def two_digits(value: float) -> str:
    """Return a number rounded to two digits."""
    return f"{float(f'{value:.1e}'):,.0f}" if value >= 10 else f"{value:.2g}"


def walk_differences() -> tuple[str, str, str]:
    """Return by how much the engines' default walks differ: speed [%], height [mm], events [ms]."""
    ratio = number(row("crossvalidation.md", "mean speed, MuJoCo over exact", part="walk")[-1])
    height = number(row("crossvalidation.md", "height [mm]", part="walk")[-1])
    at = [cells for cells in tables("crossvalidation.md", "walk") if cells[0].isdigit() and "(" in cells[2]]
    assert len(at) == 6 and all(cells[4:] == ["0", "0"] for cells in at), "an event is missing in one engine"
    late = max(abs(number(cell.split("(")[1])) for cells in at for cell in cells[2:4])
    return f"{100 * abs(1 - ratio):.2f}", f"{height:.2f}", f"{late:.2f}"


def verdicts() -> tuple[str, str]:
    """Return how many gaits the verdict is the same for, and of how many."""
    share, cells = found("crossvalidation.md", r"agree in \*\*([\d.]+) %\*\* of (\d+) cells")
    return f"{share / 100 * cells:.0f}", f"{cells:.0f}"


def rhex() -> str:
    """Return the speed of RHex's own gait at setting 2 [m/s], the same in both engines."""
    speeds = {f"{number(row('robot.md', '2', engine)[2]):.2f}" for engine in ("exact", "MuJoCo")}
    (speed,) = speeds
    return speed


def trained() -> dict[str, str]:
    """Return what the trained policies reach beside the clock's walk and the fastest gait of the search."""
    policy, dash = (
        row("policies.md", "hexapod-gait (5 seeds)", part="policies"),
        row("policies.md", "dash", part="policies"),
    )
    walk = number(row("policies.md", "walk", part="policies")[3])
    at_1 = [re.match(r"(\d+) of (\d+)", cells[6]).groups() for cells in (policy, dash)]
    return {"speed": f"{number(policy[3]):.1f}", "times": f"{number(policy[3]) / walk:.0f}",
            "survived": " of ".join(at_1[0]), "dash": " of ".join(at_1[1])}  # fmt: skip


def scored(task: str, entrant: str) -> str:
    """Return the score of an entrant in a frozen task, to two digits."""
    return f"{number(row('tasks.md', f'tarsus/{task}-v0', entrant, part='tasks')[2]):.2f}"


def exact_hexapod(method: str) -> str:
    """Return how much faster than real time the exact hexapod walks."""
    cells = [cells for cells in tables("hexapod.md") if len(cells) == 9]
    of_walk = cells[next(i for i, line in enumerate(cells) if line[0].startswith("walk")) :]
    return f"{number(next(line for line in of_walk if line[1:3] == [method, '1e-6'])[3]):.0f}"


def scipy_over_ours() -> str:
    """Return how many times as long the fastest of SciPy's methods takes for SLIP."""
    lines = re.findall(r"^ +scipy \w+ +[\d.]+ +([\d.]+)", (ROOT / "docs/benchmarks.md").read_text(), flags=re.MULTILINE)
    assert len(lines) == 3
    return two_digits(min(map(float, lines)))


def solver() -> str:
    """Return the time of a frame of six feet [us]."""
    return row("benchmarks.md", "hexapod, support and viscous, batch of 1e5")[1].split()[0]


def laws() -> tuple[str, str]:
    """Return the time of a frame of six feet under viscous friction and under Coulomb's law [us], to one digit."""
    ratios = re.search(r"x([\d.]+) to ([\d.]+) at 1e-6", row("benchmarks.md", COULOMB)[1]).groups()
    (coulomb,) = {f"{float(solver()) * float(ratio):.0f}" for ratio in ratios}
    return f"{float(solver()):.1f}", coulomb


def surrogate() -> str:
    """Return how many times the surrogate's steps are those of `Multipod-v1`."""
    cells = row("sliding_test.md", "6 legs")
    return two_digits(number(cells[1]) / number(cells[3]))


def sliding() -> str:
    """Return the bound [%] within which Coulomb's law gives MuJoCo's speed on gaits of six legs and more, to 0.6 Hz."""
    rows = [cells for cells in tables("sliding_test.md", "tables") if len(cells) == 8]
    gaits = [cells for cells in rows if " to " in cells[1] and cells[4].endswith(" %")]
    faster = [cells for cells in rows if cells[1] == "coulomb" and "quadruped" not in cells[0]]
    assert rows[0][4] == "Coulomb" and len(gaits) == 8 and len(faster) == 3
    assert ["0.15 Hz", "0.3 Hz", "0.6 Hz"] in [cells[2:5] for cells in rows]
    off = [number(cells[4]) for cells in gaits] + [number(cell) for cells in faster for cell in cells[2:5]]
    assert 5 < max(map(abs, off)) <= 10
    return "10"


def suite() -> dict[str, str]:
    """Return what the best setting of each engine passes of the contact suite."""
    known = {name: case.load(name) for name in case.ids()}
    best = {}
    for made in contact_suite.read(contact_suite.RESULTS):
        setting = contact_suite.best_setting(made, known)
        best[made["name"]] = score.passed(made["results"][setting].values())
    return {"cases": str(len(known)), "best": ", ".join(f"{name} {best[name]}" for name in sorted(best))}


def doubling() -> tuple[str, str]:
    """Return the slope at which the simplest walker's gait doubles, found and published."""
    cells = next(cells for cells in tables("reproduction.md") if len(cells) == 4 and cells[1] == "period doubling")
    return "0" + cells[3].split(";")[0], "0" + cells[2]


def certified() -> list[int]:
    """Return how many policies have a verdict, hold, and lean on the simulator, of all tables together."""
    page = text("docs/policies.md")
    words = r"Of (\d+) policies:", r"Of \d+ policies: (\d+) holds", r"(\d+) leans on the simulator\."
    return [sum(map(int, re.findall(word, page))) for word in words]


def on_gpu() -> tuple[str, str]:
    """Return control steps a second of 16,384 hexapods on a GPU, and the speed [m/s] of what was trained there."""
    steps = next(cells[2] for cells in tables("benchmarks.md", "throughput") if cells[:2] == ["flat", "16,384"])
    speed = next(cells[2] for cells in tables("benchmarks.md", "throughput") if cells[0] == "MuJoCo")
    return f"{round(number(steps.partition(' ')[0].replace(',', '')), -3):,.0f}", f"{float(speed):.2f}"


def readme() -> list[str]:
    """Return the README's sentences with numbers that were measured."""
    speed, height, _ = walk_differences()
    learned = trained()
    return [
        f"{speed} % in speed, {height} mm in height",
        "| {} of {} |".format(*verdicts()),
        f"| {walk_speed()} m/s |",
        f"| {rhex()} m/s |",
        f"{learned['speed']} m/s, {learned['times']} times the walk's; {learned['survived']} pushes "
        f"of 1 m/s are survived, {learned['dash']} by the fastest open-loop gait",
        f"| {scored('HexapodFollow', 'hexapod-commanded')} |",
        f"{exact_hexapod('rodas5p')} times faster than real time; {exact_hexapod('dop853')} without",
        f"{scipy_over_ours()} times faster than SciPy",
        f"{solver()} microseconds a frame",
        suite()["best"],
        "{} control steps a second on an H100, a policy of {} m/s".format(*on_gpu()),
        f"within {sliding()} % of MuJoCo's, by Coulomb's law",
        f"is {surrogate()} times as fast",
        "in {} microseconds under viscous friction, {} under Coulomb's".format(*laws()),
    ]


def walk_speed() -> str:
    """Return the speed of the default gait in `reference` [m/s]."""
    gaits = [cells for cells in tables("crossvalidation.md", "presets") if cells[0] == "t_c 1 s, phi_s 0.75 rad"]
    return f"{number(gaits[0][1]):.3f}"


def paper() -> list[str]:
    """Return the paper's sentences with numbers that were measured."""
    speed, height, late = walk_differences()
    (apart,) = found("crossvalidation.md", r"mean speeds differ by [\d.]+ % in the median and ([\d.]+) % at most")
    of, _, leaning = certified()
    disagreeing = "leans on the simulator by the exact engine ("
    alone = ["none", "one", "two", "three"][text("docs/policies.md").count(disagreeing)]
    return [
        f"{scipy_over_ours()} times faster than SciPy's fastest method",
        f"runs {exact_hexapod('rodas5p')} times faster than real time",
        f"in {solver()} microseconds a frame for six feet",
        f"differ by {speed} % and the heights of the body by {height} mm",
        f"is more than {late} ms apart",
        "On a grid of {1} gaits the engines agree for {0} whether".format(*verdicts()),
        f"differ by at most {apart} %",
        f"both engines give {rhex()} m/s",
        "at a slope of {}, where {} is published".format(*doubling()),
        f"within {sliding()} % on every gait of six legs or more up to 0.6 Hz",
        f"{suite()['cases']} cases",
        f"{suite()['best']} (",
        f"Of {of} policies and controllers that come with the package, {leaning} lose more",
        f"{alone} of them in the exact engine alone",
    ]


# Numbers that nobody measures: of the machines, and what others have published.
GIVEN = {
    "README.md": ["preset `reference`", "speed setting 2", "ran at 0.55 m/s", "4 to 50 legs", "to 0.6 Hz"],
    "paper.md": ["speed setting 2", "ran at 0.55 m/s", "chains of 4 to 50 legs"],
}
SENTENCES = {"README.md": readme, "paper.md": paper}


@pytest.mark.parametrize("path", SENTENCES)
def test_numbers_are_those_of_their_pages(path):
    whole = text(path)
    assert not [sentence for sentence in SENTENCES[path]() + GIVEN[path] if sentence not in whole]


@pytest.mark.parametrize("path", SENTENCES)
def test_no_number_is_without_a_source(path):
    whole = (ROOT / path).read_text(encoding="utf-8")
    whole = whole.split("---", 2)[2] if path == "paper.md" else whole.split("## Numbers")[1].split("## Folders")[0]
    whole = " ".join(re.sub(r"\[@[^]]+\]|`[^`]*`|\]\([^)]*\)", "", whole).split())
    for sentence in SENTENCES[path]() + GIVEN[path]:
        whole = whole.replace(" ".join(re.sub(r"`[^`]*`", "", sentence).split()), "")
    assert not re.findall(r".{20}\d.{20}", whole)


def test_the_guide_repeats_the_numbers_of_the_evidence():
    rows = [cells for cells in tables("learning.md") if cells[0].startswith("`") and len(cells) == 4]
    ppo = [cells for cells in rows if " to " in cells[2]]
    assert len(ppo) == 5
    for name, zero, speed, total in ppo:
        name = name.strip("`")
        assert row("policies.md", name, "zero action", part="learned")[3] == zero
        assert row("policies.md", name, "PPO, simulations: 4, steps: 262,144", part="learned")[3:5] == [speed, total]
    assert found("trust.md", r"Of (\d+) policies .{0,60}?(\d+) hold and (\d+) lean") == certified()
    wrong = re.findall(
        r"\| (\d+) of ([\d,]+)(?= \|)", text("docs/benchmarks.md").split("### Guards that hide")[1].split("###")[0]
    )
    assert {errors for errors, _ in wrong} == {"0"}
    (millions,) = found("hybrid.md", r"In (\d+) million events")
    assert millions == sum(int(events.replace(",", "")) for _, events in wrong) // 1_000_000


# Least speed [m/s] and return, and least return over that of the baseline with its tempo held at 1, of each training by
# 262,144 steps in eight simulations.
LEARNED = {
    "Hexapod-v0": (0.40, 1.3 * 1029, 0.0),
    "HoppingLeg-v1": (1.4, 1300, 0.98),
    "SlipLeg-v1": (2.75, 1080, 1.05),
    "Multipod-v1": (0.14, 1500, 1.4),
    "BigAnt-v1": (0.055, 1500, 1.2),
    "MultipodQuasistatic-v1": (0.13, 1400, 1.2),
}


@pytest.mark.parametrize("name", LEARNED)
def test_every_training_by_plain_ppo_reached_what_the_page_says(name):
    stored = json.loads((ROOT / "docs" / "data" / "learning" / f"{name}.json").read_text(encoding="utf-8"))
    played = {n: [stored["trained"][f"{n} {seed}"][-1] for seed in range(5)] for n in (4, 8, 16)}
    assert not any(falls for rows in played.values() for *_, falls in rows)
    bar = stored["bars"].get("tempo at 1", [0, 0.0, 0.0])[2]
    assert min(reward for _, _, reward, _ in played[4]) > bar
    _, speed, reward, _ = zip(*played[8], strict=True)
    least, paid, over = LEARNED[name]
    assert min(speed) >= least and min(reward) >= paid
    assert min(reward) >= over * bar
