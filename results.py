"""What the functions of the package return, but for `tarsus.machines.Run`, and the settings of `tarsus.search`."""

from .scripts.library.certificates.certificate import Certificate, Change, Finding, Replayed
from .scripts.library.certificates.certifying import Certified
from .scripts.library.comparison.compare import Comparison
from .scripts.library.doctor.finding import Diagnosis, Mend
from .scripts.library.doctor.report import Contact, Report, Wanted
from .scripts.library.learning.evaluation import Episode
from .scripts.library.records.stored import Stored
from .scripts.library.running.run import CrossValidation
from .scripts.library.search.baseline import BaselineSearch
from .scripts.library.search.found import Found
from .scripts.library.search.gait import ReturnSearch
from .scripts.library.search.hexapod import HexapodSearch
from .scripts.library.search.multipod import MultipodSearch
from .scripts.library.search.sweep import GaitSweep
from .scripts.library.stability.result import Stability

__all__ = [
    "BaselineSearch", "Certificate", "Certified", "Change", "Comparison", "Contact", "CrossValidation", "Diagnosis",
    "Episode", "Finding", "Found", "GaitSweep", "HexapodSearch", "Mend", "MultipodSearch", "Replayed", "Report",
    "ReturnSearch", "Stability", "Stored", "Wanted",
]  # fmt: skip
