"""The command ``arcmaes``: reads what is typed; ``commands`` and ``single_run`` do it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TypeAlias, TypeVar

Value = TypeVar("Value")

_INTERRUPTED = 130  # the exit code of a command ended with Ctrl-C
_EPILOG = "Needs the extra: pip install 'qiskit-arcmaes[bench]'."
_SINGLE_RUN_NEEDS = {"matplotlib": "draws the picture", "rich": "shows the progress"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: The words after ``arcmaes``; default: those of the command line.

    Returns:
        The exit code: 0, or 2 for what could not be done, or 130 after Ctrl-C.

    Example:
        >>> main(["bench", "list"])  # doctest: +ELLIPSIS
        noiseless ...
        0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = build_parser().parse_args(words)
    options.command = shlex.join(["arcmaes", *words])
    try:
        options.action(options)
    except KeyboardInterrupt:
        print("\ninterrupted; what is finished is kept, the same command goes on.", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ModuleNotFoundError as error:
        print(f"arcmaes: {error.name} is not installed. {_EPILOG}", file=sys.stderr)
        return 2
    except (ValueError, RuntimeError) as error:
        print(f"arcmaes: {error}", file=sys.stderr)
        return 2
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; every command sets ``action``."""
    parser = argparse.ArgumentParser(
        prog="arcmaes",
        description="Optimizers for VQE and QAOA with real shots: single runs and benchmarks.",
    )
    parser.add_argument(
        "--version", action="version", version=f"arcmaes {metadata.version('qiskit-arcmaes')}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    bench = commands.add_parser("bench", help="experiments: list, run, report, compare, export")
    words = bench.add_subparsers(required=True, metavar="WORD")
    _add_list(words)
    _add_run(words)
    _add_report(words)
    _add_compare(words)
    _add_export(words)
    _add_single(commands, "vqe", "minimise the energy of a problem with Qiskit's VQE")
    _add_single(commands, "qaoa", "cut a graph with Qiskit's QAOA")
    return parser


_Words: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _add_list(words: _Words) -> None:
    words.add_parser("list", help="the experiments").set_defaults(action=_list)


def _add_run(words: _Words) -> None:
    run = words.add_parser(
        "run",
        help="run an experiment, or go on with an interrupted one",
        epilog="Lists are separated by commas: --dims 10,20. " + _EPILOG,
    )
    run.add_argument("experiment", help="a name from 'arcmaes bench list', or all")
    run.add_argument("--runs", type=_integer, help="repetitions")
    run.add_argument("--budget", type=_list_of(_integer), dest="budgets", help="shots, as 1e7,1e8")
    run.add_argument("--dims", type=_list_of(_integer), help="dimensions of the test functions")
    run.add_argument("--noise", type=_list_of(_number), help="variances of one shot (tau squared)")
    run.add_argument("--methods", type=_list_of(str), help="methods, as frugal,lra@10,cma@B/1e5")
    run.add_argument(
        "--without", type=_list_of(str), default=(), help="methods left out, as frugal,ar"
    )
    run.add_argument("--problems", type=_list_of(str), help="test functions and quantum problems")
    run.add_argument("--quick", action="store_true", help="small settings, for a look")
    run.add_argument("--seed", type=_integer, default=1, help="root of all randomness (default 1)")
    run.add_argument(
        "--jobs", type=_jobs, default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    run.add_argument("--scheduler", metavar="ADDRESS", help="run on this Dask cluster instead")
    run.add_argument("--out", metavar="DIR", help="where to (default out/bench/EXPERIMENT)")
    run.add_argument("--reuse", metavar="DIR", help="take outcomes over from this earlier sweep")
    run.add_argument(
        "--anew", type=_list_of(str), help="methods that run again (default: all of this package)"
    )
    run.set_defaults(action=_run)


def _add_report(words: _Words) -> None:
    report = words.add_parser("report", help="write the page and the figures of a sweep")
    report.add_argument("directory", type=Path, metavar="DIR", help="directory of the sweep")
    report.set_defaults(action=_report)


def _add_compare(words: _Words) -> None:
    compare = words.add_parser("compare", help="two sweeps side by side, with a rank test")
    compare.add_argument("first", metavar="A", help="directory of a sweep")
    compare.add_argument("second", metavar="B", help="directory of the other")
    compare.set_defaults(action=_compare)


def _add_export(words: _Words) -> None:
    export = words.add_parser("export", help="write a sweep in IOHanalyzer's format or as CSV")
    export.add_argument("directory", type=Path, metavar="DIR", help="directory of the sweep")
    export.add_argument("target", type=Path, metavar="TARGET", help="directory to write to")
    export.add_argument(
        "--format", choices=("iohanalyzer", "iohinspector", "csv"), default="iohanalyzer"
    )
    export.set_defaults(action=_export)


def _add_single(commands: _Words, name: str, text: str) -> None:
    single = commands.add_parser(name, help=text)
    single.add_argument("problem", metavar="PROBLEM", help="as h2, lih, ising6; maxcut8 for qaoa")
    single.add_argument("--shots", type=_number, default=1e6, help="budget (default 1e6)")
    single.add_argument(
        "--method", default="frugal", help="as frugal, uh, cma@100 (default frugal)"
    )
    single.add_argument("--seed", type=_integer, default=1, help="of all randomness (default 1)")
    single.add_argument("--picture", type=Path, metavar="FILE", help="where the picture goes")
    single.set_defaults(action=_single, algorithm=name)


def _list(options: argparse.Namespace) -> None:
    from qiskit_arcmaes.bench.commands import list_experiments

    print(list_experiments())


def _run(options: argparse.Namespace) -> None:
    from qiskit_arcmaes.bench.commands import run_experiments
    from qiskit_arcmaes.bench.experiments import Changes

    stores = run_experiments(
        options.experiment,
        changes=Changes(
            runs=options.runs,
            budgets=options.budgets,
            dims=options.dims,
            noise=options.noise,
            methods=options.methods,
            problems=options.problems,
            without=options.without,
        ),
        quick=options.quick,
        jobs=options.jobs,
        scheduler=options.scheduler,
        out=options.out,
        root_seed=options.seed,
        command=options.command,
        reuse=options.reuse,
        **({} if options.anew is None else {"anew": options.anew}),
    )
    for store in stores:
        print(f"{store.directory}: finished; see it with: arcmaes bench report {store.directory}")


def _report(options: argparse.Namespace) -> None:
    from qiskit_arcmaes.bench.report import write_report

    print(write_report(options.directory))


def _compare(options: argparse.Namespace) -> None:
    from qiskit_arcmaes.bench.commands import compare_stores

    print(compare_stores(options.first, options.second))


def _export(options: argparse.Namespace) -> None:
    from qiskit_arcmaes.bench import export

    print(export.export(options.directory, options.target, options.format))


def _single(options: argparse.Namespace) -> None:
    for name, use in _SINGLE_RUN_NEEDS.items():
        if importlib.util.find_spec(name) is None:
            raise ValueError(
                f"{name} is not installed, which {use}; get it with: "
                "pip install 'qiskit-arcmaes[plot]'"
            )
    from qiskit_arcmaes.bench import single_run

    start = single_run.run_vqe if options.algorithm == "vqe" else single_run.run_qaoa
    run = start(options.problem, options.shots, options.method, seed=options.seed)
    print(single_run.summary(run))
    print(single_run.write_picture(run, options.picture or single_run.default_picture(run)))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _integer(text: str, least: int = 0) -> int:
    """An integer, also as 1e7."""
    wanted = argparse.ArgumentTypeError(f"{text!r} is not an integer >= {least}")
    try:
        value = float(text)
    except ValueError:
        raise wanted from None
    if not value.is_integer() or value < least:
        raise wanted
    return int(value)


def _jobs(text: str) -> int:
    try:
        return _integer(text, least=1)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; leave it out to use all cores") from None


def _list_of(kind: Callable[[str], Value]) -> Callable[[str], tuple[Value, ...]]:
    def parse(text: str) -> tuple[Value, ...]:
        return tuple(kind(part) for part in text.split(",") if part)

    return parse


if __name__ == "__main__":
    raise SystemExit(main())
