"""Jobs planned by measurement group: priced, measured, checked, told, undone, saved."""

import numpy as np
import pytest

from qiskit_arcmaes import OracleError, Settings, ShotFrugal, Stop
from qiskit_arcmaes.engine.prepare import prepare, prepare_steps
from tests.engine import planning
from tests.engine.planning import Spoiled, make_oracle, registered, solve
from tests.processes import start
from tests.runs import same


def test_a_planned_run_ends_with_its_budget_used_and_every_shot_counted():
    oracle = make_oracle()
    result = solve(oracle)
    assert result.stop is Stop.BUDGET
    assert 0.9 * planning.BUDGET < result.shots == oracle.spent <= planning.BUDGET
    assert result.algorithm == "planned descent"
    assert set(result.history["points"]) == {8.0}
    assert set(result.history["shots"]) == {float(planning.SHOTS)}
    assert np.isnan(result.history["value"]).all()
    assert result.nfev == 8 * len(result.history) + 1
    assert result.fun < -1.8


def test_the_price_is_that_of_the_plan():
    with registered():
        settings = Settings(max_shots=2000, method="planned", seed=1)
        run = prepare(make_oracle(), planning.START, settings)
    while (batch := run.ask()) is not None:
        before = run.ledger.spent
        run.tell(batch, run.evaluate(batch))
        assert run.ledger.spent - before == batch.plan.total
    batch = run.method.ask()
    assert run.ledger.spent + batch.plan.total + run.reserve > 2000


def test_the_setup_says_what_can_be_planned():
    oracle = make_oracle()
    with registered():
        settings = Settings(max_shots=2000, method="planned", max_jobs=9)
        setup = prepare(oracle, planning.START, settings).method.setup
        assert prepare_steps(oracle, planning.START, settings).method.setup.circuit is None
    assert setup.circuit is oracle.circuit
    assert setup.evaluation_shots == oracle.circuit.num_groups
    assert setup.max_jobs == 8


def test_nothing_is_planned_step_by_step():
    oracle = make_oracle()
    for fun in (oracle, None):
        optimizer = ShotFrugal(max_shots=5000)
        optimizer.start(fun, planning.START)
        assert optimizer._started.method.setup.circuit is None


def test_a_loss_that_is_not_plain_goes_on_without_plans():
    oracle = Spoiled(planning.not_plain)
    result = solve(oracle)
    assert result.success
    assert result.shots == oracle.spent <= planning.BUDGET
    assert result.algorithm == "planned descent, then descent"
    phases = result.history["phase"].tolist()
    assert phases.index("descent") == 5
    assert np.diff(result.history["spent"]).min() > 0  # what the fifth plan took stays spent
    assert result.fun < -1.8


@pytest.mark.parametrize("spoil", [planning.with_failures, planning.infinite, planning.huge])
def test_failed_measurements_are_counted(spoil):
    """What is infinite, or overflows when squared, has failed as NaN has."""
    result = solve(Spoiled(spoil))
    assert result.failures == 1
    assert np.isfinite(result.x).all()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (planning.all_failed, "all 16 measurements of a plan failed"),
        (planning.wrong_shape, r"means of shape \(1, 2, 1\) for a plan of shape \(8, 2, 1\)"),
        (planning.wrong_kind, "must return a GroupEstimate, not ndarray"),
        (planning.too_dear, "its price must be an upper bound"),
        (planning.free, "charged nothing for a job: measure must call"),
        (planning.raised, "the service is down"),
    ],
)
def test_what_an_oracle_may_not_do(spoil, words):
    with pytest.raises(OracleError, match=words) as caught:
        solve(Spoiled(spoil))
    assert len(caught.value.result.history) == 4


def test_an_oracle_that_edits_its_plan_harms_nobody():
    def edits(oracle, plan, estimate):
        plan.points[:] = 1e6
        return estimate

    same(solve(Spoiled(edits)), solve(make_oracle()))


def test_a_killed_run_goes_on_bit_for_bit(tmp_path):
    path = tmp_path / "run"
    process = start(planning.solve_until_killed, path)
    process.join()
    assert process.exitcode == 9
    same(solve(make_oracle(), checkpoint=path, resume=True), solve(make_oracle()))


def test_a_failed_plan_is_measured_again_on_resume(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(OracleError):
        solve(Spoiled(planning.raised), checkpoint=path)
    same(solve(make_oracle(), checkpoint=path, resume=True), solve(make_oracle()))


@pytest.mark.parametrize("on_interrupt", ["return", "raise"])
def test_an_interrupt_in_a_plan_loses_nothing(tmp_path, on_interrupt):
    path = tmp_path / "run"
    arguments = {"checkpoint": path, "on_interrupt": on_interrupt}
    try:
        result = solve(Spoiled(planning.interrupted), **arguments)
    except KeyboardInterrupt as interrupt:
        result = interrupt.result
    assert result.stop is Stop.INTERRUPTED
    assert len(result.history) == 4
    same(solve(make_oracle(), resume=True, **arguments), solve(make_oracle()))


def test_a_method_without_plans_has_none_to_forget():
    method = prepare(make_oracle(), planning.START, Settings(max_shots=2000, method="cma")).method
    with pytest.raises(NotImplementedError, match="FixedShots plans nothing by group"):
        method.tell_groups(None, None)
    before = method.state
    method.forget_plans()
    assert method.state is before
    assert method.setup.circuit is None
