"""Check every link of a folder of HTML pages, anchors included: python scripts/check_links.py FOLDER.

Nothing is fetched. A link to elsewhere is counted and left; what a page would load from elsewhere (a script, a style, a
picture, a font) is a fault, since the pages must work from a folder without any network. Exits 1 and names the faults.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes that a browser follows, or loads, by tag.
FOLLOWED = {("a", "href"), ("area", "href")}
LOADED = {
    ("link", "href"),
    ("img", "src"),
    ("script", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("object", "data"),
    ("embed", "src"),
}
#: In style sheets.
IN_STYLES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """What a page can be pointed at, and what it points at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, bool]] = []
        self.inside_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect anchors and links."""
        self.inside_style = tag == "style"
        for name, value in attrs:
            if not value:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) in FOLLOWED or (tag, name) in LOADED:
                self.links.append((value, (tag, name) in LOADED))

    def handle_data(self, data: str) -> None:
        """Collect what a style inside the page loads."""
        if self.inside_style:
            self.links += styled(data)


def styled(text: str) -> list[tuple[str, bool]]:
    """What a style sheet loads."""
    return [(first or second, True) for first, second in IN_STYLES.findall(text)]


def check(folder: Path) -> tuple[list[str], int, set[str]]:
    """Faults, the number of links that were followed, and the links to elsewhere."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    sources = {path: page.links for path, page in pages.items()}
    sources |= {path.resolve(): styled(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.css"))}
    faults: list[str] = []
    followed = 0
    elsewhere: set[str] = set()
    for path, links in sources.items():
        for link, loaded in links:
            parts = urlsplit(link)
            if parts.scheme == "data" or (parts.scheme in ("mailto", "javascript") and not loaded):
                continue
            where = path.relative_to(folder.resolve())
            if parts.scheme or parts.netloc:
                elsewhere.add(link)
                if loaded:
                    faults.append(f"{where}: {link} would be loaded from elsewhere")
                continue
            followed += 1
            if parts.path.startswith("/"):
                faults.append(f"{where}: {link} starts at a server's root")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                faults.append(f"{where}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{where}: {link} names an anchor that is not there")
    return faults, followed, elsewhere


def main() -> int:
    """Run as a program."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("check_links.py: takes one folder of HTML pages", file=sys.stderr)
        return 2
    faults, followed, elsewhere = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{followed} links checked, {len(elsewhere)} addresses elsewhere left, {len(faults)} faults")
    return 1 if faults or not followed else 0


if __name__ == "__main__":
    sys.exit(main())
