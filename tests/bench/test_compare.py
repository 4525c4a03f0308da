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
    found = compare(first, second)
    assert list(found.problem) == ["sphere", "h2"]
    assert list(found.loc[0, ["A", "B"]]) == [np.median(base), np.median(base / 100)]
    assert found["B/A"][0] == pytest.approx(0.01)
    assert found.p[0] == stats.mannwhitneyu(base, base / 100).pvalue < 1e-4
    assert found["B/A"][1] == 1
    assert found.p[1] > 0.9


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
    found = compare(first, second)
    assert np.isnan(found["B/A"][0])
    assert found["B/A"][1] == np.inf
    assert found.p[0] == 1
    assert "nan" in comparison_table(found)


def test_nothing_in_common(tmp_path):
    first = make(tmp_path / "a", {("h2", "frugal"): [1.0]})
    second = make(tmp_path / "b", {("h2", "uh"): [1.0]})
    with pytest.raises(ValueError, match="in common"):
        compare(first, second)
