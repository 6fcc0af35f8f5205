"""Lets the tests import the study's modules, from wherever they are run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
