"""A sweep that takes outcomes over ends as one that runs them itself."""

import json
import shutil

import pytest

from qiskit_arcmaes.bench.baselines import SOLVERS
from qiskit_arcmaes.bench.commands import run_experiments
from qiskit_arcmaes.bench.description import PACKAGES
from qiskit_arcmaes.bench.experiments import Changes
from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.reuse import Reuse
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.store import Store, StoreError
from tests.bench.sweeps import small_experiment, tables

SEED = 3


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    place = tmp_path_factory.mktemp("earlier") / "sweep"
    return run_sweep(small_experiment(runs=1), place, root_seed=SEED, command="the first")


def counted(done):
    return lambda now, total: done.append((now, total))


def test_what_is_taken_over_is_not_run_and_the_tables_are_byte_identical(earlier, tmp_path):
    calls = []
    reuse = Reuse(earlier, anew=("frugal",))
    experiment = small_experiment(runs=1)
    run_sweep(experiment, tmp_path / "s", root_seed=SEED, watch=counted(calls), reuse=reuse)
    methods = list(earlier.table("runs").method)
    assert calls[0] == (len(methods) - methods.count("frugal"), len(methods))
    assert tables(tmp_path / "s") == tables(earlier.directory)
    seconds = [store.table("timings") for store in (earlier, Store.open(tmp_path / "s"))]
    old, new = (each[each.method == "spsa@10"].seconds.tolist() for each in seconds)
    assert old == new


def test_the_page_says_which_runs_are_taken_over_and_by_default_our_own_are_not(earlier, tmp_path):
    store = run_sweep(
        small_experiment(runs=2), tmp_path / "s", root_seed=SEED, reuse=Reuse(earlier)
    )
    assert store.description["reused"]["methods"] == "spsa@10"
    write_report(store.directory)
    page = (store.directory / "results.md").read_text(encoding="utf-8")
    assert "made by the first): the runs of spsa@10." in page


def test_a_sweep_that_differs_is_refused_with_the_reason(earlier, tmp_path):
    experiment, reuse = small_experiment(runs=1), Reuse(earlier)
    with pytest.raises(StoreError, match="has the root seed 3: it cannot be reused"):
        run_sweep(experiment, tmp_path / "s", root_seed=4, reuse=reuse)
    with pytest.raises(ValueError, match="anew: 'frugl' is unknown"):
        run_sweep(experiment, tmp_path / "s", root_seed=SEED, reuse=Reuse(earlier, ("frugl",)))
    assert not (tmp_path / "s").exists()
    run_sweep(experiment, tmp_path / "taken", root_seed=SEED, reuse=reuse)
    taken = Reuse(Store.open(tmp_path / "taken"))
    with pytest.raises(StoreError, match="took outcomes over itself"):
        run_sweep(experiment, tmp_path / "s", root_seed=SEED, reuse=taken)
    with pytest.raises(StoreError, match="holds a sweep with reused = "):
        run_sweep(experiment, tmp_path / "taken", root_seed=SEED)
    path = tmp_path / "taken" / "sweep.json"
    said = json.loads(path.read_text())
    said["versions"]["numpy"] = "1.0"
    path.write_text(json.dumps({**said, "reused": None}))
    with pytest.raises(StoreError, match="ran with other packages"):
        run_sweep(
            experiment, tmp_path / "s", root_seed=SEED, reuse=Reuse(Store.open(tmp_path / "taken"))
        )
    unfinished = Store.create(tmp_path / "open", earlier.description)
    with pytest.raises(StoreError, match="is not finished"):
        run_sweep(experiment, tmp_path / "s", root_seed=SEED, reuse=Reuse(unfinished))


def copied(store, place, command="the first", **versions):
    """A copy of a finished sweep that says another command, or other packages."""
    shutil.copytree(store.directory, place)
    path = place / "sweep.json"
    said = json.loads(path.read_text())
    said |= {"command": command, "versions": said["versions"] | versions}
    path.write_text(json.dumps(said))
    return Store.open(place)


def test_packages_that_no_method_taken_over_uses_may_differ(earlier, tmp_path):
    """SPSA, which is taken over, is that of qiskit-algorithms and uses none of the others."""
    others = dict.fromkeys(("cma", "cmaes", "Py-BOBYQA", "nevergrad", "distributed"), "0.0.1")
    source = copied(earlier, tmp_path / "others", **others)
    assert source.description["versions"]["cma"] == "0.0.1"
    store = run_sweep(small_experiment(runs=1), tmp_path / "s", root_seed=SEED, reuse=Reuse(source))
    assert store.description["reused"]["methods"] == "spsa@10"
    assert tables(tmp_path / "s") == tables(earlier.directory)


@pytest.mark.parametrize("package", ["python", "numpy", "scipy", "qiskit", "qiskit-algorithms"])
def test_packages_that_the_methods_taken_over_use_must_be_the_same(package, earlier, tmp_path):
    source = copied(earlier, tmp_path / "other", **{package: "0.0.1"})
    with pytest.raises(StoreError, match=rf"ran with other packages \({package} 0\.0\.1, here "):
        run_sweep(small_experiment(runs=1), tmp_path / "s", root_seed=SEED, reuse=Reuse(source))


def test_every_package_of_a_method_is_one_whose_version_is_kept():
    assert {family.package[0] for family in SOLVERS.values() if family.package} <= set(PACKAGES)


def test_the_page_shows_no_place_of_a_machine(earlier, tmp_path):
    """Only the last name of a directory that was given, also in the command of what is reused."""
    place, options = tmp_path / "new", f"--reuse {tmp_path}/old/ --out={tmp_path}/one"
    run_sweep(
        small_experiment(runs=1),
        place,
        root_seed=SEED,
        command=f"arcmaes bench run small {options} --noise 1 --seed 3",
        reuse=Reuse(copied(earlier, tmp_path / "first", f"arcmaes {options} ../../x/y")),
    )
    write_report(place)
    for name in ("results.md", "report.html"):
        page = (place / name).read_text(encoding="utf-8")
        assert "arcmaes bench run small --reuse old --out=one --noise 1 --seed 3" in page
        assert "made by arcmaes --reuse old --out=one y)" in page
        assert str(tmp_path) not in page


def test_another_experiment_with_the_same_runs_gives_them_too(tmp_path):
    """The experiment's name enters no seed."""
    changes = Changes(
        problems=("sphere",), dims=(2,), noise=(1.0,), budgets=(500,), methods=("uh:10",), runs=1
    )
    places = [str(tmp_path / name) for name in ("ecdf", "one-shot")]
    (first,) = run_experiments("ecdf", changes=changes, out=places[0])
    (second,) = run_experiments(
        "one-shot", changes=changes, out=places[1], reuse=places[0], anew=("frugal",)
    )
    assert second.description["reused"]["methods"] == "uh:10"
    errors = [list(store.table("runs").error) for store in (first, second)]
    assert errors[0] == errors[1]


def test_baselines_run_first_and_our_methods_are_added_to_them(earlier, tmp_path):
    baselines = small_experiment(runs=1).changed(Changes(without=("frugal",)))
    first = run_sweep(baselines, tmp_path / "first", root_seed=SEED)
    assert "frugal" not in set(first.table("runs").method)
    reuse = Reuse(first, anew=("frugal",))
    run_sweep(small_experiment(runs=1), tmp_path / "s", root_seed=SEED, reuse=reuse)
    assert tables(tmp_path / "s") == tables(earlier.directory)
    with pytest.raises(ValueError, match="without: 'frugl' is none of cma, frugal, "):
        small_experiment(runs=1).changed(Changes(without=("frugl",)))
