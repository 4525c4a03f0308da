"""A small real sweep for the tests of what is made of sweeps."""

from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.runner import run_sweep

FUNCTIONS = ("function:sphere", "function:trid")
METHODS = ("frugal", "cma@10", "uh")
BUDGETS = (2000, 20_000)
RUNS = 3
COMMAND = "arcmaes bench run demo --runs 3"


def run_small_sweep(place, budgets=BUDGETS):
    """Two functions at two noise levels and two budgets; and H2."""
    functions = Grid(FUNCTIONS, budgets, METHODS, dims=(2,), noise=(1.0, 10.0))
    molecule = Grid(("h2",), BUDGETS[:1], ("frugal", "uh"))
    demo = Experiment("demo", "A <small> sweep", (), (functions, molecule), runs=RUNS)
    return run_sweep(demo, place, command=COMMAND)
