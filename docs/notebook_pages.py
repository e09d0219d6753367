"""A Sphinx extension: notebooks as pages, with the outputs that they were committed with; nothing is run.

A notebook becomes Markdown, which MyST reads as it reads the other pages.
"""

from __future__ import annotations

import json
import re

from myst_parser.parsers.sphinx_ import MystParser

FILES = "{{download}}`{0}.ipynb` {{download}}`{0}.py`"


def markdown(text: str, name: str) -> str:
    """Return a notebook as a page in Markdown, with links to its files under the title."""
    parts, heading = [], name
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            heading = re.sub(r"[*_`$\[\]]", "", (re.findall(r"^#+ (.*)$", source, flags=re.MULTILINE) or [heading])[-1])
        else:
            parts += [fenced("python", source), *(shown(output, heading) for output in cell["outputs"])]
    title, _, rest = parts[0].partition("\n")
    return "\n\n".join([title, FILES.format(name), rest, *parts[1:]]) + "\n"


def fenced(language: str, text: str) -> str:
    """Return a block of code."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def shown(output: dict, heading: str) -> str:
    """Return what a cell printed, or drew, in Markdown."""
    if output["output_type"] == "stream":
        return fenced("text", "".join(output["text"]))
    return f"![{heading}](data:image/png;base64,{output['data']['image/png']})"


class NotebookParser(MystParser):
    """Reads .ipynb files."""

    supported = ("notebook",)

    def parse(self, inputstring, document):
        """Read a notebook as the page that it makes."""
        name = document.settings.env.docname.rpartition("/")[2]
        super().parse(markdown(inputstring, name), document)


def setup(app):
    """Tell Sphinx of notebooks."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
