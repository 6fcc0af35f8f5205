"""Docstrings in numpydoc that name every parameter."""

import inspect
import re
from pathlib import Path

import pytest

import rfvm
from rfvm import datasets, plotting

PUBLIC = [
    rfvm.RFVMClassifier,
    rfvm.RFVMRegressor,
    rfvm.evaluate,
    rfvm.resample,
    rfvm.load,
    rfvm.report,
    rfvm.validate,
    *(getattr(module, name) for module in (datasets, plotting) for name in module.__all__),
]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_docstrings(thing):
    docscrape = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is not installed")
    documented = docscrape.NumpyDocString(inspect.getdoc(thing))
    named = {name.strip(" *") for entry in documented["Parameters"] for name in entry.name.split(",")}
    assert named == set(inspect.signature(thing).parameters)
    assert documented["Summary"]


@pytest.mark.parametrize("estimator", [rfvm.RFVMClassifier, rfvm.RFVMRegressor])
def test_methods_are_documented(estimator):
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        if not name.startswith("_"):
            assert method.__doc__, name


def test_the_page_runs(tmp_path, monkeypatch):
    """Every block of docs/python.md, one after the other as a reader would, but for those that need a cluster."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "backend=" not in block]
    assert len(blocks) == 5
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert (tmp_path / "report.html").exists()
