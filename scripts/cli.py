"""The one command `tarsus`: a subcommand for every script in this folder.

Usage: tarsus [SUBCOMMAND ...] [OPTIONS]. `tarsus` alone lists the subcommands, `--help` after one lists its options.

The file `scripts/run_hexapod.py` is the subcommand `run hexapod`: a script joins by lying here with a `main(argv)`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def subcommands() -> dict[str, Path]:
    """Return the script behind each subcommand, by the subcommand's words."""
    files = sorted(path for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "cli"))
    return {path.stem.replace("_", " "): path for path in files if "\ndef main(" in path.read_text(encoding="utf-8")}


def summary(path: Path) -> str:
    """Return the first line of a script's docstring, without importing it."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def usage(commands: dict[str, Path]) -> str:
    width = max(map(len, commands), default=0)
    rows = (f"  tarsus {name:<{width}}  {summary(path)}" for name, path in commands.items())
    return "\n".join(["usage: tarsus SUBCOMMAND [OPTIONS]", "", *rows])


def main(argv: list[str] | None = None) -> int:
    """Run the script whose name the leading words spell; return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    commands = subcommands()
    for n_words in range(len(argv), 0, -1):
        name = " ".join(argv[:n_words])
        if name in commands:
            script = importlib.import_module(f"tarsus.scripts.{commands[name].stem}")
            return script.main(argv[n_words:]) or 0
    print(usage(commands))
    if not argv or argv[0] in ("-h", "--help"):
        return 0
    print(f"\ntarsus: no subcommand is called {' '.join(argv)!r}; those above exist", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
