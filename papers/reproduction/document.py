"""A report as blocks, written as Markdown or as one HTML page; text from data is escaped in both."""

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_CODE = re.compile(r"`([^`]+)`")
# What stands in Markdown and in an attribute as it is.
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+/[A-Za-z0-9._~/-]*")

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 13px; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.missed { font-weight: bold; color: #a33c00; }
li.depth1 { margin-left: 1.5rem; }
td.reproduced { color: #00543d; }
figure { margin: 1.5rem 0; } figcaption { color: #444; font-size: 13px; }
img { max-width: 100%; height: auto; }
@media print { body { max-width: none; font-size: 11px; } figure, tr { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True)
class Contents:
    """Links to headings: of each its depth in the list, from 0, and its text, which no other heading has."""

    entries: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Paragraph:
    """Running text; `code` stands in backticks."""

    text: str


@dataclass(frozen=True)
class Link:
    """A line with one address; `text` is what is clicked on."""

    before: str
    text: str
    url: str

    def __post_init__(self) -> None:
        if not _ADDRESS.fullmatch(self.url):
            raise ValueError(f"{self.url!r} is no address of a web page: write https://HOST/PATH")


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Image:
    """A figure of the `figures` folder by its name without ending."""

    stem: str
    caption: str


Block = Heading | Contents | Paragraph | Link | Bullets | Table | Image


def to_markdown(blocks: Sequence[Block]) -> str:
    """Markdown; images are linked as `figures/<stem>.svg`."""
    return "\n\n".join(map(_markdown, blocks)) + "\n"


def to_html(blocks: Sequence[Block], svgs: Mapping[str, bytes]) -> str:
    """One page that needs no other file: images of `svgs` by stem are inside, and nothing in it is a program."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), "")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    head = (
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>"
    )
    body = "\n".join(_html(block, svgs) for block in blocks)
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def anchor(text: str) -> str:
    """By what a heading is found, as readers of Markdown make it: small letters and digits, joined by hyphens."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^a-z0-9_\s-]", "", text.lower()).strip())


def _markdown(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_plain(text)}"
        case Contents(entries):
            return "\n".join(f"{'    ' * depth}- [{_bracketed(text)}](#{anchor(text)})" for depth, text in entries)
        case Paragraph(text):
            return _plain(text)
        case Link(before, text, url):
            return f"{_plain(before)} [{_bracketed(text)}]({url})"
        case Bullets(items):
            return "\n".join(f"- {_plain(item)}" for item in items)
        case Table(header, rows):
            lines = [header, ("---",) * len(header), *rows]
            return "\n".join(
                f"| {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in lines
            )
        case Image(stem, caption):
            return f"![{_plain(caption)}](figures/{stem}.svg)\n\n*{_plain(caption)}*"


def _plain(text: str) -> str:
    """Text that no reader of Markdown takes for a tag; lines do not break out of their block."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")


def _bracketed(text: str) -> str:
    """Text between the brackets of a link."""
    return re.sub(r"([\[\]])", r"\\\1", _plain(text))


def _html(block: Block, svgs: Mapping[str, bytes]) -> str:
    match block:
        case Heading(level, text):
            return f'<h{level} id="{anchor(text)}">{_inline(text)}</h{level}>'
        case Contents(entries):
            lines = (
                f'<li class="depth{depth}"><a href="#{anchor(text)}">{_inline(text)}</a></li>'
                for depth, text in entries
            )
            return "<ul>\n" + "\n".join(lines) + "\n</ul>"
        case Paragraph(text):
            return f"<p>{_inline(text)}</p>"
        case Link(before, text, url):
            return f'<p>{_inline(before)} <a href="{url}" rel="noreferrer">{_inline(text)}</a></p>'
        case Bullets(items):
            return "<ul>\n" + "\n".join(f"<li>{_inline(item)}</li>" for item in items) + "\n</ul>"
        case Table(header, rows):
            head = "".join(f"<th>{_inline(cell)}</th>" for cell in header)
            body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
            return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        case Image(stem, caption):
            data = base64.b64encode(svgs[stem]).decode()
            shown = f'<img alt="{html.escape(caption)}" src="data:image/svg+xml;base64,{data}">'
            return f"<figure>{shown}<figcaption>{_inline(caption)}</figcaption></figure>"


def _inline(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", html.escape(text))


def _cell(text: str) -> str:
    kind = "number" if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) else ""
    kind = text if text in {"missed", "reproduced"} else kind
    return f'<td class="{kind}">{_inline(text)}</td>' if kind else f"<td>{_inline(text)}</td>"
