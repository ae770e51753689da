"""Harmful statements of an operator's, from `tests/data/harmful_beside.toml`, written for the ports of a plan."""

import tomllib
from pathlib import Path

from hntes.rules.qos.model import RouterModel

DATA = Path(__file__).resolve().parent.parent / "data" / "harmful_beside.toml"


def harmful_beside(model: RouterModel) -> list[str]:
    """The statements of the model's platform, with the names of its first edge interface and core port."""
    edge = next(each for each in model.interfaces if each.is_edge)
    core = next(each for each in model.interfaces if each.is_core)
    port = edge.name if edge.unit == 0 else f"{edge.name}.{edge.unit}"
    values = {"{edge}": edge.name, "{unit}": str(edge.unit), "{port}": port, "{core}": core.name}
    found = []
    for text in tomllib.loads(DATA.read_text(encoding="utf-8"))[model.platform]:
        for key, value in values.items():
            text = text.replace(key, value)
        found.append(f"\n{text}\n")
    return found
