"""Write the reference pages of docs/ from what they document: python scripts/reference.py [--check] [PAGE...].

Pages: commands (from the program's own help), python (from the installed package) and r (from the help in r/man); all
of them where none is named. With --check nothing is written: exits 1 and names each page that is not what would be
written, and leaves out, with a word, what cannot be made here. The program is the one that RFVM_PROGRAM names, else
target/release/rfvm; the package must be importable: `./test.sh` makes target/python/bin/python, which has it.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE = "<!-- Made by scripts/reference.py; changes by hand are lost. -->"


class Missing(Exception):
    """What is needed to make a page is not here."""


def block(text: str) -> str:
    """Plain text, as a block of a page; a fence inside it would end it."""
    fence = "````" if "```" in text else "```"
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "\n".join([f"{fence}text", *lines, fence])


def commands() -> str:
    """The page of all commands, by asking each for its help."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = os.environ.get("RFVM_PROGRAM") or str(target / "release" / "rfvm")
    if not shutil.which(program):
        raise Missing("the program rfvm is not built (cargo build --release)")
    # Help is as wide as a terminal, if there is one.
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "CLICOLOR_FORCE")}

    def ask(words: list[str]) -> str:
        command = [program, *words, "--help"]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment
        ).stdout

    def names(text: str) -> list[str]:
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
        found = re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []
        return [name for name in found if name != "help"]

    whole = ask([])
    parts = [
        "# Every command",
        MADE,
        "What `rfvm --help` and `rfvm COMMAND --help` print. The options of reading, features and target are the same "
        "in all commands that have them.",
        block(whole),
    ]
    for name in names(whole):
        text = ask([name])
        parts += [f"## rfvm {name}", block(text)]
        for below in names(text):
            parts += [f"### rfvm {name} {below}", block(ask([name, below]))]
    return "\n\n".join(parts) + "\n"


def signature(name: str, thing: object) -> str:
    """Name and parameters on one line, or on a line each where that is long; types are told by the text below."""
    try:
        found = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    empty = inspect.Signature.empty
    bare = [parameter.replace(annotation=empty) for parameter in found.parameters.values() if parameter.name != "self"]
    line = f"{name}{inspect.Signature(bare)}"
    if len(line) <= 100:
        return line
    inside: list[str] = []
    for at, parameter in enumerate(bare):
        first = all(before.kind is not parameter.KEYWORD_ONLY for before in bare[:at])
        if parameter.kind is parameter.KEYWORD_ONLY and first:
            inside.append("    *,")
        inside.append(f"    {parameter},")
    return "\n".join([f"{name}(", *inside, ")"])


def is_warning(thing: object) -> bool:
    """Whether it is a class of warnings."""
    return isinstance(thing, type) and issubclass(thing, Warning)


def python() -> str:
    """The page of the Python package, by asking its objects."""
    try:
        package = importlib.import_module("rfvm")
    except ImportError as error:
        raise Missing(f"this Python has no package rfvm ({error})") from error
    parts = [
        "# Every Python class and function",
        MADE,
        "What `help()` shows of the package `rfvm`: [python.md](python.md) tells how it is used. The estimators also "
        "have what scikit-learn gives to all of its own: `get_params`, `set_params`, `score`, `transform` and more.",
    ]

    def entry(level: str, heading: str, name: str, thing: object) -> None:
        parts.append(f"{level} {heading}")
        text = inspect.getdoc(thing) or ""
        # What nobody makes by hand has no parameters to show.
        known = callable(thing) and heading != "rfvm.Iteration" and not is_warning(thing)
        first = signature(name, thing) if known else name
        parts.append(block(f"{first}\n\n{text}"))

    def members(level: str, owner: type, prefix: str) -> None:
        for name, found in sorted(inspect.getmembers(owner)):
            raw = inspect.getattr_static(owner, name)
            inner = raw.__func__ if isinstance(raw, classmethod | staticmethod) else raw
            inner = inner.fget if isinstance(inner, property) else inner
            ours = (getattr(inner, "__module__", None) or "").startswith("rfvm")
            if name.startswith("_") or not ours or not inspect.getdoc(found):
                continue
            entry(level, f"{prefix}.{name}", f"{prefix}.{name}", found)

    def module(names: list[str], prefix: str, owner: object) -> None:
        for name in names:
            thing = getattr(owner, name)
            if name.startswith("_") or inspect.ismodule(thing):
                continue
            entry("##", f"{prefix}.{name}", f"{prefix}.{name}", thing)
            if isinstance(thing, type) and not is_warning(thing):
                members("###", thing, name)

    module(package.__all__, "rfvm", package)
    for name in ("datasets", "plotting", "resampling"):
        inside = importlib.import_module(f"rfvm.{name}")
        # What the package itself has is there already.
        module([one for one in inside.__all__ if one not in package.__all__], f"rfvm.{name}", inside)
    return "\n\n".join(parts) + "\n"


def r() -> str:
    """The page of the R package, from its help as R prints it."""
    if not shutil.which("Rscript"):
        raise Missing("R was not found")
    ask = "tools::Rd2txt(commandArgs(TRUE), options = list(underline_titles = FALSE, width = 90))"
    parts = [
        "# Every R function",
        MADE,
        "The help of the package `rfvm` for R as `?rfvm` shows it: [r.md](r.md) tells how it is used.",
    ]
    pages = sorted((ROOT / "r" / "man").glob("*.Rd"))
    # The page of the whole package first.
    for page in sorted(pages, key=lambda page: page.stem != "rfvm-package"):
        text = subprocess.run(
            ["Rscript", "--vanilla", "-e", ask, str(page)],
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        ).stdout
        parts += [f"## {page.stem}", block(text)]
    return "\n\n".join(parts) + "\n"


PAGES = {"commands": (commands, "commands.md"), "python": (python, "python-reference.md"), "r": (r, "r-reference.md")}


def skip(name: str, why: str) -> None:
    """Say what is left out, here and where ./test.sh counts it."""
    print(f"reference.py: {why}; docs/{PAGES[name][1]} is not checked", file=sys.stderr)
    if place := os.environ.get("RFVM_SKIPPED"):
        with Path(place).open("a") as skipped:
            skipped.write(f"reference {name}\t{why}\n")


def main(words: list[str]) -> int:
    """Run as a program."""
    checking = "--check" in words
    wanted = [word for word in words if word != "--check"] or list(PAGES)
    if unknown := [word for word in wanted if word not in PAGES]:
        print(f"reference.py: there is no page {unknown[0]}; there are {', '.join(PAGES)}", file=sys.stderr)
        return 2
    failed = 0
    for name in wanted:
        make, file = PAGES[name]
        page = ROOT / "docs" / file
        try:
            text = make()
        except Missing as error:
            if checking:
                skip(name, str(error))
            else:
                print(f"reference.py: {error}; docs/{file} is left as it is", file=sys.stderr)
                failed = 1
            continue
        if not checking:
            page.write_text(text, encoding="utf-8")
            print(f"Written: docs/{file}")
        elif not page.exists() or page.read_text(encoding="utf-8") != text:
            print(f"docs/{file} is out of date: python scripts/reference.py {name}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
