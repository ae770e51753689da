"""Draws the picture of imports into docs/concepts/architecture.md, from the code's own imports.

Run it when a test reports that page and code differ: `python -m scripts.draw_architecture`.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "concepts" / "architecture.md"
BEGIN, END = "<!-- imports: begin -->\n", "<!-- imports: end -->\n"
PACKAGE = "hntes"
MODULES = "(modules)"
# What users and schedulers start; each only calls workflow, so the picture has one row for them.
ENTRY_POINTS = {"airflow", "cli", "web"}
ENTRY_ROW = "airflow, cli, web"

Arrows = dict[str, set[str]]


def main() -> None:
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8"), picture()), encoding="utf-8")


def drawn(page: str, text: str) -> str:
    """The page with the text between its two markers."""
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        raise ValueError(f"{PAGE.name} lacks the markers {BEGIN.strip()} and {END.strip()}")
    return before + found + text + closed + after


def picture() -> str:
    """The packages in layers, then the sub-packages of every package that has some, then the crates, as Markdown."""
    graph = grimp.build_graph(PACKAGE)
    top = arrows(graph, PACKAGE)
    packages = sorted(child.removeprefix(f"{PACKAGE}.") for child in graph.find_children(PACKAGE))
    inside = {name: arrows(graph, f"{PACKAGE}.{name}") for name in packages}
    sections = [_text("package", top)]
    sections += [_text(f"in {name}/", found) for name, found in inside.items() if any(found.values())]
    sections.append(_text("crate", _arrows_between_crates()))
    return "\n" + "\n".join(f"```text\n{section}```\n" for section in sections) + "\n"


def arrows(graph: grimp.ImportGraph, container: str) -> Arrows:
    """Imports among the packages of a container; the modules directly in it count as one node."""
    found: Arrows = {}
    for module in graph.find_descendants(container) - {f"{PACKAGE}.__main__"}:
        node = _node(graph, container, module)
        targets = {
            _node(graph, container, other)
            for other in graph.find_modules_directly_imported_by(module)
            if other.startswith(f"{container}.")
        }
        found[node] = found.get(node, set()) | targets - {node}
    return found


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


def _node(graph: grimp.ImportGraph, container: str, module: str) -> str:
    name = module.removeprefix(f"{container}.").partition(".")[0]
    if container == PACKAGE and name in ENTRY_POINTS:
        return ENTRY_ROW
    return name if graph.find_children(f"{container}.{name}") else MODULES


def _arrows_between_crates() -> Arrows:
    read = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("crates/*/Cargo.toml"))]
    crates = {content["package"]["name"]: content.get("dependencies", {}) for content in read}
    return {name: crates.keys() & needed.keys() for name, needed in crates.items()}


if __name__ == "__main__":
    main()
