"""Every client keeps its budget to the shot; Ctrl-C in it, and the run goes on where it stopped."""

import numpy as np
import pytest

from qiskit_arcmaes import Stop

from .solvers import SOLVERS, run

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
JOBS = {"max_jobs": 5}


class Interrupt:
    """A callback that is Ctrl-C at one of its calls."""

    def __init__(self, call):
        self.left = call

    def __call__(self, *_):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def ledgers(primitives):
    return [(one.ledger.jobs, one.ledger.shots) for one in primitives]


@pytest.mark.parametrize("name", SOLVERS)
def test_interrupted_and_resumed(name, tmp_path):
    """In the last minimisation of a client that makes several, after its first job."""
    solver, path = SOLVERS[name], tmp_path / "run"
    primitives, straight = run(name, **JOBS)
    assert len(straight) == solver.times
    assert all(result.success for result in straight)
    call = 1 + sum(len(result.history) for result in straight[:-1])
    interrupt = {"callback": Interrupt(call), "checkpoint": path, "on_interrupt": "raise"}
    with pytest.raises(KeyboardInterrupt) as stopped:
        run(name, **JOBS, **interrupt)
    assert stopped.value.result.stop is Stop.INTERRUPTED
    assert len(stopped.value.result.history) == 1
    resumed, again = run(name, **JOBS, checkpoint=path, resume=True)
    assert len(again) == len(straight)
    for one, other in zip(again, straight, strict=True):
        np.testing.assert_array_equal(one.x, other.x)
        assert (one.fun, one.shots, one.jobs) == (other.fun, other.shots, other.jobs)
    assert ledgers(resumed) == ledgers(primitives)


def test_without_raising_the_client_goes_on_with_the_point_so_far(tmp_path):
    _, (result,) = run("VQE", **JOBS, callback=Interrupt(2), checkpoint=tmp_path / "run")
    assert result.stop is Stop.INTERRUPTED
    assert not result.success
    assert len(result.history) == 2
