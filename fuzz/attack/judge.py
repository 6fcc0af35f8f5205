"""Runs the program on hostile files and judges what it did; knows nothing of formats."""

import json
import multiprocessing
import os
import resource
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

# Of the processor, so that a busy machine does not look like a hang; whoever waits for nothing is ended by the clock.
SECONDS = 20.0
PATIENCE = 60.0
SMALL = 4_000_000
MEMORY = 1 << 30
# Beyond what is judged, so that too much memory is told from an allocation that failed.
ADDRESS_SPACE = 8 << 30
USUAL_CODES = (0, 2)


@dataclass(frozen=True)
class Case:
    """Files, the arguments of one run among them, and what must come of it.

    ``outputs`` are the JSON files that the run may write. Where neither ``refused`` nor ``accepted`` is set, both an
    answer and a refusal are right; ``says`` must be among what is printed.
    """

    name: str
    files: dict[str, bytes]
    arguments: list[str]
    refused: bool = False
    accepted: bool = False
    says: str = ""
    outputs: list[str] = field(default_factory=list)


# A scenario yields cases; it is given numbers at random, and how many mutations of each file are wanted.
Scenario = Callable[[Random, int], Iterator[Case]]


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    case: Case
    code: int
    seconds: float
    memory: int
    printed: str
    faults: list[str]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} in the output")


def _not_finite(text: str) -> str:
    """What is wrong with the numbers of a JSON text; nothing where they are sound."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        return f"its JSON is wrong: {error}"
    return ""


def run(program: Path, case: Case, folder: Path) -> Outcome:
    """Run one case in an empty folder."""
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    with (folder / ".stdout").open("w+b") as out, (folder / ".stderr").open("w+b") as err:
        begun = time.monotonic()
        child = subprocess.Popen(
            [program, *case.arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        alarm = threading.Timer(PATIENCE, child.kill)
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        waited = time.monotonic() - begun
        seconds = usage.ru_utime + usage.ru_stime
        alarm.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, complaints = (file.read().decode(errors="replace") for file in (out, err))
    faults = _faults(case, child.returncode, usage.ru_maxrss * 1024, printed, complaints)
    if seconds >= SECONDS or waited >= PATIENCE:
        faults.insert(0, f"took {seconds:.1f} s of the processor, {waited:.1f} s by the clock")
    for name in case.outputs:
        path = folder / name
        wrong = _not_finite(path.read_text()) if path.is_file() else ""
        faults += [f"{name}: {wrong}"] if wrong else []
    return Outcome(case, child.returncode, seconds, usage.ru_maxrss * 1024, printed + complaints, faults)


def _faults(case: Case, code: int, memory: int, printed: str, complaints: str) -> list[str]:
    faults = []
    if code < 0:
        faults.append(f"ended by signal {-code}")
    elif code == 101 or "panicked" in complaints:
        faults.append("panicked")
    elif code not in USUAL_CODES:
        faults.append(f"ended with {code}")
    elif code != 0 and not complaints.strip():
        faults.append("refused without a word")
    size = sum(map(len, case.files.values()))
    if size < SMALL and memory > MEMORY:
        faults.append(f"took {memory >> 20} MiB for files of {size} bytes")
    if case.refused and code == 0:
        faults.append("was accepted in silence")
    if case.accepted and code != 0:
        faults.append("was refused")
    if case.says not in printed + complaints:
        faults.append(f"does not say: {case.says}")
    if code == 0 and "--json" in case.arguments:
        wrong = _not_finite(printed)
        faults += [wrong] if wrong else []
    return faults


def _limit_address_space() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _in_a_folder(program: Path, case: Case) -> Outcome:
    # Files lie in memory, where the system has such a folder.
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        return run(program, case, Path(folder))


def judge(program: Path, cases: Iterable[Case], deadline: float, jobs: int) -> Iterator[Outcome]:
    """Run all cases, some at a time, until the deadline (of the monotonic clock)."""
    # What a process takes before it becomes the program counts as the program's, so that those that start it are small:
    # they are no copies of this one, which holds the files.
    apart = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=apart, initializer=_limit_address_space) as pool:
        waiting: deque[Future[Outcome]] = deque()
        for case in cases:
            if time.monotonic() > deadline:
                break
            waiting.append(pool.submit(_in_a_folder, program, case))
            if len(waiting) > 4 * jobs:
                yield waiting.popleft().result()
        yield from (future.result() for future in waiting)
