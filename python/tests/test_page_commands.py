"""Every command line that a page shows runs on tables of the names that it has there."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Pages whose commands need tables of the reader's own; those of start.md, your-table.md and gallery.md make theirs.
PAGES = [
    "README.md",
    *(
        f"docs/{name}.md"
        for name in ("covariates", "missing", "panels-and-costs", "report", "several-classes", "study", "validation")
    ),
]
SAMPLES, GENES = 60, [f"gene{d}" for d in range(1, 41)]


def command_lines(page):
    """Lines that begin with the program's name.

    What is run elsewhere is left out: blocks that begin with the simulated study, and that of six waves, which takes
    long (scripts/site.sh).
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    blocks += [re.sub("^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .+\n)+", text, re.MULTILINE)]
    lines = [block.splitlines() for block in blocks if not block.startswith("rfvm demo --out study\n")]
    return [line for block in lines for line in block if re.match("rfvm (?!study demo)", line)]


def write(path, header, rows):
    lines = [",".join(map(str, row)) for row in [header, *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def tables(folder, page):
    """Small studies in which gene7 and gene8 matter, under every name that the pages have."""
    random = np.random.default_rng(7)

    def drawn(kinds):
        kind = np.arange(SAMPLES) % kinds
        values = random.normal(size=(SAMPLES, len(GENES)))
        values[:, 6] += 4.0 * (kind == 1)
        values[:, 7] += 4.0 * (kind == kinds - 1)
        return kind, np.round(values, 3)

    def table(name, header, before, values, after, without=()):
        kept = [d for d, gene in enumerate(GENES) if gene not in without]
        rows = [
            [f"{name[0]}{n}", *before(n), *("" if np.isnan(values[n, d]) else values[n, d] for d in kept), *after(n)]
            for n in range(SAMPLES)
        ]
        genes = [GENES[d] for d in kept]
        write(folder / f"{name}.csv", ["sample", *header[0], *genes, *header[1]], rows)

    def nothing(n):
        return []

    for name in ("expression", "other", "gaps"):
        kind, values = drawn(2)
        if name == "gaps":
            values[random.random(values.shape) < 0.03] = np.nan
        table(name, ([], ["class"]), nothing, values, lambda n, kind=kind: [["control", "case"][kind[n]]])
    _, values = drawn(2)
    table("new", ([], []), nothing, values, nothing, ["gene7"] if page.endswith("missing.md") else [])
    kind, values = drawn(2)
    age, site = np.round(random.normal(60.0, 8.0, SAMPLES)), random.choice(["Basel", "Bern"], SAMPLES)
    known = ["age", "sex", "site"]
    table(
        "cohort",
        (known, ["relapse"]),
        lambda n: [age[n], "mf"[n // 3 % 2], site[n]],
        values,
        lambda n: [["no", "yes"][kind[n]]],
    )
    tissue, values = drawn(3)
    table("tissues", ([], ["tissue"]), nothing, values, lambda n: [["brain", "liver", "lung"][tissue[n]]])

    write(folder / "prices.csv", ["feature", "price"], [[gene, 5 + d] for d, gene in enumerate(GENES)])
    (folder / "kits.gmt").write_text("kit\tbought together\tgene7\tgene9\n", encoding="utf-8")
    kinds = ["clinical" if d < 5 else "site" for d in range(len(GENES))]
    write(folder / "kinds.csv", ["feature", "kind"], zip(GENES, kinds, strict=True))
    annotation = [[gene, f"SYM{d}", ["array", "assay"][d % 2], 3 + d] for d, gene in enumerate(GENES)]
    write(folder / "genes.csv", ["feature", "symbol", "assay", "price"], annotation)
    kind, values = drawn(2)
    head = ["#1.2", f"{len(GENES)}\t{SAMPLES}", "\t".join(["NAME", "Description", *(f"s{n}" for n in range(SAMPLES))])]
    rows = ["\t".join([gene, f"of {gene}", *map(str, values[:, d])]) for d, gene in enumerate(GENES)]
    (folder / "expression.gct").write_text("\n".join(head + rows) + "\n", encoding="utf-8")
    labels = " ".join(["ALL", "AML"][k] for k in kind)
    (folder / "classes.cls").write_text(f"{SAMPLES} 2 1\n# ALL AML\n{labels}\n", encoding="utf-8")

    kind, values = drawn(2)
    write(folder / "tests.csv", ["test", "cost", "minutes", "burden", "panel"], [[g, 5, 2, 1, ""] for g in GENES])
    rows = [[f"p{n}", "NW"[n % 2], f"f{n // 2}", ["no", "yes"][kind[n]], *values[n]] for n in range(SAMPLES)]
    write(folder / "wave1.csv", ["subject", "clinic", "family", "relapse", *GENES], rows)


def run(line, folder, program):
    folder.joinpath("bin").mkdir(exist_ok=True)
    if not (folder / "bin" / "rfvm").exists():
        (folder / "bin" / "rfvm").symlink_to(program)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    return subprocess.run(["sh", "-c", line], cwd=folder, env=environment, capture_output=True, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(page, tmp_path, program):
    tables(tmp_path, page)
    made = run("rfvm fit expression.csv --target class -o model.json", tmp_path, program)
    assert made.returncode == 0, made.stderr
    lines = [line for line in command_lines(page) if "../shared" not in line]
    assert len(lines) >= 2
    for line in lines:
        done = run(line, tmp_path, program)
        said = f"{line}\n{done.stdout}{done.stderr}"
        if "refused" in line.partition("#")[2]:
            assert done.returncode != 0, said
            assert "gene7" in done.stderr, said
        else:
            assert done.returncode == 0, said


@pytest.mark.parametrize("page", ["docs/covariates.md", "docs/validation.md"])
def test_what_a_page_says_of_real_data_runs(page, tmp_path, program, real_data):
    lines = [line for line in command_lines(page) if "../shared" in line]
    assert lines
    for line in lines:
        done = run(line.replace("../shared/data", str(real_data)), tmp_path, program)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
