"""What the README shows first, and its badges say what is tested; its code is run in test_documented_code.py."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_first_command_is_on_the_first_screen():
    before = README.partition("```sh")[0].splitlines()
    assert len(before) <= 15 and all(len(line) <= 140 for line in before) and "![A " not in "".join(before)


def bounds(name: str) -> tuple[str, str]:
    """Return the oldest release of a package that is allowed and the newest that was measured with, as major.minor."""
    oldest = next(line for line in PROJECT["dependencies"] if line.startswith(f"{name}>="))
    newest = re.search(rf"^{name}==([\d.]+)$", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE)[1]
    return re.match(r"(\d+\.\d+)", oldest.removeprefix(f"{name}>="))[1], re.match(r"\d+\.\d+", newest)[0]


def test_badges_say_what_is_tested():
    badges = dict(
        re.findall(r"^!\[[^]]*\]\(https://img\.shields\.io/badge/(\w+)-(.+)-blue\)$", README, flags=re.MULTILINE)
    )
    assert len(badges) == README.count("img.shields.io") == 4
    pythons = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    assert badges["Python"] == f"{pythons[0]}_to_{pythons[-1]}"
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    assert badges["licence"].replace("--", "-") == PROJECT["license"]
    for name in ("MuJoCo", "Gymnasium"):
        assert badges[name] == "_to_".join(dict.fromkeys(bounds(name.lower())))
