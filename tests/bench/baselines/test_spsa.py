"""SPSA and QNSPSA: what they take is what was planned, fidelities included."""

import pytest

from qiskit_arcmaes.bench.baselines import solver_for
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.shot_oracle import ShotOracle

from .instances import H2, h2


class Tally(ShotOracle):
    """Counts points and fidelities apart."""

    def __init__(self):
        super().__init__(H2, seed=1)
        self.points = self.pairs = 0

    def evaluate(self, points, shots):
        self.points += len(points)
        return super().evaluate(points, shots)

    def fidelities(self, left, right, shots):
        self.pairs += len(left)
        return super().fidelities(left, right, shots)


@pytest.mark.parametrize("budget", [60_000, 61_999])
def test_spsa_takes_two_evaluations_a_step(budget):
    tally = Tally()
    oracle = BudgetOracle(tally, budget, ansatz=tally)
    solver_for("spsa@100").solve(oracle, h2(1)[1], 1)
    steps = (budget // 200 - 51) // 2
    assert (tally.points, tally.pairs) == (50 + 2 * steps + 1, 0)
    assert oracle.spent == tally.points * 200


def test_qnspsa_pays_its_fidelities():
    tally = Tally()
    oracle = BudgetOracle(tally, 100_000, ansatz=tally)
    recommendation = solver_for("qnspsa@100").solve(oracle, h2(1)[1], 1)
    steps = (100_000 - 77 * 200) // (3 * 200 + 4 * 100)
    assert tally.pairs == 4 * steps
    assert tally.points == 50 + 25 + 1 + 3 * steps + 1
    assert oracle.spent == tally.points * 200 + tally.pairs * 100 <= 100_000
    assert recommendation.value is not None
