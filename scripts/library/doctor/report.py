"""What the contact doctor says of a model: its contacts, the findings, and a wanted contact, in words and as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.scripts.command import output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.doctor.finding import Diagnosis, numbers, with_unit
from tarsus.scripts.library.doctor.flicker import Flicker

HEAD = ("contact", "mass [kg]", "stiffness [N/m]", "damping [N s/m]", "damping ratio", "restitution", "depth [mm]")
WHOLE = {
    "force": ("vertical force of the ground over the weight", 1.0),
    "unrest": ("standard deviation of that [weights]", 1.0),
    "depth": ("depth of the deepest contact [mm]", 1e3),
    "drift": ("drift of the fastest body [mm/s]", 1e3),
    "error": ("error of the solver's forces [% of the weight]", 100.0),
}
FLAGS = ("geom", "stances", "false touchdowns", "missed stances", "stance without flag [%]", "flag without stance [%]")


@dataclass(frozen=True)
class Contact:
    """What the contact of two geoms is, for what its bodies weigh."""

    name: str
    solref: tuple[float, ...]
    solimp: tuple[float, ...]
    mass: float  # that it moves, along its normal [kg]
    stiffness: float  # [N/m]
    damping: float  # [N s/m]
    damping_ratio: float
    restitution: float  # of a fall at 1 m/s
    depth: float  # at rest; 0 of one that did not rest [m]
    force: float  # normal, at rest, in the mean [N]


@dataclass(frozen=True)
class Wanted:
    """Settings of a contact from what was wanted of it."""

    name: str
    wants: Mapping[str, float]
    solref: tuple[float, float]
    solimp: tuple[float, ...]
    as_time_constant: tuple[float, float] | None  # the same contact by time constant and damping ratio
    xml: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What the doctor says of a model; `as_json` writes it.

    Attributes:
        model: What it is called.
        seconds: That it was watched [s].
        contacts: One for each pair of geoms that touched.
        findings: What is wrong, the settings first.
        mends: Of each finding, as elements of a file.
        stance: Of the whole model at rest: `force` over the weight, `unrest` of that force over the weight, greatest
            `depth` [m], `drift` [m/s], `error` of the solver's forces over the weight.
        mended_stance: The same with all mends together; empty without any.
        mended: The text of the file with all mends, or "".
        difference: Its lines that differ from the file's.
        immovable: Contacts that no joint moves along their normal, which are not examined.
        replayed: What the flags of a motion are worth, by the names of its geoms.
        wanted: The contact that was asked for, if one was.
        ended: Why the simulation ended before its time, or "".
        versions: Of the packages.
        date: When.
        notes: Sentences on the file, and on what has not come to rest.
        moved: Whether it was commanded, so that it had no rest.
    """

    model: str
    seconds: float
    contacts: tuple[Contact, ...]
    findings: tuple[Diagnosis, ...]
    mends: tuple[tuple[str, ...], ...]
    stance: Mapping[str, float]
    mended_stance: Mapping[str, float]
    mended: str
    difference: str
    immovable: tuple[str, ...]
    replayed: Mapping[str, Flicker]
    wanted: Wanted | None
    ended: str
    versions: str
    date: str
    notes: tuple[str, ...] = ()
    moved: bool = False

    def as_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(output.plain(self), indent=1)

    def __str__(self) -> str:
        """Return tables and findings in Markdown, in words."""
        rows = [
            (one.name, *(f"{value:.3g}" for value in (one.mass, one.stiffness, one.damping, one.damping_ratio)))
            + (f"{one.restitution:.2f}", f"{1e3 * one.depth:.3g}" if one.depth else "-")
            for one in self.contacts
        ]
        parts = [f"{self.model}, watched for {self.seconds:.3g} s" + (f"; {self.ended}" if self.ended else "")]
        parts += self.notes
        nothing = [] if self.immovable or self.notes else ["Nothing touched: place the model on its ground."]
        parts += [stamp.markdown_table(HEAD, rows)] if rows else nothing
        parts += [f"Not examined, for no joint moves it along its normal: {', '.join(self.immovable)}."] * bool(
            self.immovable
        )
        parts += [_words(one, mends) for one, mends in zip(self.findings, self.mends, strict=True)]
        parts += [] if self.findings or not rows else ["Nothing is wrong with these contacts."]
        of = "second half of the commanded motion" if self.moved else "the whole model at rest"
        parts += [_whole(of, self.stance, self.mended_stance)] if rows else []
        parts += [_difference(self.difference)] if self.difference else []
        parts += [_replayed(self.replayed)] if self.replayed else []
        parts += [_wish(self.wanted)] if self.wanted else []
        return "\n\n".join([*parts, f"{self.date}; {self.versions}"])


def _words(one: Diagnosis, mends: tuple[str, ...]) -> str:
    lines = [f"* **{one.ailment}**, {one.where}: {with_unit(one.number, one.unit)}. {one.reason}."]
    then = "" if np.isnan(one.after) else f"then {with_unit(one.after, one.unit)}, with all settings together"
    if mends:
        lines.append(f"Set {', '.join(f'`{mend}`' for mend in mends)}: {then}.")
        parts = " and ".join(f"`{part}`" for part in one.joint)
        lines += [f"Only together do they mend it: {parts}."] * (len(one.joint) > 1)
    elif then:
        lines.append(f"The settings for another finding mend this: {then}.")
    elif one.ailment not in ("fell", "slides"):
        lines.append("No setting that was tried mends it and leaves the rest as good as it is.")
    lines += [f"Tried and not advised: {words}." for words in one.refused]
    return "\n  ".join(lines)


def _whole(of: str, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    rows = [
        (
            words,
            *("-" if not np.isfinite(each[name]) else f"{scale * each[name]:.3g}" for each in (before, after) if each),
        )
        for name, (words, scale) in WHOLE.items()
    ]
    head = (of, "as it is", *(["with all settings"] if after else []))
    return stamp.markdown_table(head, rows)


def _difference(lines: str) -> str:
    return f"`mended.xml` has all settings; it differs by\n\n```diff\n{lines}\n```"


def _replayed(found: Mapping[str, Flicker]) -> str:
    rows = [
        (
            name,
            len(one.stances),
            len(one.false_touchdowns),
            one.missed,
            f"{100 * one.lost:.2g}",
            f"{100 * one.early:.2g}",
        )
        for name, one in found.items()
    ]
    return "The motion's contact flags:\n\n" + stamp.markdown_table(FLAGS, rows)


def _wish(wanted: Wanted) -> str:
    asked = ", ".join(f"{name} {value:g}" for name, value in wanted.wants.items())
    same = wanted.as_time_constant
    also = f"; the same contact has solref {numbers(*same)}" if same else ""
    return f"{wanted.name} with {asked}: `{' '.join(wanted.xml)}`{also}"
