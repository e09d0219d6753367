"""Generated parts of the documentation say which version of the code made them, and that is this one."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
PART = re.compile(r"<!-- (\S+): begin -->(.*?)<!-- \1: end -->", re.DOTALL)
STAMP = re.compile(r"(?:Made by `[^`]*` on [\d-]* with|made with) tarsus (\d+\.\d+\.\d+)")


def test_what_was_generated_was_made_by_this_version():
    """A stamp outside the parts would be one that somebody typed."""
    found = {}
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for name, part in PART.findall(text):
            for version in STAMP.findall(part):
                found[page.name, name] = version
        assert not STAMP.findall(PART.sub("", text)), page.name
    assert not {key: version for key, version in found.items() if version != VERSION}
    assert len(found) > 20
