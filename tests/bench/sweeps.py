"""Small sweeps that the tests of the bench share."""

from qiskit_arcmaes.bench.experiments import Experiment, Grid

TABLES = ("runs.csv", "trajectories.csv")


def small_experiment(runs):
    """Functions and circuits, methods that adapt and methods that do not: below a second."""
    functions = Grid(
        ("function:sphere", "function:random_quadratic", "function:trid~growing"),
        (1000,),
        ("frugal", "cma@B/1000", "spsa@10"),
        dims=(3,),
        noise=(1.0,),
    )
    levels = Grid(
        ("function:random_quadratic",), (1000,), ("lra:10@1",), dims=(3,), noise=(1.0, 4.0)
    )
    circuits = Grid(("h2",), (1000,), ("frugal", "spsa@10"))
    return Experiment("small", "A small sweep", (), (functions, levels, circuits), runs=runs)


SLOW = ("sphere", "ellipsoid", "trid", "schwefel02", "rastrigin", "cosine_mixture")


def slow_experiment(runs=2, budget=10_000):
    """Tasks of some tenths of a second each."""
    problems = tuple("function:" + name for name in SLOW)
    grid = Grid(problems, (budget,), ("cma",), dims=(5,), noise=(1.0,))
    return Experiment("slow", "A slow sweep", (), (grid,), runs=runs)


def tables(directory):
    """The bytes of what must be identical."""
    return {name: (directory / name).read_bytes() for name in TABLES}
