"""Every check that scikit-learn has for estimators; of those of its newest version none is expected to fail."""

import pytest
import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from rfvm import RFVMClassifier, RFVMRegressor


def expected_to_fail(estimator):
    """Of 1.6, which makes two classes of three by each table's own first row: not the same classes in both tables."""
    tells_two_apart = isinstance(estimator, RFVMClassifier) and estimator.method == "signatures"
    if not tells_two_apart or parse_version(sklearn.__version__) >= parse_version("1.7"):
        return {}
    name = "check_sample_weight_equivalence_on_{}_data"
    return dict.fromkeys([name.format("dense"), name.format("sparse")], "compares two different targets")


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
    ],
    expected_failed_checks=expected_to_fail,
)
def test_conventions(estimator, check):
    check(estimator)
