"""The sets and models of the study by name."""

from __future__ import annotations

#: As in the paper's table 1: name here, in the paper, samples, features, % of class 1 as the paper gives it.
PAPER_TABLE = (
    ("dorothea", "Dorothea", 1150, 8000, 90.26),
    ("colon", "colon", 62, 2000, 35.43),
    ("lymphoma", "lymphoma", 96, 4026, 52.08),
    ("Prostate-GE", "Prostate_GE", 102, 5966, 49.02),
    ("leukemia", "leukemia", 72, 7070, 34.72),
    ("ALLAML", "ALLAML", 72, 7129, 65.27),
    ("SMK_CAN_187", "SMK_CAN_187", 187, 19993, 48.12),
    ("GLI_85", "GLI_85", 85, 22283, 30.58),
)
#: Sets of the paper that are not at hand.
NOT_AVAILABLE = ("SMK_CAN_187", "GLI_85")
PAPER_SETS = ("colon", "lymphoma", "leukemia", "ALLAML", "Prostate-GE", "dorothea")
#: Binary sets that the paper did not use.
EXTRA_SETS = (
    "golub",
    "gravier_breast",
    "jacobs_ibd_metabolome",
    "mb_qin2014_cirrhosis",
    "ALL_BCRABL_vs_NEG",
    "singh_prostate",
    "arcene",
)

OWN = ("RFVM paper", "RFVM one", "RFVM committee", "RFVM balanced", "RFVM full")
#: Table 2: column here, column of the paper beside which it stands.
SINGLE = (
    ("RF", "RF"),
    ("SGP+ARD", "SGP+ARD"),
    ("MLP", "MLP"),
    ("LR-elastic", "LR-elastic"),
    ("SRVM", "SRVM"),
    ("SRVM scikit-rvm", "SRVM"),
)
#: Table 3, likewise.
BOTH = (("SVM-l1", "SVM-l1"), ("XOLON", "XOLON"), ("PFCVM", "PFCVM"))
RIVALS = tuple(model for model, _ in (*SINGLE, *BOTH))
MODELS = (*RIVALS, *OWN)
#: Models that ten repeats can be afforded for.
CHEAP = ("RFVM one", "RFVM committee", "RFVM balanced", "RFVM full", "SVM-l1", "SRVM", "SRVM scikit-rvm")
#: Of these, not on this set.
TOO_DEAR = (("SRVM", "dorothea"), ("RFVM committee", "dorothea"))
DEAR = ("PFCVM", "MLP", "LR-elastic", "XOLON", "RFVM paper", "RF", "SGP+ARD")
#: The dearest of them.
DEAREST = ("RF", "SGP+ARD")
#: What is fitted on resampled rows.
BOOTSTRAP_SETS = ("colon", "leukemia", "golub", "lymphoma", "Prostate-GE")
BOOTSTRAP_MODELS = ("RFVM one", "RFVM committee", "SVM-l1", "RFVM balanced")
