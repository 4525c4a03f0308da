"""The experiments on circuits, with the goals that were set before they ran."""

from __future__ import annotations

from qiskit_arcmaes.bench.experiments import Experiment, Grid

K3, K4, K5, K6, K7 = (10**power for power in (3, 4, 5, 6, 7))

_WEIGHTED = "%weighted"

_SEARCHES = (
    "spsa@100",
    "spsa@1000",
    "cobyla@100",
    "cobyla@1000",
    "cobyla-tutorial",
    "uh",
    "uh:auto",
)
_ADAMS = ("adam-60", "adam-250", "adam-1000")
_CANDIDATES = {
    "excitations": (
        ("dev_ucc_h2", "dev_ucc_h3plus"),
        (
            *(
                f"excitation-solve@{shots}{end}"
                for shots in (10, 100, 1000)
                for end in ("", _WEIGHTED)
            ),
            *(f"sequential@{shots}{end}" for shots in (10, 100, 1000) for end in ("", _WEIGHTED)),
            *(f"{name}{end}" for name in _ADAMS for end in ("", _WEIGHTED)),
            "rosalin",
            "rosalin-gcans",
            "cobyla-tutorial%weighted",
        ),
    ),
    "graphs": (
        ("dev_qaoa5_p2_random", "dev_qaoa7_p3_random", "dev_qaoa6_p1_ramp", "dev_qaoa7_p2_ramp"),
        (*_SEARCHES, "adam-starts"),
    ),
    "rotations": (
        ("dev_h2", "dev_lih", "dev_ising5", "dev_heisenberg4"),
        (
            *(f"{name}{end}" for name in _ADAMS for end in ("", _WEIGHTED)),
            *("rosalin", "rosalin-gcans", "icans", "icans%weighted", "gcans%weighted"),
            *(f"nft@{shots}{end}" for shots in (10, 100, 1000) for end in ("", _WEIGHTED)),
            *("spsa@100", "spsa@100%weighted", "cobyla-tutorial", "cobyla-tutorial%weighted"),
        ),
    ),
    "shared": (
        ("dev_controlled4", "dev_repeats4"),
        (*_ADAMS, "adam-starts", "sequential@100", "sequential@1000", "spsa@100", "uh", "rosalin"),
    ),
}
"""Problems of the development set, and the baselines that are tried on them."""

CIRCUIT_EXPERIMENTS = (
    Experiment(
        name="tuning",
        title="Baselines on the development set: which of them meet the reported problems",
        shows=("errors",),
        grids=tuple(
            Grid(problems, (K4, K5), methods) for problems, methods in _CANDIDATES.values()
        ),
        runs=5,
        notes=("Nothing here is a result: the best baselines of each kind of problem are chosen.",),
    ),
)
"""All of them."""
