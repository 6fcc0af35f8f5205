"""Files that the program has made itself, forged: models whose checksum fits, models and studies with flipped bits."""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from judge import Case, Scenario

SAMPLES = 40
FEATURES = 12
# What a number of a model should not be.
NUMBERS = (-1, 0, 1e308, -1e308, 5e-324, 1e18)


def _table() -> bytes:
    """Two classes, of which the third feature tells."""
    dice = Random(1)
    lines = ["sample,class," + ",".join(f"g{d}" for d in range(FEATURES))]
    for n in range(SAMPLES):
        values = [dice.gauss(3.0 * (n % 2) * (d == 2), 1.0) for d in range(FEATURES)]
        lines.append(f"s{n},{'case' if n % 2 else 'control'}," + ",".join(f"{value:.4f}" for value in values))
    return "\n".join(lines).encode() + b"\n"


def _make(program: Path) -> tuple[list[bytes], bytes]:
    """A balanced and a full model, and a study of one wave."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.csv").write_bytes(_table())
        catalogue = "".join(f"g{d},1\n" for d in range(FEATURES))
        (folder / "tests.csv").write_text(f"test,cost\n{catalogue}")
        for arguments in (
            "fit t.csv --target class -o balanced.json",
            "fit t.csv --target class --size full -o full.json",
            "study init s.rfvm --tests tests.csv --outcome class",
            "study add s.rfvm t.csv",
        ):
            subprocess.run([program, *arguments.split()], cwd=folder, check=True, capture_output=True)
        models = [(folder / f"{size}.json").read_bytes() for size in ("balanced", "full")]
        return models, (folder / "s.rfvm").read_bytes()


def _leaves(at: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Every number and text of a JSON value, with the way to it."""
    match at:
        case dict():
            for name, value in at.items():
                yield from _leaves(value, (*place, name))
        case list():
            for i, value in enumerate(at):
                yield from _leaves(value, (*place, i))
        case bool() | None:
            pass
        case _:
            yield place, at


def _forged(model: bytes, dice: Random) -> tuple[str, bytes]:
    """The model with another number or text somewhere, and the checksum that belongs to it."""
    content = json.loads(model)["model"]
    place, old = dice.choice(list(_leaves(content)))
    new: object = dice.choice(NUMBERS) if isinstance(old, int | float) else dice.choice(("", "x", "AAAA"))
    *way, last = place
    parent = content
    for step in way:
        parent = parent[step]
    parent[last] = new
    text = json.dumps(content, separators=(",", ":"))
    checksum = hashlib.sha256(text.encode()).hexdigest()
    file = f'{{"format":"rfvm-model","version":2,"checksum":"sha256:{checksum}","model":{text}}}'
    return f"{'/'.join(map(str, place))} = {new!r}", file.encode()


def _flipped(data: bytes, dice: Random) -> tuple[int, bytes]:
    bit = dice.randrange(8 * len(data))
    return bit, data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def scenario(program: Path) -> Scenario:
    """Forgeries of what this program writes."""

    def cases(dice: Random, count: int) -> Iterator[Case]:
        models, study = _make(program)
        table = _table()
        for _ in range(count):
            what, model = _forged(dice.choice(models), dice)
            files = {"m.json": model, "t.csv": table}
            yield Case(f"a forged model: {what}", files, ["predict", "m.json", "t.csv", "--json"])
            yield Case(f"a forged model: {what}", files, ["inspect", "m.json", "--json"])
            bit, model = _flipped(dice.choice(models), dice)
            yield Case(f"a model with bit {bit} flipped", {"m.json": model}, ["inspect", "m.json"], refused=True)
            bit, changed = _flipped(study, dice)
            yield Case(f"a study with bit {bit} flipped", {"s.rfvm": changed}, ["study", "log", "s.rfvm", "--json"])

    return cases
