"""The repository's Markdown: its links, its headings, and the paths it names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.architecture import tracked_files

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_PLAIN_PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")


@dataclass(frozen=True)
class Page:
    """One Markdown file. `text` has its fenced code blanked out, with lines kept."""

    path: Path
    text: str

    def targets(self) -> Iterator[tuple[int, str]]:
        """Every link and image: its line and its target as written."""
        for pattern in (_LINK, _IMAGE):
            for match in pattern.finditer(self.text):
                yield self.text.count("\n", 0, match.start()) + 1, match[1]

    def embedded(self) -> list[str]:
        """What a browser loads with the page: targets of images, and HTML elements that load something."""
        elements = re.findall(r"<(?:img|script|link|iframe|video)\b[^>]*>", self.text)
        return [*_IMAGE.findall(self.text), *elements]

    def anchors(self) -> set[str]:
        """What a link may name after `#`."""
        return {_anchor(match[1]) for match in _HEADING.finditer(self.text)}

    def named_paths(self, root: Path) -> Iterator[tuple[int, str]]:
        """Paths of this repository in `code`, also within commands: words that begin with one of its folders.

        NAME stands for any name.
        """
        folders = {path.relative_to(root).parts[0] for path in tracked_files(root)}
        for match in _CODE.finditer(self.text):
            for word in match[1].replace("/NAME", "/*").split():
                if "/" in word and _PLAIN_PATH.fullmatch(word) and word.partition("/")[0] in folders:
                    yield self.text.count("\n", 0, match.start()) + 1, word


def pages(root: Path) -> list[Page]:
    """All Markdown files that git knows; those among the tests are recorded output, not documents."""
    return [
        read(path)
        for path in tracked_files(root)
        if path.suffix == ".md" and path.relative_to(root).parts[0] != "tests"
    ]


def read(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    return Page(path, _FENCE.sub(lambda match: "\n" * match[0].count("\n"), text))


def broken_links(root: Path, found: list[Page]) -> list[str]:
    """Relative links that lead to no file or to no heading, as "file:line: target"."""
    anchors = {page.path: page.anchors() for page in found}
    broken = []
    for page in found:
        for line, target in page.targets():
            name, _, anchor = target.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            path = (page.path.parent / name).resolve() if name else page.path
            if not path.exists() or (anchor and anchor not in anchors.get(path, set())):
                broken.append(f"{page.path.relative_to(root)}:{line}: {target}")
    return broken


def missing_paths(root: Path, page: Page) -> list[str]:
    """Paths in `code` that do not exist, as "file:line: path"."""
    return [
        f"{page.path.relative_to(root)}:{line}: {named}"
        for line, named in page.named_paths(root)
        if not (root / named).exists()
    ]


def missing_modules(root: Path, page: Page) -> list[str]:
    """Modules of this repository that `python -m` could not run, as "file: module"; fenced commands count as well."""
    named = re.findall(r"python -m ([a-z_]+(?:\.[a-z_]+)+)", page.path.read_text(encoding="utf-8"))
    files = {name: root / ("src" if name.startswith("hntes.") else "") / name.replace(".", "/") for name in named}
    return [
        f"{page.path.relative_to(root)}: {name}"
        for name, path in files.items()
        if not (path.with_suffix(".py").is_file() or (path / "__main__.py").is_file())
    ]


def _anchor(heading: str) -> str:
    """The anchor that GitHub and the documentation site both give to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).strip().replace(" ", "-")
