"""Docstrings in numpydoc that name every parameter."""

import inspect

import pytest

import rfvm
from rfvm import datasets, plotting

PUBLIC = [
    rfvm.RFVMClassifier,
    rfvm.RFVMRegressor,
    rfvm.resample,
    rfvm.load,
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
