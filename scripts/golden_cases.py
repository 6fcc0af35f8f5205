"""Write the committed golden numbers of crates/rfvm: the reference program run on a small problem of our own.

    python scripts/golden_cases.py FOLDER_OF_THE_REFERENCE_PROGRAM crates/rfvm/tests/data/golden

The reference program is a slow, literal one that forms every D x D matrix; it needs numpy and scipy.
"""

import json
import sys
from pathlib import Path

import numpy as np

SAMPLES, FEATURES, SEED = 10, 7, 20
AFTER = (1, 5, 20)
SCHEMES = [(family, sweep) for family in ("folded", "truncated", "gaussian") for sweep in ("sequential", "simultaneous")]
SCHEMES += [("gaussian", "joint"), ("folded", "wide")]


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two correlated informative features among noise, standardised, and three new rows."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(SAMPLES, FEATURES))
    x[:, 3] += 0.8 * x[:, 0]
    t = (x[:, 0] + 0.6 * x[:, 3] + 0.7 * rng.normal(size=SAMPLES) > 0).astype(float)
    return (x - x.mean(0)) / x.std(0), t, rng.normal(size=(3, FEATURES))


def main(reference: str, folder: str) -> None:
    sys.path.insert(0, reference)
    import rfvm_oracle as oracle

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    x, t, new = problem()
    for family, sweep in SCHEMES:
        state = oracle.start(x, t, family, sweep, tau_fixed=sweep in ("joint", "wide"))
        after = {}
        for iteration in range(1, 51):
            state.iterate()
            if iteration in AFTER:
                after[str(iteration)] = oracle.snapshot(state)
        mean, variance, probability = state.predict(new)
        case = {
            "X": x.tolist(),
            "t": t.tolist(),
            "family": family,
            "sweep": sweep,
            "tau_fixed": state.tau_fixed,
            "hyper": vars(state.hyper),
            "after": after,
            "predict": {
                "X": new.tolist(),
                "mean": mean.tolist(),
                "variance": variance.tolist(),
                "probability": probability.tolist(),
            },
        }
        (target / f"{family}_{sweep}.json").write_text(json.dumps(case))
    write_full(target, x, t)


def write_full(target: Path, x: np.ndarray, t: np.ndarray) -> None:
    """The full model's sweeps and the order in which features enter."""
    import full_oracle as oracle

    sweeps = oracle.full_sweeps(x, t)
    scores = oracle.mean_scores(sweeps)
    plain = [{name: np.asarray(value).tolist() for name, value in sweep.items()} for sweep in sweeps]
    case = {
        "X": x.tolist(),
        "t": t.tolist(),
        "power": 2.5,
        "mean_scores": scores.tolist(),
        "order": oracle.select(x, t, scores, FEATURES - 1),
        "sweeps": plain,
    }
    (target / f"full_n{SAMPLES}_d{FEATURES}.json").write_text(json.dumps(case))


if __name__ == "__main__":
    main(*sys.argv[1:])
