"""The table of a run: columns, slices, and the way to pandas and back."""

import sys

import numpy as np
import pytest

from qiskit_arcmaes import METHODS, GaussianOracle, History, get_function, minimize
from qiskit_arcmaes.engine.history import COMMON


def table(rows):
    history = History()
    for row in range(rows):
        history.append({"phase": f"phase {row % 2}", "shots": float(row)})
    return history


@pytest.mark.parametrize(
    "part",
    [slice(3, 7), slice(None), slice(-2, None), slice(None, None, 3), slice(5, 2), slice(8, 99)],
)
def test_a_slice_is_a_history_of_these_rows(part):
    history = table(10)
    found = history[part]
    assert isinstance(found, History)
    assert found.columns == history.columns
    np.testing.assert_array_equal(found["shots"], np.arange(10.0)[part])
    assert len(found) == len(range(*part.indices(10)))
    assert found["phase"].tolist() == history["phase"][part].tolist()


def test_a_slice_is_a_copy():
    history = table(4)
    part = history[:2]
    part.append({"phase": "later", "shots": 9.0})
    assert (len(history), len(part)) == (4, 3)


def test_columns_are_arrays_and_unknown_ones_are_named():
    history = table(3)
    assert history["shots"].dtype == float
    assert list(history) == ["phase", "shots"] == list(history.columns)
    with pytest.raises(KeyError, match="history has no column 'energy'; it has phase, shots"):
        history["energy"]


def test_an_empty_history():
    history = History()
    assert len(history) == 0
    assert history.columns == ()
    assert len(history[:5]) == 0
    assert "0 jobs" in repr(history)


def test_the_first_row_decides_the_columns():
    history = table(1)
    with pytest.raises(KeyError):
        history.append({"phase": "without shots"})


def test_there_and_back():
    history = table(5)
    again = History.from_dict(history.to_dict())
    assert again.columns == history.columns
    for name in history.columns:
        np.testing.assert_array_equal(again[name], history[name])
    with pytest.raises(ValueError, match="must have the same length"):
        History.from_dict({"a": np.arange(3), "b": np.arange(4)})


def test_pandas_takes_it():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table(3).to_dict())
    assert frame.shape == (3, 2)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_common_columns_first_then_those_with_labels(method):
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    result = minimize(oracle, np.ones(3), max_shots=3000, method=method, seed=1)
    columns = result.history.columns
    assert columns[: len(COMMON)] == COMMON
    assert set(columns[len(COMMON) :]) == set(result.labels)
    assert all(label.strip() for label in result.labels.values())
    assert all(isinstance(phase, str) and phase for phase in result.history["phase"])
    assert np.all(np.diff(result.history["iteration"]) >= 0)
    assert np.all(result.history["radius"] > 0)


def test_rows_columns_and_slices():
    history = minimize(
        GaussianOracle(get_function("sphere", 3), seed=1), [1.0] * 3, max_shots=3000, seed=1
    ).history
    assert history[0]["spent"] == history["spent"][0]
    assert history[-1]["phase"] == history["phase"][-1]
    assert len(history[1:3]) == 2
    assert history[["spent", "value"]].columns == ("spent", "value")
    assert history[[0, -1]]["spent"].tolist() == history["spent"][[0, -1]].tolist()
    late = history["spent"] > history["spent"][1]
    assert len(history[late]) == late.sum() > 0
    assert history[late]["value"].tolist() == history["value"][late].tolist()
    with pytest.raises(IndexError, match="was asked for"):
        history[len(history)]
    with pytest.raises(KeyError, match="no column 'nothing'"):
        history[["nothing"]]


def test_to_pandas():
    pytest.importorskip("pandas")
    history = minimize(
        GaussianOracle(get_function("sphere", 3), seed=1), [1.0] * 3, max_shots=3000, seed=1
    ).history
    frame = history.to_pandas()
    assert list(frame.columns) == list(history.columns)
    assert frame.index[0] == 1
    assert frame["spent"].tolist() == history["spent"].tolist()


def test_to_pandas_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        History().to_pandas()
