"""What goes wrong unseen in the repository: links, pages of another version, releases and wheels that disagree."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|mailto:|project:)([^()\s]+)\)")
PART = re.compile(r"<!-- (\S+): begin -->(.*?)<!-- \1: end -->", re.DOTALL)
STAMP = re.compile(r"(?:Made by `[^`]*` on [\d-]* with|made with) tarsus (\d+\.\d+\.\d+)")
PARTS = re.compile(
    r"^:caption: ([^\n]*)\n:hidden:\n\n(.*?)^```", flags=re.DOTALL | re.MULTILINE
)  # of the site's navigation
QUESTIONS = ("presets", "contact_doctor", "own_model", "own_terrain", "sliding_feet", "results")  # a page answers each
FOLDERS = ("analytic", "mjcf", "controllers", "envs", "scripts")
LEFT_OUT = ("scripts/laboratory", "scripts/suite/making")  # serve the repository, and are in no wheel
CONDA = {"matplotlib": "matplotlib-base", "imageio[ffmpeg]": "imageio", "mujoco": "mujoco-python"}  # names there


def text(name: str | Path) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Return the names of a page's headings as MyST and GitHub make them."""
    headings = re.findall(r"^#{1,4} +(.*?) *$", re.sub(r"^```.*?^```", "", text(page), flags=re.DOTALL | re.MULTILINE),
                          flags=re.MULTILINE)  # fmt: skip
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_a_page_lead_somewhere(page):
    lost = []
    for target in LINK.findall(CODE.sub("", text(page))):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            lost.append(target)
    assert not lost


def test_the_guide_stays_short_and_a_question_has_a_page():
    parts = {caption: re.findall("<(.*)>", names) for caption, names in PARTS.findall(text("docs/index.md"))}
    apart = {name for caption in ("Reference", "Evidence", "Contributors") for name in parts[caption]}
    words = {name: len(text(f"docs/{name}.md").split()) for names in parts.values() for name in names}
    guide = {name: count for name, count in words.items() if name not in apart}
    assert sum(guide.values()) <= 30_000, guide
    assert {*QUESTIONS} <= {*guide} and not {name: words[name] for name in QUESTIONS if words[name] > 600}
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"} == {
        name for name in words if "/" not in name
    }


def test_what_is_cited_in_the_paper_has_an_entry():
    cited = {key for group in re.findall(r"\[(@[^]]+)\]", text("paper.md")) for key in re.findall(r"@(\w+)", group)}
    assert cited and cited <= set(re.findall(r"^@\w+\{(\w+),", text("paper.bib"), flags=re.MULTILINE))


def test_the_numbers_of_pages_were_made_by_this_version():
    made = {(page.name, name): STAMP.findall(part) for page in PAGES for name, part in PART.findall(text(page))}
    assert any(made.values())
    assert not {where for where, versions in made.items() if set(versions) - {PROJECT["project"]["version"]}}


def test_a_release_has_one_number_one_day_and_the_same_requirements_everywhere():
    version, recipe = PROJECT["project"]["version"], text("conda/recipe.yaml")
    newest, day = re.search(r"## \[(\d[^]]*)\] - (\S+)", text("CHANGELOG.md")).groups()
    assert newest == version and f'"{version}"' in recipe
    assert {f"version: {version}", f"date-released: {day}"} <= set(text("CITATION.cff").splitlines())
    assert f"  version = {{{version}}}\n" in text("README.md") and f"  year = {{{day[:4]}}}" in text("README.md")
    for requirement in PROJECT["project"]["dependencies"]:
        name, bounds = re.fullmatch(r"([\w-]+(?:\[\w+\])?)(.*)", requirement).groups()
        assert f"    - {CONDA.get(name, name)} {bounds}\n" in recipe
    pythons = [line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if " :: 3." in line]
    badges = dict(re.findall(r"badge/(\w+)-([\d._to]+)-", text("README.md")))
    assert badges.pop("Python") == f"{pythons[0]}_to_{pythons[-1]}" and {*badges} == {"MuJoCo", "Gymnasium"}
    for name, said in badges.items():  # the oldest that is allowed, the newest that was measured with
        oldest = next(line for line in PROJECT["project"]["dependencies"] if line.startswith(f"{name.lower()}>="))
        newest = re.search(rf"^{name.lower()}==([\d.]+)$", text("constraints.txt"), flags=re.MULTILINE)[1]
        of = [re.search(r"\d+\.\d+", version)[0] for version in (oldest, newest)]
        assert said == "_to_".join(dict.fromkeys(of))


def test_every_folder_with_code_is_in_the_wheel_but_for_those_left_out():
    modules = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    kept = [path for path in modules if not path.relative_to(ROOT).as_posix().startswith(LEFT_OUT)]
    packages = {".".join(("tarsus", *path.parent.relative_to(ROOT).parts)) for path in kept}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages | {"tarsus"}
    assert not [path for path in modules if not (path.parent / "__init__.py").exists()]
    away = re.compile(r"^\s*(import|from) [\w.]*\b(laboratory|making)\b", flags=re.MULTILINE)
    assert not [path for path in kept if away.search(text(path))]


def test_the_trained_policies_are_in_the_wheel():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["tarsus.scripts.library.learning"]
    folder = ROOT / "scripts" / "library" / "learning"
    listed = {path for pattern in patterns for path in folder.glob(pattern)}
    assert {path for path in (folder / "trained").rglob("*") if path.is_file()} <= listed and len(listed) > 1


def test_a_docstring_of_the_laboratory_says_the_noun_first():
    """`Return what happened` names neither a type nor a term of the field."""
    begins = re.compile(r'^ *"""Return (what|how|which|where|why|when)\b.*', flags=re.MULTILINE)
    paths = (ROOT / "scripts" / "laboratory").rglob("*.py")
    assert not [f"{path}: {match[0]}" for path in paths for match in begins.finditer(text(path))]
