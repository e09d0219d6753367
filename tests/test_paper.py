"""paper.md is as the Journal of Open Source Software asks, the entry for Gymnasium's list as its template."""

import re
from datetime import date
from pathlib import Path

import gymnasium

ROOT = Path(__file__).parents[1]
PAPER = (ROOT / "paper.md").read_text(encoding="utf-8")
_, HEAD, BODY = PAPER.split("---\n", 2)
ENTRY = (ROOT / "docs" / "data" / "gymnasium_entry.txt").read_text(encoding="utf-8").split("```")[1]


def test_the_paper_has_the_journals_sections_and_length():
    sections = re.findall(r"^# (.+)$", BODY, flags=re.MULTILINE)
    assert sections[:3] == ["Summary", "Statement of need", "State of the field"] and sections[-1] == "References"
    assert {"Software design", "Research impact statement", "AI usage disclosure", "Acknowledgements"} <= set(sections)
    assert 750 <= len(BODY.split()) <= 1750


def test_the_papers_authors_and_day_are_those_of_the_citation():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8").split("references:")[0]
    authors = re.findall(
        r"^  - name: ([^#\n]+)", HEAD.split("authors:")[1].split("affiliations:")[0], flags=re.MULTILINE
    )
    released = date.fromisoformat(re.search(r"date-released: (.+)", citation)[1])
    assert f"date: {released.day} {released:%B %Y}\n" in HEAD
    assert [name.strip() for name in authors] == re.findall(r"^  - name: (.+)$", citation, flags=re.MULTILINE) != []


def test_every_citation_has_an_entry_and_every_entry_is_cited():
    entries = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)
    cited = {key for group in re.findall(r"\[(@[^]]+)\]", BODY) for key in re.findall(r"@(\w+)", group)}
    assert len(entries) == len(set(entries)) and set(entries) == cited


def test_the_papers_figures_are_there_and_are_named():
    figures = re.findall(r"^!\[.*\\label\{(.+)\}\]\((.+)\)$", BODY, flags=re.MULTILINE)
    assert len(figures) == BODY.count("![") > 0
    for label, path in figures:
        assert (ROOT / path).is_file() and f"\\autoref{{{label}}}" in BODY


def test_the_entry_for_gymnasiums_list_is_short_and_names_the_version():
    sentences = ENTRY.split("\n\n")[2].count(". ") + 1
    assert 2 <= sentences <= 5 and f"Gymnasium-v{gymnasium.__version__}-blue" in ENTRY
