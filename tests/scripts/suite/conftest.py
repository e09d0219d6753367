"""The oracles of the contact suite, which import nothing of ours."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "oracles"))
