"""The rivals that libraries offer, each tuned on the training rows as the paper tuned it.

Every function takes a :class:`Task` and gives a :class:`Fitted`. Grids are the paper's, accuracy over five inner folds
decides, and of equals the first in the order of the grid is taken. Where work is shared between settings the result is
that of fitting each alone; where a fit has a stated limit the page names it.
"""

from __future__ import annotations

from forest import random_forest
from linear import lr_elastic, srvm_scikit, svm_l1
from nonlinear import mlp, sgp_ard

LIBRARY = {
    "SRVM scikit-rvm": srvm_scikit,
    "SVM-l1": svm_l1,
    "LR-elastic": lr_elastic,
    "RF": random_forest,
    "MLP": mlp,
    "SGP+ARD": sgp_ard,
}
