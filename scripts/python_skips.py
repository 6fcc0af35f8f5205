"""A pytest plugin that adds every skipped test to the file that RFVM_SKIPPED names: pytest -p python_skips."""

import os
from pathlib import Path

import pytest


def note(report: pytest.TestReport | pytest.CollectReport) -> None:
    """One line a skip, the name and what is missing; an expected failure is none."""
    place = os.environ.get("RFVM_SKIPPED")
    if place and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        with Path(place).open("a") as skipped:
            skipped.write(f"{report.nodeid}\t{' '.join(why.removeprefix('Skipped: ').split())}\n")


pytest_runtest_logreport = pytest_collectreport = note
