"""The XML that lies beside the builders is what they make, and compiles to the same model."""

import mujoco
import numpy as np
import pytest

from tarsus.mjcf.compile import compile_model
from tarsus.scripts.laboratory.write_assets import ASSETS, NUMBER, machines, xml

# The last of 15 digits, after the few operations of MuJoCo's compiler; a processor's sine may move it too.
BUILDERS = machines()
MACHINES = {name: build for name, build in BUILDERS.items() if (ASSETS / f"{name}.xml").exists()}
ROUNDING = {"rtol": 1e-12, "atol": 1e-14}


def sizes(model):
    """Return the sites' sizes, those of a sphere and a rod without the numbers that mean nothing."""
    n_sizes = {int(mujoco.mjtGeom.mjGEOM_SPHERE): 1, int(mujoco.mjtGeom.mjGEOM_BOX): 3}
    means = np.array([n_sizes.get(int(kind), 2) for kind in model.site_type])
    return np.where(np.arange(3) < means[:, None], model.site_size, 0.0)


@pytest.mark.parametrize("machine", MACHINES)
def test_an_asset_is_what_its_builder_makes(machine):
    kept, made = (ASSETS / f"{machine}.xml").read_text(), xml(MACHINES[machine])
    assert NUMBER.sub("#", kept) == NUMBER.sub("#", made), "run: python -m tarsus.scripts.laboratory.write_assets"
    numbers = (np.array(NUMBER.findall(text), float) for text in (kept, made))
    np.testing.assert_allclose(*numbers, **ROUNDING, err_msg="run: python -m tarsus.scripts.laboratory.write_assets")


@pytest.mark.parametrize("machine", MACHINES)
def test_an_asset_compiles_to_the_model_of_its_builder_to_rounding(machine):
    built = compile_model(MACHINES[machine]())
    read = compile_model(mujoco.MjSpec.from_file(str(ASSETS / f"{machine}.xml")))
    compared = 0
    for part in ("", "opt", "stat"):
        mine, theirs = (getattr(model, part) if part else model for model in (built, read))
        for name in dir(mine):
            value = getattr(mine, name) if name[0] != "_" and name != "names" else None
            if isinstance(value, int | float) or (isinstance(value, np.ndarray) and value.dtype.kind in "iufb"):
                value, other = (sizes(model) if name == "site_size" else getattr(model, name)
                                for model in (mine, theirs))  # fmt: skip
                np.testing.assert_allclose(other, value, **ROUNDING, err_msg=name)
                compared += 1
    assert compared > 500


def test_there_is_no_asset_without_a_builder():
    assert {path.stem for path in ASSETS.glob("*.xml")} == set(MACHINES)
    assert {"hexapod", "multipod", "bigant", "hopping_leg", "slip_leg"} <= set(MACHINES)
