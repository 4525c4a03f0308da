import numpy as np
import pytest
from scipy import stats

from qiskit_arcmaes.bench.compare import compare, comparison_table
from qiskit_arcmaes.bench.store import Record, Scores, Store
from qiskit_arcmaes.bench.tasks import Task


def make(directory, errors):
    """A store with these errors: {(problem, method): errors of the runs}."""
    store = Store.create(directory, {"experiment": "demo", "settings": {}, "root_seed": 1})
    for (problem, method), found in errors.items():
        noise = 1.0 if ":" in problem else None
        for run, error in enumerate(found):
            task = Task("demo", problem, 4, noise, 10**6, method, run)
            store.add(Record(task, Scores(1, float(error), None, None, 9, 1, "")))
    store.finish()
    return store


@pytest.fixture
def stores(tmp_path):
    rng = np.random.default_rng(1)
    base = rng.lognormal(size=12)
    first = {("function:sphere", "frugal"): base, ("h2", "frugal"): base, ("h2", "uh"): base}
    second = {
        ("function:sphere", "frugal"): base / 100,
        ("h2", "frugal"): base[::-1],
        ("h2", "nft"): base,
    }
    return make(tmp_path / "a", first), make(tmp_path / "b", second), base


def test_medians_ratio_and_rank_test(stores):
    first, second, base = stores
    sphere, same = compare(first, second)
    assert (sphere.group.problem, same.group.problem) == ("function:sphere", "h2")
    assert sphere.medians == (np.median(base), np.median(base / 100))
    assert sphere.ratio == pytest.approx(0.01)
    assert sphere.chance == stats.mannwhitneyu(base, base / 100).pvalue < 1e-4
    assert same.ratio == 1
    assert same.chance > 0.9


def test_the_table_tells_it_and_what_is_beyond_chance(stores):
    text = comparison_table(compare(*stores[:2]))
    sphere = next(line for line in text.splitlines() if line.startswith("sphere"))
    assert sphere.split()[4:6] == ["frugal", "12/12"]
    assert sphere.split()[-2] == "0.01"
    assert "geometric mean of B/A: 0.1 over 2 groups" in text
    assert "of 2 groups B is lower in 1 and higher in 0 beyond chance" in text


def test_zero_errors_make_no_trouble(tmp_path):
    first = make(tmp_path / "a", {("h2", "frugal"): [0.0, 0.0], ("h2", "uh"): [0.0, 0.0]})
    second = make(tmp_path / "b", {("h2", "frugal"): [0.0, 0.0], ("h2", "uh"): [1.0, 1.0]})
    both, one = compare(first, second)
    assert np.isnan(both.ratio)
    assert one.ratio == np.inf
    assert both.chance == 1
    assert "nan" in comparison_table([both, one])


def test_nothing_in_common(tmp_path):
    first = make(tmp_path / "a", {("h2", "frugal"): [1.0]})
    second = make(tmp_path / "b", {("h2", "uh"): [1.0]})
    with pytest.raises(ValueError, match="in common"):
        compare(first, second)
