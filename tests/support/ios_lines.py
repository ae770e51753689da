"""A router of Cisco's as a state machine: what each typed line does to its configuration, and which lines it refuses.

Written from the vendor's references, for the statements of ours and what an operator may have beside them. IOS-XE puts
each line in force; IOS-XR collects lines in a target configuration and checks it as a whole when it is committed.

Cisco, IOS-XE, IP access list entry sequence numbering: an entry equal to another but for its number changes nothing, a
number that is taken is refused. Shares of a policy add up to 100 per cent at most, a policy in use is not removed, nor
a class-map in a policy, and an interface takes one policy for each direction: general knowledge, not read there.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_LIST = re.compile(r"(ip access-list extended|ipv4 access-list|ipv6 access-list) (\S+)\Z")
_CLASS = re.compile(r"class-map (?:type (\S+) )?match-any (\S+)\Z")
_POLICY = re.compile(r"policy-map (?:type (\S+) )?(\S+)\Z")
_ROUTE = re.compile(r"route-map (\S+) permit (\d+)\Z")
_INTERFACE = re.compile(r"interface (\S+)\Z")
_SHARE = re.compile(r"(?:bandwidth percent|priority percent|police rate percent) (\d+)")

ClassKey = tuple[str, str]


class RefusedError(Exception):
    """A line that the router does not take, or a configuration that it does not commit."""


@dataclass
class Configuration:
    """What a router holds. Matches of a class are a set: any of them suffices."""

    lists: dict[tuple[str, str], dict[int, str]] = field(default_factory=dict)
    classes: dict[ClassKey, set[str]] = field(default_factory=dict)
    policies: dict[ClassKey, dict[str, dict[str, list[str]]]] = field(default_factory=dict)
    routes: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    interfaces: dict[str, dict[str, str]] = field(default_factory=dict)

    def shown(self) -> str:
        """The configuration as text, objects by name; an interface without a line is not shown."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> list[str]:
        found = []
        for (family, name), entries in sorted(self.lists.items()):
            found += [f"{family} {name}", *(f" {number} {entries[number]}" for number in sorted(entries))]
        for key, matches in sorted(self.classes.items()):
            found += [f"class-map {key}", *(f" {match}" for match in sorted(matches))]
        for key, policy in sorted(self.policies.items()):
            found.append(f"policy-map {key}")
            for name in sorted(policy, key=lambda each: each.endswith("class-default")):
                found += [
                    f" class {name}",
                    *(f"  {line}" for _, lines in sorted(policy[name].items()) for line in lines),
                ]
        for clause, lines in sorted(self.routes.items()):
            found += [f"route-map {clause}", *(f" {line}" for line in sorted(lines))]
        for name, slots in sorted(self.interfaces.items()):
            found += [f"interface {name}", *(f" {line}" for _, line in sorted(slots.items()))] if slots else []
        return found

    def check(self) -> None:
        """Raises RefusedError where a reference leads nowhere or shares exceed the link."""
        self._check_lists()
        for (kind, name), policy in self.policies.items():
            for each in policy:
                _check_class(self, kind, name, each)
            shares = [int(one) for slots in policy.values() for one in _SHARE.findall(str(list(slots.values())))]
            if sum(shares) > 100:
                raise RefusedError(f"policy-map {name}: {sum(shares)} per cent")
        for name, slots in self.interfaces.items():
            for slot, line in slots.items():
                if not self._exists(slot, line):
                    raise RefusedError(f"interface {name}: `{line}` refers to nothing")

    def _check_lists(self) -> None:
        names = {name for _, name in self.lists}
        found = [(str(key), match) for key, lines in self.classes.items() for match in lines if "access-group" in match]
        found += [(str(key), line) for key, lines in self.routes.items() for line in lines if line.startswith("match ")]
        for where, match in found:
            if match.split()[-1] not in names:
                raise RefusedError(f"{where}: `{match}` names a list that does not exist")

    def _exists(self, slot: str, line: str) -> bool:
        words = line.split()
        if slot.startswith("service-policy"):
            return (words[2] if words[1] == "type" else "", words[-1]) in self.policies
        if slot.endswith("policy route-map"):
            return words[-1] in {name for name, _ in self.routes}
        if slot.endswith("access-group ingress"):
            return (f"{words[0]} access-list", words[2]) in self.lists
        return True

    def attached(self) -> set[ClassKey]:
        """The policies that an interface refers to."""
        lines = [line.split() for slots in self.interfaces.values() for line in slots.values()]
        return {(words[2] if words[1] == "type" else "", words[-1]) for words in lines if words[0] == "service-policy"}


def _check_class(configuration: Configuration, kind: str, policy: str, named: str) -> None:
    words = named.split()
    key = (words[1] if words[0] == "type" else "", words[-1])
    if words[-1] != "class-default" and key not in configuration.classes:
        raise RefusedError(f"policy-map {kind} {policy}: class {named} does not exist")


class Lines:
    """Lines typed one after another into a configuration."""

    def __init__(self, configuration: Configuration, *, is_in_force: bool) -> None:
        self.configuration = configuration
        self.is_in_force = is_in_force
        self._lines: set[str] | None = None
        self._entries: dict[int, str] | None = None
        self._policy: dict[str, dict[str, list[str]]] | None = None
        self._class: dict[str, list[str]] | None = None
        self._interface: dict[str, str] | None = None
        self._police: list[str] | None = None

    def type(self, line: str) -> None:
        """One line.

        Raises:
            RefusedError: it is not taken where it stands.
        """
        text = line.strip()
        if not text or text.startswith("!") or text in ("end-class-map", "end-policy-map"):
            return
        is_removal, words = text.startswith("no "), text.removeprefix("no ")
        if not (self._removes(words) if is_removal else self._opens(words)):
            self._below(words, is_removal)
        if self.is_in_force:
            self.configuration.check()

    def _leave(self) -> None:
        self._lines = self._entries = self._policy = self._class = self._interface = self._police = None

    def _opens(self, text: str) -> bool:
        held = self.configuration
        for pattern, mode in ((_LIST, "list"), (_CLASS, "class"), (_POLICY, "policy"), (_ROUTE, "route")):
            found = pattern.match(text)
            if found is None:
                continue
            self._leave()
            if mode == "list":
                self._entries = held.lists.setdefault((found[1], found[2]), {})
            elif mode == "class":
                self._lines = held.classes.setdefault((found[1] or "", found[2]), set())
            elif mode == "policy":
                self._policy = held.policies.setdefault((found[1] or "", found[2]), {})
            else:
                self._lines = held.routes.setdefault((found[1], int(found[2])), set())
            return True
        named = _INTERFACE.match(text)
        if named is not None:
            self._leave()
            self._interface = held.interfaces.setdefault(named[1], {})
        return named is not None

    def _removes(self, text: str) -> bool:
        held = self.configuration
        for pattern in (_LIST, _CLASS, _POLICY, _ROUTE):
            found = pattern.match(text)
            if found is None:
                continue
            self._leave()
            if pattern is _LIST:
                _drop(held.lists, (found[1], found[2]))
            elif pattern is _ROUTE:
                _drop(held.routes, (found[1], int(found[2])))
            elif pattern is _POLICY:
                self._refuse_used(text, (found[1] or "", found[2]) in held.attached())
                _drop(held.policies, (found[1] or "", found[2]))
            else:
                used = {name.split()[-1] for policy in held.policies.values() for name in policy}
                self._refuse_used(text, found[2] in used)
                _drop(held.classes, (found[1] or "", found[2]))
            return True
        return False

    def _refuse_used(self, text: str, is_used: bool) -> None:
        if is_used and self.is_in_force:
            raise RefusedError(f"{text} is in use")

    def _below(self, text: str, is_removal: bool) -> None:
        if self._entries is not None:
            self._entry(self._entries, text, is_removal)
        elif self._lines is not None:
            self._line(self._lines, text, is_removal)
        elif self._interface is not None:
            self._attachment(self._interface, text, is_removal)
        elif self._policy is not None and not is_removal:
            self._policy_line(self._policy, text)
        else:
            raise RefusedError(f"`{text}` stands in no mode that takes it")

    def _entry(self, entries: dict[int, str], text: str, is_removal: bool) -> None:
        number, _, permits = text.removeprefix("sequence ").partition(" ")
        if is_removal:
            at = int(number) if number.isdigit() else next((n for n, one in entries.items() if one == text), -1)
            _drop(entries, at)
        elif int(number) in entries:
            if entries[int(number)] != permits:
                raise RefusedError(f"duplicate sequence number {number}")
        elif permits not in entries.values():
            entries[int(number)] = permits

    def _line(self, lines: set[str], text: str, is_removal: bool) -> None:
        if not is_removal:
            lines.add(text)
        elif text in lines:
            lines.remove(text)
        else:
            raise RefusedError(f"`{text}` is not there")

    def _attachment(self, slots: dict[str, str], text: str, is_removal: bool) -> None:
        slot = _slot(text)
        if is_removal:
            if slots.get(slot) != text:
                raise RefusedError(f"`{text}` is not there")
            del slots[slot]
            return
        if self.is_in_force and slot.startswith("service-policy") and slots.get(slot, text) != text:
            raise RefusedError(f"`{slots[slot]}` is attached already")
        slots[slot] = text

    def _policy_line(self, policy: dict[str, dict[str, list[str]]], text: str) -> None:
        words = text.split()
        if words[0] == "class":
            self._class, self._police = policy.setdefault(" ".join(words[1:]), {}), None
        elif self._class is None:
            raise RefusedError(f"`{text}` stands in no class")
        elif words[0] in ("conform-action", "exceed-action", "violate-action"):
            if self._police is None:
                raise RefusedError(f"`{text}` stands below no police")
            self._police.append(text)
        else:
            self._police = [text] if words[0] == "police" else None
            if {words[0], *self._class} >= {"bandwidth", "priority"}:
                raise RefusedError(f"`{text}`: a class has either bandwidth or priority")
            if words[0] == "queue-limit" and not {"bandwidth", "priority"} & set(self._class):
                raise RefusedError(f"`{text}`: a class without bandwidth has no queue of its own")
            self._class[_class_slot(words)] = self._police or [text]


def _drop(found: dict[Any, Any], key: object) -> None:
    if key not in found:
        raise RefusedError(f"{key} is not there")
    del found[key]


def _slot(text: str) -> str:
    """What a statement of an interface replaces: one of the same kind; other statements only themselves."""
    words = text.split()
    if words[0] == "service-policy" or words[1:3] == ["policy", "route-map"] or words[0] == "forward-class":
        return " ".join(words[:-1])
    if words[1:2] == ["access-group"]:
        return f"{words[0]} access-group {words[-1]}"
    return text


def _class_slot(words: list[str]) -> str:
    if words[:2] == ["random-detect", "discard-class"]:
        return " ".join(words[:3])
    return " ".join(words[:2]) if words[0] in ("random-detect", "set") else words[0]


def typed(configuration: Configuration, text: str) -> Iterator[tuple[str, Configuration]]:
    """Each line of a text with an IOS-XE router's configuration after it, which the next line changes."""
    router = Lines(configuration, is_in_force=True)
    for line in text.splitlines():
        router.type(line)
        yield line, router.configuration


def loaded(configuration: Configuration, text: str) -> Configuration:
    """The configuration of an IOS-XE router after all lines; the given one stays as it is."""
    after = copy.deepcopy(configuration)
    for _ in typed(after, text):
        pass
    return after


def committed(configuration: Configuration, text: str) -> Configuration:
    """The configuration of an IOS-XR router after all lines were committed at once."""
    target = Lines(copy.deepcopy(configuration), is_in_force=False)
    for line in text.splitlines():
        target.type(line)
    target.configuration.check()
    return target.configuration
