"""The Relevance Feature and Vector Machine for Python.

A Bayesian classifier for *fat* data (few samples, very many features) that learns in one fit which few features matter
and which few samples define the model. The estimators follow scikit-learn's conventions; the work is done by the same
engine that the command line program ``rfvm`` runs, and model files go both ways.

Examples
--------
>>> from rfvm import RFVMClassifier, datasets
>>> study = datasets.make_fat_classification(n_samples=60, n_features=500, effect=3.0, random_state=1)
>>> model = RFVMClassifier(size="compact").fit(study.data, study.target)
>>> int(model.get_support().sum())
3
"""

from rfvm import datasets
from rfvm._base import LeakageWarning, WeakSignalWarning
from rfvm._classifier import RFVMClassifier
from rfvm._core import Iteration, __version__
from rfvm._evaluate import evaluate
from rfvm._files import load
from rfvm._regressor import RFVMRegressor
from rfvm._report import report
from rfvm._validate import validate
from rfvm.resampling import Resampling, resample

__all__ = [
    "Iteration",
    "LeakageWarning",
    "RFVMClassifier",
    "RFVMRegressor",
    "Resampling",
    "WeakSignalWarning",
    "__version__",
    "datasets",
    "evaluate",
    "load",
    "report",
    "resample",
    "validate",
]
