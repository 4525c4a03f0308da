"""Which baselines the experiments on circuits have, and how they were chosen.

All candidates ran on the development set (the experiment ``tuning``) at 10^4 and 10^5 shots, three
runs per cell. By these medians a few were picked by hand for each kind of problem, among the best
and at least one of every kind that a goal names; three runs do not rank neighbours reliably. At
10^3 and 10^6 shots nothing was tried: shots per evaluation are scaled with the budget there.
"""

from __future__ import annotations

SEARCHES = (
    *("spsa@100", "spsa@1000", "cobyla@100", "cobyla@1000", "cobyla-tutorial"),
    *("uh", "uh:auto"),
)
ADAMS = ("adam-60", "adam-250", "adam-1000")


def both(*names: str) -> tuple[str, ...]:
    """The methods on equal shots per group, and on weighted ones.

    Example:
        >>> both("nft@10")
        ('nft@10', 'nft@10%weighted')
    """
    return tuple(name + end for name in names for end in ("", "%weighted"))


_SHOTS = (10, 100, 1000)

CANDIDATES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("dev_ucc_h2", "dev_ucc_h3plus"): (
        *both(*(f"excitation-solve@{shots}" for shots in _SHOTS)),
        *both(*(f"sequential@{shots}" for shots in _SHOTS), *ADAMS),
        *("rosalin", "rosalin-gcans", "cobyla-tutorial%weighted"),
    ),
    ("dev_qaoa5_p2_random", "dev_qaoa7_p3_random", "dev_qaoa6_p1_ramp", "dev_qaoa7_p2_ramp"): (
        *SEARCHES,
        "adam-starts",
    ),
    ("dev_h2", "dev_lih", "dev_ising5", "dev_heisenberg4"): (
        *both(*ADAMS, *(f"nft@{shots}" for shots in _SHOTS)),
        *("rosalin", "rosalin-gcans", "icans", "icans%weighted", "gcans%weighted"),
        *both("spsa@100", "cobyla-tutorial"),
    ),
    ("dev_controlled4", "dev_repeats4"): (
        *ADAMS,
        *("adam-starts", "sequential@100", "sequential@1000", "spsa@100", "uh", "rosalin"),
    ),
}
"""Problems of the development set, and the baselines that were tried on them."""

EXCITATIONS = {
    10**3: ("excitation-solve@10%weighted", "sequential@10%weighted", "adam-60%weighted"),
    10**4: (
        *("excitation-solve@10%weighted", "excitation-solve@100", "sequential@100"),
        "adam-60%weighted",
    ),
    10**5: (
        *("excitation-solve@100%weighted", "excitation-solve@1000", "sequential@100%weighted"),
        *("adam-250", "adam-1000%weighted"),
    ),
    10**6: (
        *("excitation-solve@1000%weighted", "excitation-solve@10000", "sequential@1000%weighted"),
        *("adam-250", "adam-1000%weighted"),
    ),
}
"""On UCCSD, by budget."""

GRAPHS = {
    10**3: ("spsa@10", "cobyla-tutorial", "uh:auto", "adam-starts"),
    10**4: ("spsa@100", "cobyla-tutorial", "uh:auto", "adam-starts"),
    10**5: ("spsa@100", "cobyla-tutorial", "cobyla@1000", "uh", "adam-starts"),
    10**6: ("spsa@1000", "cobyla-tutorial", "uh", "adam-starts"),
}
"""On QAOA, by budget."""

HYDROGEN = (
    *both("adam-250", "adam-1000", "icans"),
    *("rosalin", "rosalin-gcans", "gcans%weighted", "nft@B/100", "nft@B/1000"),
    *("spsa@100", "cobyla-tutorial"),
)
"""On H2: every rival."""

SMALL = (
    *both("nft@10", "nft@100", "icans"),
    *("sequential@10%weighted", "spsa@10", "spsa@100", "cobyla-tutorial", "cobyla@100"),
)
"""At small budgets; of a kind that does not apply to a problem there are no runs."""

SHARED = ("adam-250", "adam-1000", "adam-starts", "sequential@100", "spsa@100", "nft@100")
"""On parameters that turn several rotations, or are bounded."""

NOISY = ("spsa%jobs=100", "cobyla-tutorial", "nft@1000")
"""On the noisy device, where a job takes a tenth of a second: at most a hundred jobs."""
