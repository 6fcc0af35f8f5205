"""False features of the balanced model in simulated studies, beside those of the greedy ridge path.

    pip install . && python studies/path/false_features.py

Few of many features, in correlated blocks, differ between the classes (`rfvm.datasets.make_fat_classification`). A chosen
feature is found (it differs), near (it shares a block with one that does) or false.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from greedy_ridge import greedy_ridge

from rfvm import RFVMClassifier
from rfvm.datasets import make_fat_classification

OUT = Path(__file__).parent / "results" / "false_features.md"
BLOCK = 20


@dataclass(frozen=True)
class Setting:
    """Studies of one kind, and how many of them."""

    samples: int
    features: int
    informative: int
    effect: float
    studies: int


SETTINGS = (
    Setting(100, 5_000, 3, 1.5, 10),
    Setting(100, 5_000, 5, 1.2, 10),
    Setting(100, 5_000, 10, 1.0, 10),
    Setting(200, 5_000, 10, 0.8, 10),
    Setting(300, 5_000, 20, 0.7, 10),
    Setting(200, 50_000, 10, 1.0, 3),
    Setting(200, 1_000_000, 10, 1.2, 1),
)


def counts(chosen: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """All, found, near and false ones."""
    found = np.isin(chosen, truth).sum()
    near = np.isin(chosen // BLOCK, truth // BLOCK).sum() - found
    return np.array([len(chosen), found, near, len(chosen) - found - near], float)


def compare(setting: Setting, seed: int) -> np.ndarray:
    study = make_fat_classification(
        setting.samples,
        setting.features,
        n_informative=setting.informative,
        effect=setting.effect,
        block=BLOCK,
        random_state=seed,
    )
    names = {name: d for d, name in enumerate(study.feature_names)}
    model = RFVMClassifier().fit(study.data, study.target)
    ours = model.get_feature_names_out(study.feature_names)
    truth = study.target.astype(bool)
    theirs = greedy_ridge(study.data, truth, study.data[:1])["balanced"].chosen
    return np.array([counts(np.array([names[n] for n in ours], int), study.truth), counts(np.array(theirs, int), study.truth)])


def main() -> None:
    heads = [f"{who}: {what}" for who in ("RFVM", "greedy ridge") for what in ("chosen", "found", "near", "false")]
    lines = [
        f"| samples | features | informative | shift | studies | {' | '.join(heads)} |",
        "|" + "---:|" * 13,
    ]
    false = []
    for s in SETTINGS:
        mean = np.mean([compare(s, seed) for seed in range(1, s.studies + 1)], axis=0)
        false.append(mean[:, 3] / np.maximum(mean[:, 0], 1.0))
        cells = " | ".join(f"{value:.1f}" for value in mean.ravel())
        lines.append(f"| {s.samples} | {s.features:,} | {s.informative} | {s.effect} | {s.studies} | {cells} |")
        print(lines[-1], flush=True)
    ours, theirs = np.mean(false, axis=0)
    lines += ["", f"Share of false ones, mean over the rows: RFVM {ours:.2f}, greedy ridge {theirs:.2f}."]
    print(lines[-1])
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
