"""Write the pages of docs/ whose tables come from the code: one page per environment.

Usage: tarsus page docs [--check]. With --check nothing is written, and a page that would change is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tarsus.analytic import saving
from tarsus.envs import ENVIRONMENTS
from tarsus.scripts import arguments
from tarsus.scripts.pages import (
    api_pages,
    hexapod_page,
    hopping_leg_page,
    plain_page,
    quasistatic_page,
    slip_leg_page,
    walker_pages,
)
from tarsus.scripts.pages import gallery as write_gallery

ROOT = Path(__file__).parents[2]

PAGES = {
    "docs/envs/hexapod.md": hexapod_page.page,
    "docs/envs/multipod.md": walker_pages.multipod_page,
    "docs/envs/bigant.md": walker_pages.bigant_page,
    "docs/envs/multipod_quasistatic.md": quasistatic_page.page,
    "docs/envs/hopping_leg.md": hopping_leg_page.page,
    "docs/envs/slip_leg.md": slip_leg_page.page,
    "docs/figures.md": write_gallery.page,
} | api_pages.PAGES


def pages() -> dict[str, Callable[[], str]]:
    """Return how each page is made, by its path: those of `PAGES`, and of the environments that have none there."""
    plain = {plain_page.place(name): partial(plain_page.page, name) for name in ENVIRONMENTS}
    return plain | PAGES


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page docs", description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page would change")
    args = arguments.parse(parser, argv)
    stale = []
    for name, page in pages().items():
        path, text = ROOT / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not args.check:
                saving.write_text(path, text)
    print("\n".join(f"{'stale' if args.check else 'written'}: {name}" for name in stale) or "all pages are up to date")
    return int(bool(stale) and args.check)


if __name__ == "__main__":
    sys.exit(main())
