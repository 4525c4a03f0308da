"""Which pairs share a circuit, and which terms tell what."""

import math

import numpy as np
import pytest
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.group_readout import group_terms
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.shift.group_plans import plan_pairs
from qiskit_arcmaes.shift.group_readings import read_groups
from qiskit_arcmaes.shift.group_rules import make_group_rules
from qiskit_arcmaes.shift.rules import pair_rules, single_rules
from qiskit_arcmaes.shift.scatter import first_scatter
from qiskit_arcmaes.shift.spectral_params import GroupParams, RuleParams

from .planned import Cosines, chain, separable

PARAMS = GroupParams()


def rules_of(oracle, make=single_rules):
    rules = make(oracle.spectra, RuleParams())
    return make_group_rules(oracle.circuit, np.arange(rules.dim), rules)


def exact_estimate(problem, plan):
    """What a plan gives with infinitely many shots, term by term from the states."""
    labels = {label: float(value.real) for label, value in problem.operator.to_list()}
    terms = group_terms(labels)
    states = problem.states(plan.points)
    means = np.zeros((*plan.shots.shape, plan.num_parts))
    parts = plan.parts[plan.partition]
    for term, label in enumerate(terms.labels):
        images = states @ SparsePauliOp(label).to_matrix(sparse=True).T
        values = terms.coefficients[term] * np.einsum("nk,nk->n", states.conj(), images).real
        rows = np.flatnonzero(parts[:, term] >= 0)
        means[rows, terms.groups[term], parts[rows, term]] += values[rows]
    means[plan.shots == 0] = np.nan
    return GroupEstimate(means, np.zeros_like(means))


def test_angles_that_share_no_term_share_a_slot():
    rules = rules_of(separable(3))
    assert rules.slots == 1
    np.testing.assert_allclose(rules.steps, np.full((1, 3), math.pi / 2))
    assert sorted(rules.part.tolist()) == [0, 1, 2]


def test_angles_that_share_a_term_do_not_share_a_slot():
    oracle = chain(5)
    rules = rules_of(oracle)
    for members in (np.flatnonzero(row) for row in rules.steps):
        assert (oracle.cones[members].sum(axis=0) <= 1).all()
    assert (rules.steps != 0).sum() == 5
    assert rules.slots == 2


def test_a_slot_is_read_out_in_the_cones_of_its_angles():
    oracle = chain(5)
    rules = rules_of(oracle)
    for pair, angle in enumerate(rules.angle):
        inside = rules.parts[rules.slot[pair]] == rules.part[pair]
        np.testing.assert_array_equal(inside, oracle.cones[angle])


def test_the_centre_is_read_out_by_atoms_of_the_cones():
    """The parts that an angle can change make up its cone, and none is in it by half."""
    oracle = Cosines([(0, 1), (1, 2), (0,), (2,), (0, 1)], [1, 2, 3, 4, 5], [0, 0, 1, 1, 0])
    rules = rules_of(oracle)
    atoms = rules.parts[-2]
    assert atoms[0] == atoms[4]
    assert len(set(atoms)) == rules.in_cone.shape[1] == 4
    for angle in range(3):
        np.testing.assert_array_equal(rules.in_cone[angle][atoms], oracle.cones[angle])
    assert (rules.parts[-1] == 0).all()


def test_priors_are_sums_of_squared_coefficients():
    oracle = Cosines([(0, 1), (1, 2), (0,), (2,)], [1, 2, 3, 4], [0, 0, 1, 1])
    rules = rules_of(oracle)
    assert rules.prior.tolist() == [[1, 9], [5, 0], [4, 16]]
    assert rules.total_prior.tolist() == [5, 25]


@pytest.mark.parametrize(
    "name", ["h2", "ising4", "dev_controlled4", "dev_sums4", "dev_repeats4", "dev_halves4",
             "ucc_h2", "dev_ucc_h3plus", "dev_qaoa5_p1_random"],
)  # fmt: skip
def test_slopes_and_values_of_circuits_are_exact(name):
    """Exact expectations go in, exact slopes and the exact energy come out."""
    problem = get_problem(name)
    oracle = ShotOracle(problem, 0)
    live = np.flatnonzero([spectrum.maximum > 0 for spectrum in oracle.spectra])
    scale = np.array([oracle.spectra[index].maximum for index in live])
    plain = single_rules(tuple(oracle.spectra[index] for index in live), RuleParams())
    rules = make_group_rules(oracle.circuit, live, plain)
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, problem.dim)
    scatter = first_scatter(rules, PARAMS)
    angles = x[live] * scale
    plan, memo = plan_pairs(angles, 1e6, 1e5, rules, scatter, 1, rng, PARAMS)
    points = np.tile(x, (len(plan.points), 1))
    points[:, live] = plan.points / scale
    plan = type(plan)(points, plan.shots, plan.partition, plan.parts)
    reading, _ = read_groups(exact_estimate(problem, plan), memo, rules, scatter, PARAMS)
    energies, gradients = problem.energy_and_gradient(x)
    exact = ~plain.finite
    assert exact.any()
    np.testing.assert_allclose(
        reading.slopes[exact], (gradients[0, live] / scale)[exact], atol=1e-9
    )
    assert reading.value == pytest.approx(energies[0], abs=1e-9)
    single = np.bincount(plain.angle) == 1
    steps = np.eye(problem.dim)[live] * 1e-4
    slopes = [problem.energy_and_gradient(x + side * steps)[1][:, live] for side in (1, -1)]
    curvatures = np.diag(slopes[0] - slopes[1]) / 2e-4 / scale**2
    two_point = np.array([oracle.spectra[index].two_point for index in live]) & single
    np.testing.assert_allclose(reading.curvatures[two_point], curvatures[two_point], atol=1e-6)


def test_a_pair_for_each_angle_where_a_descent_explores():
    oracle = ShotOracle(get_problem("dev_controlled4"), 0)
    rules = rules_of(oracle, pair_rules)
    assert rules.angle.tolist() == list(range(rules.dim))
