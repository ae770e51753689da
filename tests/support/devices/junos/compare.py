"""`show | compare`: the difference of two configurations as Junos shows it.

Source: Junos OS CLI User Guide, "Compare Configuration Changes with a Prior Version": `[edit PATH]` before the
statements of one level, `+` what the candidate has, `-` what it lacks, `!` what became active or inactive.
"""

from tests.support.devices.junos.text import write_node
from tests.support.devices.junos.tree import Key, Node


def compare(old: Node, new: Node) -> str:
    """Empty if nothing differs."""
    return "".join(line + "\n" for line in _level(old, new, ()))


def _level(old: Node, new: Node, path: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    deeper: list[str] = []
    for key in _union(old, new):
        before, after = old.children.get(key), new.children.get(key)
        if before is not None and after is not None and before.value == after.value:
            if before.inactive != after.inactive:
                lines += _signed("!", ["inactive: " * after.inactive + " ".join(key) + " { ... }"])
            deeper += _level(before, after, path + key)
            continue
        lines += _signed("-", write_node(before)) if before else []
        lines += _signed("+", write_node(after)) if after else []
    if not lines and _moved(old, new):
        lines = _signed("!", [" ".join(key) + " { ... }" for key in new.children])
    head = [" ".join(("[edit", *path)) + "]"] if lines else []
    return head + lines + deeper


def _union(old: Node, new: Node) -> list[Key]:
    return [*old.children, *(key for key in new.children if key not in old.children)]


def _moved(old: Node, new: Node) -> bool:
    """The same statements in another order, which is a change for terms alone: they are met in their order."""
    return any(key[0] == "term" for key in new.children) and list(old.children) != list(new.children)


def _signed(sign: str, lines: list[str]) -> list[str]:
    return [f"{sign}  {line}" for line in lines]
