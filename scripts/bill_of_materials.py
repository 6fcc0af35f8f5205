"""The software bill of materials of a release, as CycloneDX 1.5: python scripts/bill_of_materials.py > rfvm.cdx.json.

Lists every crate that `Cargo.lock` pins for the program or the Python package, with version, licence and checksum. Needs
cargo and nothing else, and no network once the crates are there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What a release contains.
RELEASED = ("rfvm-cli", "rfvm-py")


def metadata() -> dict:
    """What cargo knows of the workspace and all that it needs."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def needed(known: dict) -> set[str]:
    """Packages that a release is built from, those for tests left out."""
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    names = {package["id"]: package["name"] for package in known["packages"]}
    todo = [id for id in nodes if names[id] in RELEASED]
    found: set[str] = set()
    while todo:
        id = todo.pop()
        if id in found:
            continue
        found.add(id)
        for edge in nodes[id]["deps"]:
            if any(kind["kind"] != "dev" for kind in edge["dep_kinds"]):
                todo.append(edge["pkg"])
    return found


def component(package: dict, checksum: str | None) -> dict:
    """A crate as CycloneDX has it."""
    purl = f"pkg:cargo/{package['name']}@{package['version']}"
    entry = {"type": "library", "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl}
    if package.get("license"):
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry


def bill() -> dict:
    """The whole document; the same for the same lock file."""
    known = metadata()
    wanted = needed(known)
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in locked}
    packages = sorted((p for p in known["packages"] if p["id"] in wanted), key=lambda p: (p["name"], p["version"]))
    program = next(package for package in packages if package["name"] == "rfvm-cli")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "rfvm", "version": program["version"]}},
        "components": [component(p, checksums.get((p["name"], p["version"]))) for p in packages],
    }


if __name__ == "__main__":
    json.dump(bill(), sys.stdout, indent=1)
    print()
