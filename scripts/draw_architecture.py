"""Draws the picture of imports into docs/concepts/architecture.md, from the code's own imports.

Run it when a test reports that page and code differ: `python -m scripts.draw_architecture`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support import architecture

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "concepts" / "architecture.md"
BEGIN, END = "<!-- imports: begin -->\n", "<!-- imports: end -->\n"
OWN_FILES = "(own files)"

Arrows = dict[str, set[str]]


def main() -> None:
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8"), picture(ROOT)), encoding="utf-8")


def drawn(page: str, text: str) -> str:
    """The page with the text between its two markers."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError(f"{PAGE.name} lacks the markers {BEGIN.strip()} and {END.strip()}")
    return before + found + text + closed + after


def picture(root: Path) -> str:
    """The rooms in layers, then the sub-rooms of every room that has some, then the crates, as one Markdown text."""
    tracked = architecture.tracked_files(root)
    files = [path for path in tracked if path.suffix == ".py"]
    inside = {room: _arrows_in(root, files, room) for room in sorted(architecture.MAY_IMPORT)}
    sections = [_text("room", _arrows_between(root, files))]
    sections += [_text(f"in {room}/", arrows) for room, arrows in inside.items() if any(arrows.values())]
    manifests = [path for path in tracked if path.name == "Cargo.toml"]
    sections.append(_text("Rust crate", _arrows_between_crates(manifests)))
    return "\n" + "\n".join(f"```text\n{section}```\n" for section in sections) + "\n"


def layers(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """Each node's height: 0 imports nothing, and an arrow always leads downwards; nodes of a circle share a height."""
    reach = {node: _reachable(arrows, node) for node in arrows}
    below = {node: {other for other in reach[node] if node not in reach[other]} for node in arrows}
    heights: dict[str, int] = {}
    for node in sorted(arrows, key=lambda node: (len(below[node]), node)):
        heights[node] = 1 + max((heights[other] for other in below[node]), default=-1)
    return heights


def _reachable(arrows: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = arrows[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _text(title: str, arrows: Arrows) -> str:
    heights = layers(arrows)
    order = sorted(arrows, key=lambda node: (-heights[node], node))
    width = max(len(name) for name in [*arrows, title])
    lines = [f"layer  {title:{width}}  imports"]
    for node in order:
        named = sorted(arrows[node], key=order.index)
        lines.append(f"{heights[node]:5}  {node:{width}}  {', '.join(named) or '-'}")
    return "\n".join(lines) + "\n"


def _arrows_between(root: Path, files: list[Path]) -> Arrows:
    arrows: Arrows = {room: set() for room in architecture.MAY_IMPORT}
    for path in files:
        room = path.relative_to(root).parts[0]
        if room in arrows:
            named = {module.partition(".")[0] for _, module in architecture.imports(path)}
            arrows[room] |= (named & arrows.keys()) - {room}
    return arrows


def _arrows_in(root: Path, files: list[Path], room: str) -> Arrows:
    """Imports among a room's sub-rooms; the files directly in the room count as one node."""
    own = [path for path in files if path.is_relative_to(root / room)]
    sub_rooms = {path.parent.name for path in own if path.name == "__init__.py" and path.parent.parent == root / room}
    arrows: Arrows = {}
    for path in own:
        node = _node(path.relative_to(root / room).parts[0], sub_rooms)
        targets = {_node(part, sub_rooms) for part in _parts_named(path, room)}
        arrows[node] = arrows.get(node, set()) | targets - {node}
    return arrows


def _arrows_between_crates(manifests: list[Path]) -> Arrows:
    read = [tomllib.loads(path.read_text(encoding="utf-8")) for path in manifests]
    crates = {content["package"]["name"]: content.get("dependencies", {}) for content in read if "package" in content}
    return {name: crates.keys() & needed.keys() for name, needed in crates.items()}


def _parts_named(path: Path, room: str) -> Iterator[str]:
    for _, module in architecture.imports(path):
        parts = module.split(".")
        if parts[0] == room and len(parts) > 1:
            yield parts[1]


def _node(part: str, sub_rooms: set[str]) -> str:
    return part if part in sub_rooms else OWN_FILES


if __name__ == "__main__":
    main()
