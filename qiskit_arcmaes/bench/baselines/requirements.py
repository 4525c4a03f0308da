"""On which problems a solver works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.rotations import Spectrum

Needs = Literal["anything", "angles", "rotations", "circuit", "spectra", "series", "excitations"]
"""What a solver needs: nothing special; angles of a circuit's gates; single Pauli rotations, so
that the loss is a sine of each coordinate; a circuit whose states can be compared; known
frequencies; a short Fourier series in each coordinate; or one of two frequencies, as excitations
have it."""

MOST_FREQUENCIES = 16
"""Of one coordinate, for methods that measure two points for each."""


def frequency_count(spectrum: Spectrum) -> float:
    """The number of multiples of the spacing up to the largest frequency; infinite without one.

    Example:
        >>> from qiskit_arcmaes.rotations import listed
        >>> frequency_count(listed([2.0, 6.0]))
        3.0
    """
    if spectrum.maximum == 0:
        return 0.0
    return float(round(spectrum.maximum / spectrum.spacing)) if spectrum.spacing else float("inf")


def unmet_need(needs: Needs, oracle: BudgetOracle) -> str | None:
    """What a problem lacks, in words; None where it has all that a solver needs."""
    words, has = _CHECKS[needs]
    return None if has(oracle) else words


def _spectra(oracle: BudgetOracle, most: float) -> bool:
    return oracle.spectra is not None and all(
        frequency_count(spectrum) <= most for spectrum in oracle.spectra
    )


def _excitations(oracle: BudgetOracle) -> bool:
    """Frequencies 1 and 2 only, as qiskit-nature's excitations have them; 2 somewhere."""
    found = {value for spectrum in oracle.spectra or () for value in spectrum.values or (0.0,)}
    return 2.0 in found and found <= {1.0, 2.0}


_CHECKS: dict[Needs, tuple[str, Callable[[BudgetOracle], bool]]] = {
    "anything": ("", lambda oracle: True),
    "angles": ("angles of a circuit's gates", lambda oracle: oracle.angles),
    "circuit": (
        "a circuit whose states can be compared",
        lambda oracle: oracle.ansatz is not None,
    ),
    "rotations": (
        "parameters that turn one Pauli rotation each",
        lambda oracle: oracle.ansatz is not None and oracle.ansatz.single_rotations,
    ),
    "spectra": (
        "a circuit whose frequencies are known",
        lambda oracle: oracle.spectra is not None and oracle.circuit is not None,
    ),
    "series": (
        f"at most {MOST_FREQUENCIES} equidistant frequencies per parameter",
        lambda oracle: _spectra(oracle, MOST_FREQUENCIES),
    ),
    "excitations": ("parameters of excitations, with frequencies 1 and 2", _excitations),
}
