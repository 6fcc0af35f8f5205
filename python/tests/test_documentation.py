"""Docstrings in numpydoc that name every parameter."""

import inspect
import os
import re
import subprocess
from pathlib import Path

import pytest

import rfvm
from rfvm import datasets, plotting

PUBLIC = [
    rfvm.RFVMClassifier,
    rfvm.RFVMRegressor,
    rfvm.evaluate,
    rfvm.resample,
    rfvm.load,
    rfvm.report,
    rfvm.validate,
    *(getattr(module, name) for module in (datasets, plotting) for name in module.__all__),
]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_docstrings(thing):
    docscrape = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is not installed")
    documented = docscrape.NumpyDocString(inspect.getdoc(thing))
    named = {name.strip(" *") for entry in documented["Parameters"] for name in entry.name.split(",")}
    assert named == set(inspect.signature(thing).parameters)
    assert documented["Summary"]


@pytest.mark.parametrize("estimator", [rfvm.RFVMClassifier, rfvm.RFVMRegressor])
def test_methods_are_documented(estimator):
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        if not name.startswith("_"):
            assert method.__doc__, name


DOCS = Path(__file__).resolve().parents[2] / "docs"


def shown(page, language):
    """Blocks of one language on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("page", "number"), [("python.md", 5), ("start.md", 4)])
def test_the_page_runs(page, number, tmp_path, monkeypatch):
    """Every block of a page, one after the other as a reader would, but for those that need a cluster."""
    blocks = [block for block in shown(page, "python") if "backend=" not in block]
    assert len(blocks) == number
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("page", ["panels-and-costs.md", "../README.md"])
def test_python_beside_other_ways_runs(page, tmp_path, monkeypatch, study):
    """The read-me takes a table of the reader's own."""
    monkeypatch.chdir(tmp_path)
    names = {"X": study.data, "y": study.target, "X_new": study.data[:3]}
    (block,) = shown(page, "python")
    exec(block, names)
    assert names["model"].get_support().any()


def run_shell(text, folder, program):
    """What a shell prints that knows the program by its name, and stops where something goes wrong."""
    (folder / "bin").mkdir()
    (folder / "bin" / "rfvm").symlink_to(program)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["sh", "-e", "-c", text],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stdout
    return run.stdout


@pytest.mark.parametrize(("page", "number"), [("start.md", 4), ("your-table.md", 6)])
def test_the_shell_of_the_page_runs(page, number, tmp_path, program):
    """The same of the command line; what a page says is printed is printed."""
    blocks = shown(page, "sh")
    assert len(blocks) == number
    printed = run_shell("\n".join(blocks), tmp_path, program)
    said = shown(page, "text")
    assert said
    for text in said:
        assert text in printed


def tried(page):
    """Blocks of a page that begin with the simulated study, fenced or indented, and need nothing else."""
    indented = re.findall(r"(?:^    .+\n)+", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in indented]
    return [block for block in shown(page, "sh") + plain if block.startswith("rfvm demo --out study\n")]


@pytest.mark.parametrize("page", ["explain-and-export.md", "missing.md", "panels-and-costs.md"])
def test_what_a_page_invites_to_try_runs(page, tmp_path, program):
    (block,) = tried(page)
    run_shell(block, tmp_path, program)


def test_the_gallery_is_made_as_its_page_says():
    """scripts/site.sh runs it."""
    (block,) = tried("gallery.md")
    script = (DOCS.parent / "scripts" / "site.sh").read_text(encoding="utf-8")
    made = re.findall(r'^    "\$rfvm" (.*)', script, re.MULTILINE)
    assert [f"rfvm {line}" for line in made[:-1]] == block.splitlines()
