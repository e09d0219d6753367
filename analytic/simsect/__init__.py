"""SimSect's front end: init files, the symbols they set, and the output files.

`load` a file, `integrate` its run, `write_inputs` and `write_data`.
"""

from .init_file import INTEGRATOR, VIEW, Setup, load, setup
from .parsing import DEFAULT_FILE, Symbol, parse
from .running import check_outputs, find_root, integrate, write_data, write_inputs
from .systems import SYSTEMS, System

__all__ = [
    "DEFAULT_FILE",
    "INTEGRATOR",
    "SYSTEMS",
    "Setup",
    "Symbol",
    "System",
    "VIEW",
    "check_outputs",
    "find_root",
    "integrate",
    "load",
    "parse",
    "setup",
    "write_data",
    "write_inputs",
]
