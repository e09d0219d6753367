"""The one command `tarsus`: a subcommand for every script in this folder.

Usage: tarsus [SUBCOMMAND ...] [OPTIONS]. `tarsus` alone lists the subcommands, `--help` after one lists its options.

The file `scripts/run_hexapod.py` is the subcommand `run hexapod`: a script joins by lying there with a `main(argv)`.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent


def subcommands() -> dict[str, Path]:
    """Return the script behind each subcommand, by the subcommand's words."""
    found = {path.stem: path for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "cli")}
    with_main = {name: path for name, path in found.items() if "\ndef main(" in path.read_text(encoding="utf-8")}
    return {name.replace("_", " "): with_main[name] for name in sorted(with_main)}


def summary(path: Path) -> str:
    """Return the first line of a script's docstring, without importing it."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def usage(commands: dict[str, Path]) -> str:
    width = max(map(len, commands), default=0)
    rows = (f"  tarsus {name:<{width}}  {summary(path)}" for name, path in commands.items())
    return "\n".join(["usage: tarsus SUBCOMMAND [OPTIONS]", "", *rows])


def finish(name: str, command: Callable, argv: list[str]) -> int:
    """Return a command's exit status; that Ctrl-C or the system ended it is said in a sentence."""
    try:
        return command(argv) or 0
    except KeyboardInterrupt:
        print(f"tarsus {name}: interrupted; the files that were complete are kept", file=sys.stderr)
        return 130  # as shells have it
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error.strerror or error
        print(f"tarsus {name}: {what}; the files that were complete are kept", file=sys.stderr)
        return 1


def main(argv: list[str] | None = None) -> int:
    """Run the script whose name the leading words spell; return its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    commands = subcommands()
    for n_words in range(len(argv), 0, -1):
        name = " ".join(argv[:n_words])
        if name in commands:
            module = ".".join(commands[name].relative_to(FOLDER).with_suffix("").parts)
            script = importlib.import_module(f"tarsus.scripts.{module}")
            return finish(name, script.main, argv[n_words:])
    print(usage(commands))
    if not argv or argv[0] in ("-h", "--help"):
        return 0
    print(f"\ntarsus: no subcommand is called {' '.join(argv)!r}; those above exist", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
