"""Remake the lowest energies under a fake device's noise, data/device_<name>.json.

The noise does not depend on the angles, so that the parameter-shift rule gives exact slopes under
it: BFGS descends from the noise-free optimum and from random starts.

    python tools/make_device_references.py
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import qiskit_arcmaes.problems as problems
from qiskit_arcmaes.bench.device import DeviceProblem

DATA = Path(problems.__file__).parent / "data"
NAMES = ("h2", "ising4")
SEED = 20240


def lowest(device: DeviceProblem, starts: int) -> float:
    """Return the lowest energy of the descents."""

    def energy_and_slopes(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        steps = np.pi / 2 * np.eye(len(x))
        values = device.energy(np.concatenate([x[None], x + steps, x - steps]))
        upper, lower = values[1:].reshape(2, -1)
        return float(values[0]), (upper - lower) / 2

    rng = np.random.default_rng(SEED)
    begins = [device.problem.best_parameters, *(device.problem.start(rng) for _ in range(starts))]
    runs = [minimize(energy_and_slopes, x, jac=True, method="BFGS") for x in begins]
    return float(min(run.fun for run in runs))


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", type=int, default=30, help="random starts for each")
    arguments = parser.parse_args()
    for name in NAMES:
        energy = lowest(DeviceProblem(name), arguments.starts)
        content = {
            "made_by": "tools/make_device_references.py",
            "device": "FakeManilaV2",
            "starts": arguments.starts,
            "lowest_energy": energy,
        }
        path = DATA / f"device_{name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: lowest {energy:.8f}", flush=True)


if __name__ == "__main__":
    main()
