"""Computation of the configuration that an IOS-XE router would have after commands, from its running configuration.

It replaces the missing candidate. It supports only the commands of transitions (`platforms/iosxe/transition.py`);
whether the router accepts them is seen when they are typed. Routers list IPv6 addresses in capitals, and accept either
form.
"""

import re
from collections.abc import Iterable

from hntes.platforms.cisco.parser.tree import Section, read_sections
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.errors import ParseError

# An interface has one statement of each kind: a route-map replaces another, a second policy is refused.
_SLOT = re.compile(r"(?:service-policy (?:input|output)|(?:ip|ipv6) policy route-map) (?=\S+$)")
_NUMBER = re.compile(r"^(?:sequence )?(\d+) (?=(?:permit|deny|remark)\b)")


def typed(running: str, commands: str) -> str:
    """The configuration after all commands, as text.

    Raises:
        DeliveryError: a command removes a missing object, or conflicts with an existing one; or the text cannot be
            parsed as a configuration.
    """
    try:
        root, typed_lines = read_sections(running), read_sections(commands)
    except ParseError as cause:
        raise DeliveryError(f"the router's answer cannot be parsed as a configuration: {cause}") from cause
    _type(root.children, typed_lines, "")
    return _text(root.children, 0)


def plain(line: str) -> str:
    """A line in canonical form: an access-list entry without its number, IPv6 addresses in lower case.

    Example:
        >>> plain("sequence 20 permit ipv6 host 2001:DB8::1 any"), plain("route-map a-1 permit 10")
        ('permit ipv6 host 2001:db8::1 any', 'route-map a-1 permit 10')
    """
    words = [word.lower() if ":" in word else word for word in line.split()]
    return _NUMBER.sub("", " ".join(words), count=1)


def _type(lines: list[Section], commands: Iterable[Section], where: str) -> None:
    held: dict[str, Section] = {}
    for each in lines:
        held.setdefault(plain(each.text), each)
    for command in commands:
        words = plain(command.text)
        if words.startswith("no "):
            _remove(lines, held, words.removeprefix("no "), where)
            continue
        if words not in held:
            _make_room(lines, held, words, where)
            held[words] = Section(command.words, command.line, command.indent)
            lines.append(held[words])
        _type(held[words].children, command, f"{where}{command.text}: ")
    _sort_entries(lines, where)


def _remove(lines: list[Section], held: dict[str, Section], words: str, where: str) -> None:
    if words not in held:
        raise DeliveryError(f"{where}`no {words}` would remove a missing object")
    lines.remove(held.pop(words))


def _make_room(lines: list[Section], held: dict[str, Section], words: str, where: str) -> None:
    slot = _SLOT.match(words)
    taken = next((each for each in held if each.startswith(slot[0])), None) if slot else None
    if taken is None:
        return
    if taken.startswith("service-policy"):
        raise DeliveryError(f"{where}`{words}` would be refused, since `{taken}` exists")
    _remove(lines, held, taken, where)


def _sort_entries(lines: list[Section], where: str) -> None:
    """Sorts the entries of an access list by number, which must be unique."""
    numbers = [int(found[1]) for each in lines if (found := _NUMBER.match(each.text))]
    if len(set(numbers)) != len(numbers):
        raise DeliveryError(f"{where}two entries would have the same number")
    if numbers:
        lines.sort(key=_number)


def _number(line: Section) -> int:
    found = _NUMBER.match(line.text)
    return int(found[1]) if found else 0


def _text(lines: Iterable[Section], depth: int) -> str:
    return "".join(f"{' ' * depth}{each.text}\n{_text(each.children, depth + 1)}" for each in lines)
