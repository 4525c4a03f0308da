"""Outcomes of measurement groups: tables, outcomes that were seen, projectors, many qubits."""

from __future__ import annotations

import numpy as np
import pytest

from qiskit_arcmaes.oracles import MeasurementPlan
from qiskit_arcmaes.primitives import group_outcomes, group_readout
from qiskit_arcmaes.primitives.group_outcomes import GroupOutcomes
from qiskit_arcmaes.primitives.group_readout import GroupReadout, group_terms

OBSERVABLE = {"ZZI": 1.0, "I1Z": 0.5, "0-I": 0.3, "XXX": -2.0, "IXI": 0.4, "III": 7.0}


def some_plan(rng, terms, points=6, partitions=3):
    shots = rng.integers(0, 50, (points, len(terms.axes)))
    shots[0] = 1
    parts = rng.integers(-1, 3, (partitions, len(terms.labels)))
    return MeasurementPlan(np.zeros((points, 1)), shots, rng.integers(0, partitions, points), parts)


@pytest.mark.parametrize("largest", [0, 2**16])
def test_values_of_outcomes_are_those_of_the_table(largest, monkeypatch):
    monkeypatch.setattr(group_outcomes, "_LARGEST_TABLE", largest)
    terms = group_terms(OBSERVABLE)
    for group in range(len(terms.axes)):
        outcomes = GroupOutcomes(terms, group)
        every = range(outcomes.table.shape[1])
        assert np.array_equal(outcomes.values(every), outcomes.table)


@pytest.mark.parametrize("largest", [0, 2**16])
def test_means_and_variances_are_those_of_the_shots(largest, monkeypatch):
    """Dense tables and outcomes that were seen give the same, which is that of a list of shots."""
    monkeypatch.setattr(group_readout, "_LARGEST_TABLE", largest)
    rng = np.random.default_rng(1)
    terms = group_terms(OBSERVABLE)
    readout, plan = GroupReadout(terms), some_plan(rng, terms)
    estimate = readout.empty(plan)
    for group, axes in enumerate(terms.axes):
        own = GroupOutcomes(terms, group)
        rows = np.flatnonzero(plan.shots[:, group])
        chances = rng.dirichlet(np.ones(2 ** (3 - axes.count("I"))), len(rows))
        counts = rng.multinomial(plan.shots[rows, group], chances)
        readout.fill(estimate, plan, group, rows, counts)
        for row, counted in zip(rows, counts, strict=True):
            shots = own.values(np.repeat(np.arange(len(counted)), counted).tolist())
            parts = plan.parts[plan.partition[row]][own.members]
            for part in range(plan.num_parts):
                values = shots[parts == part].sum(axis=0)
                assert estimate.means[row, group, part] == pytest.approx(values.mean())
                if len(values) > 1:
                    wanted = values.var(ddof=1)
                    assert estimate.variances[row, group, part] == pytest.approx(wanted, abs=1e-12)
                else:
                    assert np.isnan(estimate.variances[row, group, part])
    assert np.array_equal(np.isnan(estimate.means[:, :, 0]), plan.shots == 0)


def test_a_hundred_qubits_are_read_out_by_the_outcomes_seen():
    qubits = 100
    labels = ["I" * (qubits - 1 - q) + "Z" + "I" * q for q in range(qubits)] + ["Z" * qubits]
    terms = group_terms(dict.fromkeys(labels, 1.0))
    readout = GroupReadout(terms)
    plan = MeasurementPlan(
        np.zeros((1, 1)), np.array([[4]]), np.zeros(1, int), np.array([[0] * qubits + [1]])
    )
    estimate = readout.empty(plan)
    readout.fill_seen(estimate, plan, 0, 0, [0, 2**qubits - 1, 1], np.array([1, 1, 2]))
    assert estimate.means[0, 0].tolist() == [(100 - 100 + 2 * 98) / 4, 0.0]


def test_tables_are_kept_within_bounds():
    rng = np.random.default_rng(2)
    terms = group_terms({"Z": 1.0})
    readout = GroupReadout(terms)
    for _ in range(400):
        plan = some_plan(rng, terms, points=1, partitions=9)
        readout.fill(readout.empty(plan), plan, 0, np.zeros(1, int), np.array([[1, 0]]))
    assert len(readout._tables) <= 256
