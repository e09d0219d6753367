"""Planted faults: an engine that is right to a tolerance is passed, and the same with a small fault is not."""

import copy
import types

import numpy as np
import pytest

from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import running, worker

SETTING = "stiff 0.25 ms"
MUJOCO = worker.engine(running.engine_file("mujoco"))
NAMES = ("block_stops", "slope_slides", "ladder_holds")


def scaled_friction(factor):
    """Return what multiplies all friction of a case."""

    def change(case):
        for contact in case["contacts"]:
            contact["friction"] = (factor * np.array(contact["friction"])).tolist()

    return change


def scaled_gravity(case):
    """Make gravity larger by 1 %."""
    case["gravity"] = (1.01 * np.array(case["gravity"])).tolist()


class Creeping(MUJOCO.Simulation):
    """Bodies that move by a millimetre a second along x, whatever holds them."""

    def step(self):
        """Advance by a timestep, and a little aside."""
        super().step()
        self.data.qpos[0] += 1e-3 * self.model.opt.timestep


def with_fault(change=lambda case: None, simulation=MUJOCO.Simulation):
    """Return MuJoCo with a fault."""

    def simulate(case, setting):
        case = copy.deepcopy(case)
        change(case)
        return simulation(case, setting)

    return types.SimpleNamespace(SETTINGS=MUJOCO.SETTINGS, Simulation=simulate)


FAULTS = {
    "friction doubled": with_fault(scaled_friction(2.0)),
    "gravity off by 1 %": with_fault(scaled_gravity),
    "leaves the cone by 1 %": with_fault(scaled_friction(1.01)),
    "creeps 1 mm/s": with_fault(simulation=Creeping),
}


def failed(module):
    """Return the cases that an engine fails."""
    return [name for name in NAMES if not worker.run(cases.load(name), module, SETTING)[0].get("passed")]


def test_without_a_fault_nothing_fails():
    assert failed(with_fault()) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault):
    assert failed(FAULTS[fault])
