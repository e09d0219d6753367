"""The elements of an MJCF's text, read as MuJoCo reads it, which takes more than XML: `--` in a comment, say."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# What is not closed goes on to the end, so that no text is read twice.
TAG = re.compile(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|<[?!][^>]*"
    r"|<\s*+(?P<end>/?)\s*+(?P<name>[\w:.-]++)(?P<rest>(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)",
    re.DOTALL,
)
ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


@dataclass(frozen=True)
class Element:
    """A tag with its attributes, and the elements in it."""

    name: str
    attributes: Mapping[str, str]
    children: list[Element] = field(default_factory=list)

    def numbers(self, *names: str) -> list[float]:
        """Return the numbers that attributes hold, in order; words that are none are left out."""
        found = []
        for word in " ".join(self.attributes.get(name, "") for name in names).split():
            try:
                found.append(float(word))
            except ValueError:
                continue  # MuJoCo refuses it
        return found

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it."""
        left = [self]
        while left:
            yield (element := left.pop())
            left += element.children

    def __str__(self) -> str:
        """Return the tag as one would write it."""
        words = [self.name, *(f'{name}="{value}"' for name, value in self.attributes.items())]
        return textwrap.shorten(f"<{' '.join(words)}>", 120, placeholder=" ...>")


def elements(text: str) -> tuple[Element, int]:
    """Return the tree of a text's elements, and the depth of their nesting. Ill-formed text is left to MuJoCo."""
    top = Element("", {})
    above, deepest = [top], 0
    for tag in TAG.finditer(text):
        if tag["name"] is None:
            continue
        if tag["end"]:
            if len(above) > 1:
                above.pop()
            continue
        attributes = {name: html.unescape(a or b) for name, a, b in ATTRIBUTE.findall(tag["rest"])}
        element = Element(tag["name"], attributes)
        above[-1].children.append(element)
        deepest = max(deepest, len(above))
        if not tag["rest"].rstrip().endswith("/"):
            above.append(element)
    return top, deepest
