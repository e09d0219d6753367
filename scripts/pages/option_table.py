"""The options of an environment as rows of a table, read from the fields of its configuration and their comments."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields


def comments_of(described: type) -> dict[str, str]:
    """Return the comment behind each field of a class, or key of a dictionary in it, from its source and its bases."""
    comments = {}
    for base in reversed(described.__mro__[:-1]):
        if not base.__module__.startswith("tarsus."):
            continue
        for line in inspect.getsource(base).splitlines():
            name, _, rest = line.strip().partition(":")
            if "#" in rest:
                comments[name.strip('"')] = rest.partition("#")[2].strip()
    return comments


def argument_rows(config: type) -> list[tuple[str, str, str]]:
    """Return the rows of an environment in MuJoCo: those of its images, and of its configuration."""
    rows = [("`render_mode`", "`None`", '`"human"`, `"rgb_array"` or `"depth_array"`')]
    rows += [("`width`, `height`, `camera`", '`640`, `480`, `"follow"`', 'of images; the other camera is `"side"`')]
    return rows + field_rows(config)


def field_rows(config: type) -> list[tuple[str, str, str]]:
    """Return name, default and comment of every field of a configuration."""
    comments, rows = comments_of(config), []
    for entry in fields(config):
        if entry.default is MISSING:
            default = f"{entry.default_factory.__name__}()"
        elif hasattr(entry.default, "motor_mode"):
            default = f'{type(entry.default).__name__}(motor_mode="{entry.default.motor_mode}")'
        else:
            default = repr(entry.default)
        rows.append((f"`{entry.name}`", f"`{default}`", comments[entry.name]))
    return rows
