"""Configuration of the Cisco platforms: lines within lines, each with an identity that replaces and removes it."""

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Section:
    """One line and those below it. The identity of a line (its key in `below`) is what a second line of the same kind
    has to have to replace it: `bandwidth` for `bandwidth percent 55`."""

    text: str = ""
    below: "dict[str, Section]" = field(default_factory=dict)

    def copy(self) -> "Section":
        return Section(self.text, {key: each.copy() for key, each in self.below.items()})

    def get(self, *keys: str) -> "Section | None":
        found: Section | None = self
        for key in keys:
            found = found.below.get(key) if found else None
        return found

    def starting(self, prefix: str) -> "list[Section]":
        """The lines that begin with some words."""
        return [each for each in self.below.values() if (each.text + " ").startswith(prefix + " ")]

    def lines(self, indent: int = 0) -> Iterator[str]:
        """As the router shows it, one space for each level."""
        for each in self.below.values():
            yield " " * indent + each.text
            yield from each.lines(indent + 1)

    def words(self) -> list[str]:
        return self.text.split()


def difference(old: Section, new: Section, indent: int = 0) -> list[str]:
    """Lines with `+`, `-` or a blank before them; what contains a difference is shown."""
    lines: list[str] = []
    margin = " " * indent
    for key in [*old.below, *(key for key in new.below if key not in old.below)]:
        before, after = old.below.get(key), new.below.get(key)
        if before is None or after is None or before.text != after.text:
            lines += ["-" + margin + line for line in _whole(before)] if before else []
            lines += ["+" + margin + line for line in _whole(after)] if after else []
        elif inner := difference(before, after, indent + 1):
            lines += [" " + margin + before.text, *inner]
    return lines


def input_classes(running: Section, interface: str) -> tuple[str, list[str]]:
    """The name of an interface's input policy, empty without one, and that policy's classes."""
    for each in running.starting(f"interface {interface}"):
        for line in each.starting("service-policy input"):
            name = line.words()[-1]
            policies = [one for one in running.starting("policy-map") if one.words()[-1] == name]
            return name, [one.words()[1] for policy in policies for one in policy.starting("class")]
    return "", []


def _whole(section: Section) -> list[str]:
    return [section.text, *section.lines(1)]
