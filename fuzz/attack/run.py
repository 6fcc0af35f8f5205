"""Attacks the program with hostile files: python fuzz/attack/run.py [--quick] [--program target/release/rfvm].

Every bomb and forgery that is known by name, and random mutations of small valid files of all formats
(``--mutations``, 1000 each), go through ``peek`` and, some of them, through ``fit``. A run fails where the program
aborts, panics, hangs (20 s of the processor, 60 by the clock), prints NaN or infinity as a number, takes more than
1 GiB for files below 4 MB, or accepts a file whose checksum is broken. ``--quick`` takes about a minute, all of it
ten at most. ``--only WORD`` runs the cases whose names have this word; ``--keep FOLDER`` keeps the files of the cases
that failed.

Needs Python 3.11 with the packages that fuzz/make_seeds.py imports. ``judge.py`` runs and judges, ``formats.py``
has the tables, ``bombs.py`` the files that grow, ``made.py`` forged models and studies; a new attack is a function in a
file of its own that yields :class:`judge.Case`, and a line in ``scenarios`` here.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import bombs
import formats
import made
from judge import Case, Outcome, Scenario, judge

MINUTE = 60.0


def scenarios(program: Path) -> dict[str, Scenario]:
    """Give them in this order: what is known by name comes before what is drawn at random."""
    return {
        "bombs": bombs.scenario,
        "checksums": formats.checksums,
        "cut": formats.cut_short,
        "made": made.scenario(program),
        "mutations": formats.mutations,
    }


def cases(program: Path, seed: int, mutations: int, only: str) -> Iterator[Case]:
    """Yield the cases of all scenarios whose names have a word in them."""
    for name, scenario in scenarios(program).items():
        for case in scenario(Random(f"{seed} {name}"), mutations):
            if only in f"{name}: {case.name}":
                yield case


def keep(outcome: Outcome, folder: Path) -> None:
    """Keep the files of a case that failed."""
    place = folder / "".join(c if c.isalnum() else "_" for c in outcome.case.name)
    place.mkdir(parents=True, exist_ok=True)
    for name, content in outcome.case.files.items():
        (place / name).write_bytes(content)


def main() -> int:
    """Run the attack; 1 where the program failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=Path("target/release/rfvm"))
    parser.add_argument("--mutations", type=int, help="of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a minute")
    parser.add_argument("--only", default="", help="cases with this word in their names")
    parser.add_argument("--keep", type=Path, help="folder for the files of cases that failed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if not given.program.is_file():
        parser.error(f"there is no program {given.program}; build it with cargo build --release")
    mutations = (20 if given.quick else 1000) if given.mutations is None else given.mutations
    begun = time.monotonic()
    deadline = begun + (1.5 if given.quick else 10) * MINUTE
    count, refused, failed, most = 0, 0, 0, (0, "")
    program = given.program.resolve()
    for outcome in judge(program, cases(program, given.seed, mutations, given.only), deadline, given.jobs):
        count += 1
        refused += outcome.code != 0
        most = max(most, (outcome.memory, outcome.case.name))
        if outcome.faults:
            failed += 1
            print(f"FAILED {outcome.case.name} ({' '.join(outcome.case.arguments)}): {'; '.join(outcome.faults)}")
            print(f"       {outcome.printed.strip()[-300:]!r}", flush=True)
            if given.keep:
                keep(outcome, given.keep)
    seconds = time.monotonic() - begun
    late = ", all there was time for" if time.monotonic() > deadline else ""
    print(f"{count} runs in {seconds:.0f} s{late}: {refused} refused, {failed} failed")
    print(f"most memory: {most[0] >> 20} MiB ({most[1]})")
    return int(failed > 0 or count == 0)


if __name__ == "__main__":
    sys.exit(main())
