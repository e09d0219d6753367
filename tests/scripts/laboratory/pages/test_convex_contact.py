"""The page on convex contact: its tables are those of the stored results, and its sentences those of the tables."""

import re
from pathlib import Path

import numpy as np
import pytest

from tarsus.mjcf import hopping_leg
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.figures import convex_contact as figure
from tarsus.scripts.laboratory.pages import contact_suite, convex_contact
from tarsus.scripts.laboratory.studies.convex_contact import WALKERS
from tarsus.scripts.suite import case as cases

DOCUMENT = (documents.DOCS / "convex_contact.md").read_text(encoding="utf-8")
GOLDEN = Path(__file__).parents[3] / "golden" / "figure_convex_contact.npz"


@pytest.fixture(scope="module")
def data():
    with np.load(convex_contact.RESULTS / "convex_contact.npz") as stored:
        return dict(stored)


def test_the_tables_are_those_of_the_stored_results():
    made = convex_contact.tables().text("markdown", "")
    part = DOCUMENT.split("<!-- tables: begin -->")[1].split("<!-- tables: end -->")[0]
    assert part.strip().partition("\n\n")[2] == made.strip()


def test_the_stored_results_are_those_that_the_test_of_the_figure_computes(data):
    """Of which `test_figures` computes some: where they moved, the page has to be made anew."""
    sizes = {"rigid": "step", "mujoco": "time", "one_rigid": "one_step"}
    sizes |= {f"one_{way}": "one_time" for way in ("soft_coulomb", "soft_convex", "mujoco")}
    with np.load(GOLDEN) as golden:
        assert np.allclose(golden["exact"], data["exact"], rtol=figure.RTOL)
        for key, size in sizes.items():
            rows = [list(data[size]).index(x) for x in golden[size]]
            allowed = {"rtol": figure.RTOL} | figure.TOLERANCES.get(key, {})
            np.testing.assert_allclose(golden[key], data[key][rows], **allowed, err_msg=key)


def share(found, right):
    return found[..., 0] / right[..., 0] - 1.0


def test_what_the_page_says_is_so(data):
    exact = data["exact"]
    # Moreau's steps and soft Coulomb contact converge; MuJoCo and the soft convex law go elsewhere, together.
    rigid = share(data["rigid"], exact)
    assert abs(rigid[-1]) < 2e-3 and abs(rigid[-1]) < abs(rigid[0]) / 4
    coulomb, convex, mujoco = (data[f"one_{way}"][:, 0] for way in ("soft_coulomb", "soft_convex", "mujoco"))
    assert (np.diff(coulomb) < 0).all() and coulomb[-1] < 2e-3
    assert (mujoco[1:] < -0.015).all() and np.ptp(mujoco[-3:]) < 2e-3 and np.abs(mujoco - convex).max() < 4e-3
    # Near 2 ms compliance and convexity cancel: nearer than softer and stiffer contact.
    errors = np.abs(share(data["mujoco"], exact))
    assert data["time"][np.argmin(errors)] == 2e-3 and errors[-1] > 0.01 and errors[0] > 0.01


def test_shipped_gaits_hardly_feel_the_law_and_trots_that_slip_do(data):
    stiff = np.abs(share(data["walks_mujoco"], data["walks_exact"]))
    trots, own = stiff[:2], stiff[2:]
    assert list(WALKERS)[2:] == ["dog, its own clock", "hexapod, walk", "hexapod, run"]
    assert own.max() < 2e-3 and trots.min() > 6e-3
    assert np.abs(share(data["mujoco"], data["exact"])[-1]) < 0.015


def test_the_hopping_leg_slides_where_there_is_no_friction():
    assert hopping_leg.PRESETS["reference"].friction[0] == 1e-5


def test_no_setting_of_mujoco_lands_by_coulombs_law():
    found = {one["engine"]: one["results"] for one in contact_suite.read(contact_suite.RESULTS)}["mujoco"]
    assert len(found) == 10 and cases.load("point_lands_sliding")["measurements"][1]["convex"] == pytest.approx(0.2)
    assert not any(results["point_lands_sliding"]["passed"] for results in found.values())


def test_the_prose_is_short():
    words = re.sub(r"```.*?```|<!-- tables: begin -->.*?<!-- tables: end -->", "", DOCUMENT, flags=re.S).split()
    assert len(words) <= 600
