import numpy as np
import pytest

from qiskit_arcmaes.bench.report.ecdf import ecdf, share_below


def test_it_is_the_papers_formula_at_every_target():
    errors = np.random.default_rng(3).lognormal(size=40).round(1)  # rounded: some are equal
    targets, shares = ecdf(errors)
    for target, share in zip(targets, shares, strict=True):
        assert share == sum(1 for error in errors if error <= target) / len(errors)
    assert shares[-1] == 1.0
    assert (np.diff(targets) > 0).all()


def test_a_run_without_an_answer_reaches_no_target():
    targets, shares = ecdf([1.0, np.nan, np.inf, 2.0])
    assert targets.tolist() == [1.0, 2.0]
    assert shares.tolist() == [0.25, 0.5]


def test_the_share_below_a_target_is_the_ecdf_there():
    errors = [0.5, 0.1, 3.0, np.nan]
    assert share_below(errors, 0.5) == 0.5
    assert share_below(errors, 0.0) == 0.0
    with pytest.raises(ValueError, match="at least one run"):
        share_below([], 1.0)
