"""Signs that may be flipped in a formula unseen: the core of the tests is to fail for each.

Usage: python tests/mutants.py [MODULE ...] [--sample 40] [--seed 0] [--seconds 120] [--compiled]. A mutant is a module
with one + for a -, one - for a +, or a minus sign left out; the files stay as they are. The core tests that import the
module, or what is public of its folder, run on it until one fails: the mutant is found. Those that none finds are
survivors, and are printed last: each wants a test, or shows that the sign is of no consequence. One that ran out of
processor time is neither. Tests run interpreted, which is faster than to compile each mutant, if not --compiled; they
must pass beforehand, else every mutant is found.
"""

from __future__ import annotations

import argparse
import ast
import collections
import functools
import os
import random
import resource
import signal
import sys
import traceback
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORMULAS = (  # where a sign is physics
    *("analytic/*.py", "analytic/models/**/*.py", "analytic/contact/**/*.py", "analytic/hybrid/*.py"),
    *("controllers/*.py", "envs/measure.py", "envs/shaping.py", "envs/actions.py", "envs/clock_kernels.py"),
    *("envs/kernels.py", "envs/hexapod.py", "envs/bigant.py", "envs/slip_leg.py", "envs/hopping_leg.py", "mjcf/*.py"),
)
FLIPPED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}
FOUND, LIVES, LATE, WRONG = "found", "survives", "out of time", "did not run"


@dataclass(frozen=True)
class Site:
    """A sign in a file."""

    path: Path
    line: int  # from 0
    column: int
    old: str
    new: str

    def __str__(self) -> str:
        text = self.path.read_text(encoding="utf-8").splitlines()[self.line]
        marked = f"{text[: self.column]}[{self.old}]{text[self.column + 1 :]}"
        return f"{self.path.relative_to(ROOT)}:{self.line + 1}: {marked.strip()}"

    def flipped(self) -> str:
        """Return the file's text with the other sign."""
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        text = lines[self.line]
        assert text[self.column] == self.old
        lines[self.line] = text[: self.column] + self.new + text[self.column + 1 :]
        return "".join(lines)


class Signs(ast.NodeVisitor):
    """Finds the signs of a file's arithmetic, in ASCII lines: none in an index, an error, a path or a text."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path, self.lines, self.found = path, lines, []

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "axis":
            self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        text = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.DictComp)
        sides = [side for side in (node.left, node.right) if isinstance(side, text)]
        if type(node.op) in FLIPPED and all(isinstance(getattr(side, "value", ""), int | float) for side in sides):
            self._add(node.left.end_lineno, node.left.end_col_offset, *FLIPPED[type(node.op)])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub):
            self._add(node.lineno, node.col_offset, "-", "+")
        self.generic_visit(node)

    def _add(self, line: int, column: int, old: str, new: str) -> None:
        text = self.lines[line - 1]
        at = text.find(old, column)
        if text.isascii() and at >= 0 and not text[column:at].strip(" )"):
            self.found.append(Site(self.path, line - 1, at, old, new))


def signs(path: Path) -> list[Site]:
    """Return the signs of a file that can be flipped."""
    text = path.read_text(encoding="utf-8")
    visitor = Signs(path, text.splitlines())
    visitor.visit(ast.parse(text))
    return visitor.found


@functools.cache
def imported() -> dict[Path, set[str]]:
    """Return the dotted names that each file of core tests imports."""
    found = {}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        if "scripts" not in file.parts:
            nodes = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
            some = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
            names = {f"{node.module}.{one.name}" for node in some for one in node.names}
            found[file] = names | {node.module for node in some}
    return found


def tests_of(path: Path) -> list[str]:
    """Return the files of tests that import a module, or else what is public of its folder; those of its name first."""
    dotted = ["tarsus", *path.relative_to(ROOT).with_suffix("").parts]
    while len(dotted) > 1:
        if found := [file for file, names in imported().items() if ".".join(dotted) in names]:
            return [str(file) for file in sorted(found, key=lambda file: (path.stem not in file.stem, len(file.stem)))]
        dotted.pop()
    return []


def outcome(site: Site, seconds: int, compiled: bool) -> str:
    """Return what becomes of a mutant, in a process that is forked with pytest already imported."""
    process = os.fork()
    if not process:
        try:
            os._exit(child(site, seconds, compiled))
        except BaseException:
            traceback.print_exc()
            os._exit(99)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return LATE if os.WTERMSIG(status) == signal.SIGXCPU else WRONG
    return {0: LIVES, 1: FOUND}.get(os.WEXITSTATUS(status), WRONG)


def child(site: Site, seconds: int, compiled: bool) -> int:
    """Run the tests of a mutant and return pytest's status: 0 if it survives, 1 if a test failed."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))
    if not compiled:
        sys.modules["numba"] = None
    code, read = compile(site.flipped(), str(site.path), "exec", dont_inherit=True), SourceFileLoader.get_code

    def get_code(loader, name):
        return code if Path(loader.path) == site.path else read(loader, name)

    SourceFileLoader.get_code = get_code
    words = ["--confcutdir", str(ROOT / "tests"), "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m"]
    return pytest.main([*words, "not extra", "--rootdir", str(ROOT), *tests_of(site.path)])


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", type=Path, metavar="MODULE")
    parser.add_argument("--sample", type=int, default=40, help="mutants, chosen at random; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=120, help="processor time of a mutant")
    parser.add_argument("--compiled", action="store_true")
    args = parser.parse_args(argv)
    paths = [path.resolve() for path in args.modules] or sorted({file for some in FORMULAS for file in ROOT.glob(some)})
    sites = [site for path in paths if tests_of(path) for site in signs(path)]
    if args.sample and args.sample < len(sites):
        sites = random.Random(args.seed).sample(sites, args.sample)
    ends = collections.defaultdict(list)
    for site in sites:
        end = outcome(site, args.seconds, args.compiled)
        ends[end].append(site)
        print(f"{end:12} {site}", flush=True)
    print(", ".join(f"{len(some)} {end}" for end, some in ends.items()), *ends[LIVES], sep="\n")
    return 1 if ends[LIVES] or ends[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
