"""The optimizers, one class for each method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from qiskit_arcmaes import validation
from qiskit_arcmaes.optimizers.base import ShotOptimizer, TerminationChecker
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.settings import Options, documents_options, shows_options


class ShotFrugal(ShotOptimizer):
    """Shot-efficient optimizer that reads the circuit and plans where its shots go.

    On a circuit: a Newton step by the exact expansion where the start is a Clifford point, at
    no shot; shift rules with shots planned by measurement group, from a good start Newton steps,
    from another Adam and a surrogate of the gradient. On any other loss: an evolution strategy, and
    a quadratic surrogate that takes over where it fits. ``result.algorithm`` says what ran.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> from qiskit_algorithms import VQE
        >>> from qiskit_arcmaes import ShotEstimator, ShotFrugal
        >>> estimator = ShotEstimator(seed=1)
        >>> optimizer = ShotFrugal(max_shots=50_000, primitive=estimator, seed=7)
        >>> vqe = VQE(estimator, real_amplitudes(2, reps=1), optimizer, initial_point=[0.5] * 4)
        >>> result = vqe.compute_minimum_eigenvalue(SparsePauliOp(["ZZ", "XI"]))
        >>> result.optimizer_result.shots <= 50_000, bool(result.eigenvalue < -1.2)
        (True, True)
    """

    _method = "frugal"


@documents_options
class ARCMAES(ShotOptimizer):
    """AR-CMA-ES: an evolution strategy that chooses its re-evaluation count for gain per cost.

    Args:
        max_shots: Budget of one ``minimize``, an integer >= 1; never exceeded.
        variant: ``ar`` (default), our extension: re-evaluations and learning rates chosen together;
            ``ar-paper``, the paper's method in the reading that matches its tables;
            ``ar-literal``, its algorithm box.
        primitive: The ``ShotEstimator`` or ``ShotSampler`` that the algorithm runs on, see
            ``ShotOptimizer``.
        termination_checker: Called after each job as SPSA's is, see ``ShotOptimizer``.
        **options: See ``Settings``.

    References:
        C.-V. Dinu, Y. J. Patel, X. Bonet-Monroig, H. Wang, "An Adaptive Re-evaluation Method for
        Evolution Strategy under Additive Noise", GECCO 2025.

    Example:
        >>> from qiskit_arcmaes import ARCMAES, GaussianOracle, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = ARCMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> result.algorithm
        'noise calibration, then AR-CMA-ES with adapted learning rates (extension)'
    """

    _method = "ar"

    @shows_options
    def __init__(
        self,
        max_shots: int = 1_000_000,
        *,
        variant: Literal["ar", "ar-paper", "ar-literal"] = "ar",
        primitive: ShotControl | Sequence[ShotControl] | None = None,
        termination_checker: TerminationChecker | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(
            max_shots, primitive=primitive, termination_checker=termination_checker, **options
        )
        validation.one_of("variant", variant, ("ar", "ar-paper", "ar-literal"))
        self._run_settings = replace(self._run_settings, method=variant)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything needed to build the optimizer again."""
        return super().settings | {"variant": self._run_settings.method}

    def _unusual(self) -> dict[str, Any]:
        shown, variant = super()._unusual(), self._run_settings.method
        if variant == self._method:
            return shown
        return {"max_shots": shown["max_shots"], "variant": variant} | shown


class CMAES(ShotOptimizer):
    """Plain CMA-ES at a fixed number of shots.

    Example:
        >>> from qiskit_arcmaes import CMAES, GaussianOracle, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = CMAES(max_shots=20_000, shots=100, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist()))
        [100.0]
    """

    _method = "cma"


class ThreeStageCMAES(ShotOptimizer):
    """CMA-ES whose shots rise tenfold twice on a fixed schedule.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, ThreeStageCMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = ThreeStageCMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist()))
        [1.0, 10.0, 100.0]
    """

    _method = "three-stage"


class UHCMAES(ShotOptimizer):
    """UH-CMA-ES: uncertainty handling by rank changes.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, UHCMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = UHCMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> bool(result.history["shots"].max() > result.history["shots"][0])
        True
    """

    _method = "uh"


class LRACMAES(ShotOptimizer):
    """LRA-CMA-ES: learning rate adaptation.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, LRACMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = LRACMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist())), bool((result.x**2).sum() < 0.5)
        ([1.0], True)
    """

    _method = "lra"


class PSACMAES(ShotOptimizer):
    """PSA-CMA-ES: population size adaptation.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, PSACMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = PSACMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> bool(result.history["points"].max() > result.history["points"][0])
        True
    """

    _method = "psa"
