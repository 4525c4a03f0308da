"""Every client as its users build it; only primitive and optimizer are exchanged.

A solver takes an optimizer and its primitives, and runs. What solvers above an optimizer lose, a
``Kept`` one has: every result, and whether it is what the ledgers counted.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import EvolvedOperatorAnsatz, efficient_su2, real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQD, VQE, AdaptVQE, SamplingVQE
from qiskit_algorithms.state_fidelities import ComputeUncompute
from scipy.optimize import minimize as scipy_minimize

from qiskit_arcmaes import ShotEstimator, ShotFrugal, ShotSampler, minimize, scipy_method

BUDGET = 6000
OPERATOR = SparsePauliOp(["ZZ", "XI"], [1.0, 0.5])
CUT = SparsePauliOp(["ZZI", "IZZ"])
ANSATZ = real_amplitudes(2, reps=1)
START = [0.3] * 4


class Kept:
    """An optimizer of ours that keeps its results and checks each against the ledgers."""

    def __init__(self, primitives, **options):
        self.primitives = primitives
        self.optimizer = ShotFrugal(BUDGET, primitive=primitives, seed=1, **options)
        self.results = []

    def minimize(self, fun, x0, jac=None, bounds=None):
        before = sum(one.ledger.shots for one in self.primitives)
        result = self._minimize(fun, x0, jac, bounds)
        after = sum(one.ledger.shots for one in self.primitives)
        resumed = self.optimizer.settings["resume"] is True
        assert resumed or result.shots == after - before
        assert result.shots <= BUDGET
        self.results.append(result)
        return result

    def _minimize(self, fun, x0, jac, bounds):
        return self.optimizer.minimize(fun, x0, None, bounds)


class KeptFunction(Kept):
    """The same with ``partial(minimize, max_shots=...)``, a function."""

    def __init__(self, primitives, **options):
        super().__init__(primitives, **options)
        self.function = partial(minimize, max_shots=BUDGET, seed=1, **options)

    def _minimize(self, fun, x0, jac, bounds):
        return self.function(fun=fun, x0=x0)


class KeptScipy(Kept):
    """The same with ``scipy.optimize.minimize``."""

    def __init__(self, primitives, callback=None, **options):
        super().__init__(primitives, **options)
        self.callback = None if callback is None else lambda xk: callback()
        self.options = {"max_shots": BUDGET, "seed": 1, **options}

    def _minimize(self, fun, x0, jac, bounds):
        return scipy_minimize(
            fun, x0, args=tuple(self.primitives), method=scipy_method("frugal"),
            callback=self.callback, options=self.options,
        )  # fmt: skip


@dataclass(frozen=True)
class Solver:
    """A client.

    Attributes:
        run: Builds and runs it on an optimizer and its primitives.
        kinds: What it runs on.
        keeps: The optimizer.
        times: Whether it minimises once or more often.
        package: What must be installed.
    """

    run: object
    kinds: tuple
    keeps: type = Kept
    times: int = 1
    package: str = "qiskit"


def scipy_estimator(optimizer, estimator):
    def cost(x, estimator):
        return float(estimator.run([(ANSATZ, OPERATOR, x)]).result()[0].data.evs)

    optimizer.minimize(cost, START)


def scipy_counts(optimizer, sampler):
    circuit = real_amplitudes(2, reps=0)
    circuit.measure_all()

    def cost(x, sampler):
        counts = sampler.run([(circuit, x)]).result()[0].data.meas.get_counts()
        return sum(n * bits.count("1") for bits, n in counts.items()) / sum(counts.values())

    optimizer.minimize(cost, [0.7, 0.9])


def vqe(optimizer, estimator):
    VQE(estimator, ANSATZ, optimizer, initial_point=START).compute_minimum_eigenvalue(OPERATOR)


def qaoa(optimizer, sampler):
    solver = QAOA(sampler, optimizer, reps=1, initial_point=[0.3, 0.3])
    solver.compute_minimum_eigenvalue(CUT)


def sampling_vqe(optimizer, sampler):
    solver = SamplingVQE(sampler, efficient_su2(3, reps=0), optimizer, initial_point=[0.3] * 6)
    solver.compute_minimum_eigenvalue(CUT)


def vqd(optimizer, estimator, sampler):
    solver = VQD(
        estimator, ComputeUncompute(sampler), ANSATZ, optimizer, k=2, betas=[3.0, 3.0],
        initial_point=np.array(START),
    )  # fmt: skip
    solver.compute_eigenvalues(OPERATOR)


def adapt_vqe(optimizer, estimator):
    pool = [SparsePauliOp("YI"), SparsePauliOp("IY")]
    ansatz = EvolvedOperatorAnsatz(pool, initial_state=QuantumCircuit(2))
    solver = AdaptVQE(VQE(estimator, ansatz, optimizer), max_iterations=2, gradient_threshold=0.1)
    solver.compute_minimum_eigenvalue(SparsePauliOp(["XI", "IX", "ZZ"], [0.6, 0.58, 0.1]))


def nature(optimizer, estimator, adapt=False):
    from .test_nature import MAPPER, PROBLEM, GroundStateEigensolver, uccsd

    solver = VQE(estimator, uccsd(), optimizer, initial_point=None if adapt else np.zeros(3))
    if adapt:
        solver = AdaptVQE(solver, max_iterations=1)
        solver.supports_aux_operators = lambda: True
    GroundStateEigensolver(MAPPER, solver).solve(PROBLEM)


def other_vqe(optimizer, estimator):
    from qiskit_optimization import minimum_eigensolvers as other

    solver = other.VQE(estimator, ANSATZ, optimizer, initial_point=START)
    solver.compute_minimum_eigenvalue(OPERATOR)


def other_sampling_vqe(optimizer, sampler):
    from qiskit_optimization import minimum_eigensolvers as other

    solver = other.SamplingVQE(
        sampler, real_amplitudes(3, reps=0), optimizer, initial_point=[0.5] * 3
    )
    solver.compute_minimum_eigenvalue(CUT)


def other_qaoa(optimizer, sampler, within=None, aggregation=None):
    from . import test_optimization as other

    solver = other.qaoa(sampler, optimizer, aggregation=aggregation)
    if within is None:
        solver.compute_minimum_eigenvalue(other.OPERATOR)
    else:
        getattr(other, within)(solver).solve(other.PROGRAM)


def learning(optimizer, primitive, model="VQC"):
    from . import test_machine_learning as models

    make, _, targets = models.MODELS[model]
    make(primitive, optimizer, initial_point=models.START).fit(models.X, targets)


def _of(package, run, *kinds, **more):
    return Solver(run, kinds, package=package, **more)


E, S = ShotEstimator, ShotSampler
SOLVERS = {
    "scipy": Solver(scipy_estimator, (E,), KeptScipy),
    "scipy, counts": Solver(scipy_counts, (S,), KeptScipy),
    "VQE": Solver(vqe, (E,)),
    "VQE, a function": Solver(vqe, (E,), KeptFunction),
    "QAOA": Solver(qaoa, (S,)),
    "SamplingVQE": Solver(sampling_vqe, (S,)),
    "VQD": Solver(vqd, (E, S), times=2),
    "AdaptVQE": Solver(adapt_vqe, (E,), times=2),
    "nature": _of("qiskit_nature", nature, E),
    "nature, AdaptVQE": _of("qiskit_nature", partial(nature, adapt=True), E),
    **{
        f"optimization, {name}": _of("qiskit_optimization", run, *kinds, times=times)
        for name, run, kinds, times in (
            ("VQE", other_vqe, (E,), 1),
            ("SamplingVQE", other_sampling_vqe, (S,), 1),
            ("QAOA", other_qaoa, (S,), 1),
            ("CVaR", partial(other_qaoa, aggregation=0.25), (S,), 1),
            ("MinimumEigenOptimizer", partial(other_qaoa, within="minimum_eigen"), (S,), 1),
            ("warm start", partial(other_qaoa, within="warm_start"), (S,), 1),
            ("recursive", partial(other_qaoa, within="recursive"), (S,), 2),
        )
    },
    **{
        f"learning, {model}": _of("qiskit_machine_learning", partial(learning, model=model), kind)
        for model, kind in (("VQC", S), ("VQR", E), ("EstimatorQNN", E), ("SamplerQNN", S))
    },
}


def run(name, seed=1, **options):
    """Run a client; return its primitives and the results of its optimizer.

    Args:
        name: One of ``SOLVERS``.
        seed: Of the primitives.
        **options: Of the optimizer.
    """
    solver = SOLVERS[name]
    pytest.importorskip(solver.package)
    primitives = [kind(seed=seed + place) for place, kind in enumerate(solver.kinds)]
    optimizer = solver.keeps(primitives, **options)
    solver.run(optimizer, *primitives)
    return primitives, optimizer.results
