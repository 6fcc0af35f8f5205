"""Every check that scikit-learn has for estimators, none of them expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rfvm import RFVMClassifier, RFVMRegressor


@pytest.mark.filterwarnings("ignore:No features were selected")
@parametrize_with_checks(
    [
        RFVMClassifier(),
        RFVMClassifier(size="compact", class_weight="balanced", threads=1),
        RFVMClassifier(size="full"),
        RFVMClassifier(method="signatures", impute="median"),
        RFVMClassifier(method="signatures", signatures=2),
        RFVMRegressor(),
        RFVMRegressor(size="full"),
        RFVMRegressor(method="signatures"),
    ]
)
def test_conventions(estimator, check):
    check(estimator)
