"""The folder `assets`: the XML of every machine with its default parameters, to read and to use without this package.

`python -m tarsus.mjcf.write_assets` writes it anew; a test keeps it in step with the builders.
"""

from __future__ import annotations

from pathlib import Path

from . import bigant, disc, hexapod, hopping_leg, multipod, slip_leg

ASSETS = Path(__file__).parent / "assets"
MACHINES = {
    "bigant": bigant,
    "disc": disc,
    "hexapod": hexapod,
    "hopping_leg": hopping_leg,
    "multipod": multipod,
    "slip_leg": slip_leg,
}


def xml(machine: str) -> str:
    """Return the XML of the default machine of that name, as `assets` keeps it."""
    spec = MACHINES[machine].build()
    spec.compile()
    return spec.to_xml()


if __name__ == "__main__":
    for name in MACHINES:
        part = ASSETS / f".{name}.partial.xml"
        part.write_text(xml(name))
        part.replace(ASSETS / f"{name}.xml")  # whole or not at all
