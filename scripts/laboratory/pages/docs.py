"""The pages of docs/ whose tables come from the code: environments, commands.

Usage: tarsus page docs [--check] [--write]. Without --write it says which pages would change; with --check such a page
is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tarsus.analytic import saving
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts.command import arguments
from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import environment_page, verb_pages


def pages() -> dict[str, Callable[[], str]]:
    """Return the maker of each page, by its path."""
    environments = (*ENVIRONMENTS, *SURROGATES)
    of_environments = {environment_page.SHARED: environment_page.shared_page}
    of_environments |= {environment_page.place(name): partial(environment_page.page, name) for name in environments}
    return of_environments | verb_pages.PAGES


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page docs", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if a page would change")
    frame.add_docs(parser, "write the pages that would change")
    with arguments.read(parser, argv) as args:
        root = frame.docs_of(args).parent
    stale = []
    for name, page in pages().items():
        path, text = root / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if args.write:
                saving.write_text(path, text)
    print("\n".join(f"{'written' if args.write else 'stale'}: {name}" for name in stale) or "all pages are up to date")
    return int(bool(stale) and args.check)
