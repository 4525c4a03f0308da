"""Attack the promises of the package, or add parts of an attack to one table.

    python -m tools.attack --minutes 2
    python -m tools.attack --tries 1000 --part 3 --out part-3.jsonl
    python -m tools.attack --only kill --seed 3000017
    python -m tools.attack --table part-*.jsonl

Every try has a seed, which follows from the part and from the number of the try; a broken promise
prints the command that tries it again. Signals from outside fall at seeded shares of the time that
the undisturbed run took: the same seed attacks the same run, at about the same moment.
"""

from __future__ import annotations

import argparse
import functools
import math
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, and the same sums everywhere
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["QISKIT_IN_PARALLEL"] = "TRUE"  # no thread pool in Qiskit: a forked child has none

from . import algorithms, files, plans, runs, services, sweeps, values  # noqa: F401  they register
from .harness import PROMISES, Tally, run_part, try_once
from .table import add_parts, markdown


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.attack",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="most wall-clock time")
    parser.add_argument("--tries", type=int, help="most tries")
    parser.add_argument("--part", type=int, default=0, help="all seeds follow from it")
    parser.add_argument("--only", nargs="+", choices=list(PROMISES), help="only these promises")
    parser.add_argument("--skip", nargs="+", choices=list(PROMISES), default=[], help="not these")
    parser.add_argument("--seed", type=int, help="one try of --only, with this seed")
    parser.add_argument("--out", type=Path, help="JSON lines of the counts go there")
    parser.add_argument("--table", nargs="+", type=Path, help="only add these files to a table")
    chosen = parser.parse_args(arguments)
    endless = chosen.tries is None and math.isinf(chosen.minutes)
    if endless and chosen.table is None and chosen.seed is None:
        parser.error("give --minutes or --tries")
    return chosen


def main(arguments: list[str]) -> int:
    """Attack; the exit code says whether a promise is broken."""
    chosen = parse(arguments)
    if chosen.table is not None:
        counts = add_parts(chosen.table)
        print(markdown(counts))
        return int(any(count["broken"] for count in counts.values()))
    names = [name for name in chosen.only or PROMISES if name not in chosen.skip]
    promises = [PROMISES[name] for name in names]
    if chosen.seed is not None:
        tally = Tally(chosen.part)
        for each in promises:
            print(f"{each.name}: {try_once(each, chosen.seed, tally, show=True) or 'kept'}")
        return int(bool(tally.broken))
    say = functools.partial(print, flush=True)

    def keep(tally: Tally) -> None:
        if chosen.out is not None:
            chosen.out.write_text(tally.to_json(), encoding="utf-8")

    tally = run_part(promises, chosen.part, 60 * chosen.minutes, chosen.tries, say, keep)
    width = max(map(len, tally.tries))
    print(f"{'promise'.ljust(width)}   tries   kills  failures")
    for name, count in tally.tries.items():
        failed = len(tally.broken.get(name, []))
        print(f"{name.ljust(width)}  {count:6,}  {tally.kills[name]:6,}  {failed:8,}")
    print(f"{tally.tries.total():,} tries, {sum(map(len, tally.broken.values()))} broken promises")
    return int(bool(tally.broken))


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # a cluster that replaces a killed worker would delay the end
