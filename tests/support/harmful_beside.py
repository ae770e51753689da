"""Harmful statements of an operator's, from `tests/data/harmful_beside.toml`, written for the ports of a plan."""

import tomllib
from pathlib import Path

from hntes.rules.qos.model import RouterModel

DATA = Path(__file__).resolve().parent.parent / "data" / "harmful_beside.toml"

# The router's class on each queue: SR OS Quality of Service Guide, "Forwarding classes"; on EOS unmarked packets are in
# traffic class 1, which is in the place of queue 0 (docs/decisions/0078-eos.md).
CLASSES = {"sros": ("be", "l2", "af", "l1", "h2", "ef", "h1", "nc"), "eos": tuple("10234567")}


def harmful_beside(model: RouterModel) -> list[str]:
    """The statements of the model's platform, with the names of its first edge interface and core port."""
    edge = next(each for each in model.interfaces if each.is_edge)
    core = next(each for each in model.interfaces if each.is_core)
    port = edge.name if edge.unit == 0 else f"{edge.name}.{edge.unit}"
    values = {"{edge}": edge.name, "{unit}": str(edge.unit), "{port}": port, "{core}": core.name}
    values |= {"{logical}": str(edge.logical), "{core_logical}": str(core.logical)}
    if model.platform in CLASSES:
        values["{class}"] = CLASSES[model.platform][model.queue_for("alpha") or 0]
    found = []
    for text in tomllib.loads(DATA.read_text(encoding="utf-8"))[model.platform]:
        for key, value in values.items():
            text = text.replace(key, value)
        found.append(f"\n{text}\n")
    return found
