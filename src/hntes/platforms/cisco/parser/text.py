"""The objects of a Cisco text by name, and statements that are refused anywhere."""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import Section, interface_name, is_routed, read_sections
from hntes.platforms.cisco.syntax import CiscoSyntax

_REMOVABLE = ("class-map", "policy-map", "route-map", "interface")


class CiscoText:
    """One text. A section that is entered twice is one section, as on the router."""

    def __init__(self, syntax: CiscoSyntax, text: str) -> None:
        self.syntax = syntax
        self.root = read_sections(text)
        self.restarted: dict[str, Section] = {}
        self._sections: dict[tuple[str, ...], Section] = {}
        for section in self.root:
            self._add(section)

    def _add(self, section: Section) -> None:
        words = section.words
        if words[0] == "no" and len(words) > 1:
            if words[2:3] == ("access-list",):
                section.end()
                built = self._sections.get(words[1:])
                if built is not None:
                    raise section.refused(f"removes the object that line {built.line} defines")
                self.restarted.setdefault(" ".join(words[1:]), section)
            elif words[1] in (*_REMOVABLE, "service-policy"):
                raise section.refused("removes an object: not understood")
        elif section.begins("interface", "range"):
            raise section.refused("configures several objects at once: not understood")
        elif words in self._sections:
            self._sections[words].children.extend(section.children)
        else:
            self._sections[words] = section

    def take_restart(self, head: tuple[str, ...], section: Section) -> None:
        """Marks a list as removed and rebuilt, if the platform does so in one commit."""
        restart = self.restarted.get(" ".join(head))
        if restart is not None and restart.line < section.line and self.syntax.lists.are_rebuilt:
            restart.take()

    def section(self, *words: str) -> Section | None:
        """The section with exactly this head."""
        return self._sections.get(words)

    def sections(self, *first: str) -> Iterator[Section]:
        """The sections whose head starts with these words, in order."""
        for section in self._sections.values():
            if section.begins(*first):
                yield section

    def port(self, name: str) -> Section | None:
        """The section of one interface, on XR possibly preconfigured.

        Raises:
            ParseError: there are two, or it bridges packets.
        """
        found = [each for each in self._sections.values() if interface_name(each.words) == name]
        if len(found) > 1:
            raise found[1].refused(f"interface {name} is also in line {found[0].line}")
        if found and not is_routed(found[0].words):
            raise found[0].refused("bridges packets, which no filter of HNTES sees")
        return found[0] if found else None


def distinct(section: Section) -> list[Section]:
    """The lines of a section without exact duplicates, which have no effect on the router.

    Raises:
        ParseError: a line negates a statement.
    """
    found: dict[tuple[str, ...], Section] = {}
    for child in section:
        if child.words[0] == "no":
            raise child.refused("negates a statement: not understood here")
        known = found.setdefault(child.words, child)
        if known is not child and [one.text for one in known] != [one.text for one in child]:
            known.children.extend(child.children)
    return list(found.values())


def one_of(lines: list[Section], *first: str) -> Section | None:
    """The one line that starts with these words; None if there is none.

    Raises:
        ParseError: there are several, and they differ.
    """
    found = [line for line in lines if line.begins(*first)]
    if len(found) > 1:
        raise found[1].refused(f"line {found[0].line} has another value: ambiguous")
    return found[0] if found else None
