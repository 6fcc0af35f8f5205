"""What the tests share: small studies, real data where they are, the command line program."""

import os
import shutil
from pathlib import Path

import pytest

# Before SciPy is there: without it scikit-learn leaves its checks of other arrays out.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from rfvm import datasets

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def study():
    return datasets.make_fat_classification(n_samples=60, n_features=400, effect=2.5, random_state=3)


@pytest.fixture(scope="session")
def frame():
    return datasets.make_fat_classification(n_samples=60, n_features=400, effect=2.5, random_state=3, as_frame=True)


@pytest.fixture(scope="session")
def program():
    """The command line program: RFVM_PROGRAM, or one that cargo built."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    places = [os.environ.get("RFVM_PROGRAM"), target / "release" / "rfvm", target / "debug" / "rfvm"]
    for place in filter(None, places):
        if shutil.which(place):
            # Tests run it from folders of their own.
            return str(Path(place).resolve())
    pytest.skip("the program rfvm is not built (cargo build --release); parity with it is not tested")


@pytest.fixture(scope="session")
def real_data():
    """A folder with real studies, beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder of real data beside the project")
    return folder
