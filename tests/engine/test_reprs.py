"""What a terminal and a notebook show of results, histories and optimizers."""

import numpy as np
import pytest

from qiskit_arcmaes import ARCMAES, CMAES, GaussianOracle, History, get_function, minimize
from qiskit_arcmaes.engine.markup import table

from ..optimizers.common import OPTIMIZERS


def oracle():
    return GaussianOracle(get_function("sphere", 3), seed=1)


@pytest.mark.parametrize(
    "solve",
    [
        lambda: minimize(oracle(), [1.0] * 3, max_shots=5000, seed=1),
        lambda: ARCMAES(5000, seed=1).minimize(oracle(), [1.0] * 3),
    ],
)
def test_a_result_shows_value_error_and_cost(solve):
    result = solve()
    for text in (repr(result), result._repr_html_()):
        assert f"{result.fun:.6g} ± {result.fun_std:.2g}" in text
        assert f"{result.shots:,}" in text
        assert result.message in text
    assert result.plot(reference=0.0).axes


@pytest.mark.parametrize(("jobs", "shown"), [(0, 0), (1, 1), (7, 7), (8, 7), (100, 7)])
def test_a_history_shows_its_first_and_last_rows(jobs, shown):
    history = History()
    for job in range(jobs):
        history.append({"shots": 2.0, "spent": 2.0 * (job + 1)})
    text = history._repr_html_()
    assert text.count("<tr><td>") == shown
    assert ("…" in text) == (jobs > 7)
    if jobs:
        assert f"<td>{2 * jobs}</td></tr></table>" in text
    assert f"{jobs} jobs" in repr(history)


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_an_optimizer_shows_what_was_set(kind):
    assert repr(kind()) == f"{kind.__name__}(max_shots=1000000)"
    chosen = kind(2000, seed=7, popsize=12)
    assert repr(chosen) == f"{kind.__name__}(max_shots=2000, popsize=12, seed=7)"
    assert eval(repr(chosen), {kind.__name__: kind}).settings == chosen.settings
    assert "<td>popsize</td><td>12</td>" in chosen._repr_html_()


def test_the_variant_is_shown_and_arrays_are_no_trouble():
    chosen = ARCMAES(2000, variant="ar-paper", bounds=np.array([[0.0, 1.0]]))
    assert "variant='ar-paper'" in repr(chosen)
    assert "bounds=array([[0., 1.]])" in repr(chosen)


def test_subclasses_with_arguments_of_their_own_can_be_shown():
    class Mine(CMAES):
        def __init__(self, needed):
            super().__init__(needed)

    assert repr(Mine(300)) == "Mine(max_shots=300)"


def test_tables_escape_what_they_show():
    assert table([("<b>",)], head=("a&b",), caption="<c>") == (
        "<table><caption>&lt;c&gt;</caption><tr><th>a&amp;b</th></tr>"
        "<tr><td>&lt;b&gt;</td></tr></table>"
    )
