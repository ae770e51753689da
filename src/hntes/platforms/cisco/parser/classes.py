"""Class maps and policy maps of IOS-XR and IOS-XE, and the effect of input policies.

Sources: Cisco's YANG modules of policy and class maps, and the command references named in docs/reference/rendering.md.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from hntes.platforms.cisco.parser.lists import ListReader
from hntes.platforms.cisco.parser.police import read_police
from hntes.platforms.cisco.parser.text import CiscoText, distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, Policer, Program, Treatment
from hntes.platforms.values import number
from hntes.rules.qos.model import Carrier

# What carries a class from input to output: QoS groups on ASR 9000 and IOS-XE, traffic classes on NCS and 8000.
_CARRYING = tuple(("set", each) for each in get_args(Carrier))
DEFAULT_CLASS = "class-default"
# YangModels, XR um-policymap-classmap-cfg: action set-traffic-class; 8 queues of a port.
HIGHEST_TRAFFIC_CLASS = 7
# What becomes the EXP of an imposed label by default, without 0.
PRECEDENCES = range(1, 8)
_EXP = ("set", "mpls", "experimental", "imposition")
# RFC 2474: class selectors. Those of RFC 2597 and RFC 3246 are not needed here.
CLASS_SELECTORS = {f"cs{each}": 8 * each for each in range(8)}


@dataclass(frozen=True)
class ClassMap:
    """The matches of a class: access lists or precedences on input, DSCP values and groups of a carrier on output."""

    lists: tuple[tuple[Literal[4, 6], str, Section], ...]
    groups: tuple[int, ...]
    code_points: tuple[int, ...]
    carrier: Carrier | None = None
    precedences: tuple[int, ...] = ()


class ClassReader:
    """Reader of the class maps of one text, and of its policy maps as lists of classes."""

    def __init__(self, text: CiscoText, lists: ListReader) -> None:
        self.text = text
        self.lists = lists
        # The first line that sets each kind of number on input.
        self.carried: dict[str, Section] = {}

    def policy(self, name: str, user: Section, *kind: str) -> list[tuple[str, Section]]:
        """The classes of a policy map with their sections, in order of evaluation, class-default last."""
        head = ("policy-map", *kind, name)
        section = self.text.section(*head)
        if section is None:
            raise user.refused(f"`{' '.join(head)}` is not in the text")
        section.take()
        found: dict[str, Section] = {}
        for child in section:
            if child.words[0] == "description":
                continue
            if child.words[:-1] != ("class", *kind[:1], *(("traffic",) if kind else ())):
                raise child.refused(f"is not understood in `{section.text}`")
            if child.words[-1] in found:
                found[child.words[-1]].children.extend(child.children)
            else:
                found[child.words[-1]] = child
                child.take()
        ordered = [each for each in found.items() if each[0] != DEFAULT_CLASS]
        return ordered + [each for each in found.items() if each[0] == DEFAULT_CLASS]

    def class_map(self, name: str, user: Section, *kind: str) -> ClassMap:
        """The class map that a policy names."""
        heads = [("class-map", *kind, *how, name) for how in ((), ("match-any",), ("match-all",))]
        found = [section for head in heads if (section := self.text.section(*head)) is not None]
        if len(found) != 1:
            raise user.refused(f"class-map {name} is defined {len(found)} times in the text")
        section = found[0]
        section.take()
        lines = [line for line in distinct(section) if line.words[0] != "description"]
        default = self.text.syntax.default_match
        # With one condition match-any and match-all are equal.
        is_any = "match-any" in section.words or ("match-all" not in section.words and default == "match-any")
        if not lines or (len(lines) > 1 and not is_any):
            raise section.refused("needs a condition, and match-any where it has several")
        return self._conditions(lines)

    def _conditions(self, lines: list[Section]) -> ClassMap:
        lists, groups, points, precedences = [], [], [], []
        carrier: Carrier | None = None
        for line in lines:
            line.end()
            words = line.words
            if words[:2] == ("match", "access-group") and len(words) == 4:
                lists.append((self._family(words[2], line), words[3], line))
            elif words[:1] == ("match",) and words[1] in get_args(Carrier) and len(words) > 2:
                if carrier not in (None, words[1]):
                    raise line.refused("matches QoS groups and traffic classes: not understood")
                carrier = "traffic-class" if words[1] == "traffic-class" else "qos-group"
                groups += [self.group(word, line, carrier) for word in words[2:]]
            elif words[:2] == ("match", "precedence") and len(words) > 2:
                precedences += [number(word, 0, 7, line.line, line.text, "precedence") for word in words[2:]]
            elif words[:2] == ("match", "dscp") and len(words) > 2:
                points += [_code_point(word, line) for word in words[2:]]
            else:
                raise line.refused("the match is not understood")
            line.take()
        return ClassMap(
            tuple(lists), tuple(sorted(set(groups))), tuple(sorted(set(points))), carrier, tuple(sorted(precedences))
        )

    def _family(self, word: str, line: Section) -> Literal[4, 6]:
        keywords = self.text.syntax.lists.keywords
        if word not in keywords:
            raise line.refused("the kind of access list is not understood")
        return keywords[word] or self.lists.family_of(line.words[-1], line)

    def group(self, word: str, line: Section, carrier: Carrier) -> int:
        """A QoS group or a traffic class."""
        highest = self.text.syntax.highest_group if carrier == "qos-group" else HIGHEST_TRAFFIC_CLASS
        return number(word, 0, highest, line.line, line.text, carrier)

    def entries(
        self, name: str, section: Section, ip_version: Literal[4, 6], action: Action, *kind: str
    ) -> list[Entry]:
        """The entries of a class on input, for one family."""
        found = self.class_map(name, section, *kind)
        if found.groups or found.code_points or found.precedences:
            raise section.refused(f"class {name} matches marks on input: not understood")
        return [
            entry
            for family, access_list, line in found.lists
            if family == ip_version
            for entry in self.lists.permitted(access_list, family, line, action)
        ]

    def program(self, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
        """An input policy for packets of one family."""
        entries: list[Entry] = []
        classes = self.policy(name, user)
        final = next((self._action(each) for class_name, each in classes if class_name == DEFAULT_CLASS), Action())
        by_exp: dict[int, int] = {}
        of_pairs: set[int | None] = set()
        for class_name, section in classes:
            if class_name == DEFAULT_CLASS:
                continue
            precedence = self._precedence(class_name, section, final)
            if precedence is not None:
                by_exp[precedence] = exp_of(section) or 0
                continue
            if by_exp:
                raise section.refused("stands behind a class that takes packets by their precedence")
            of_pairs.add(exp_of(section))
            entries += self.entries(class_name, section, ip_version, self._action(section))
        kept = {each: each for each in PRECEDENCES}
        if by_exp not in ({}, kept) or (by_exp and of_pairs - {0}) or (not by_exp and of_pairs - {None}):
            raise user.refused("sets the EXP of imposed labels otherwise than by precedence, and 0 for pairs")
        return Program("classes", tuple(entries), final, name, sets_exp=bool(by_exp))

    def _precedence(self, name: str, section: Section, final: Action) -> int | None:
        """The precedence of packets that a class treats as class-default does but for the EXP; None: another class."""
        found = self.class_map(name, section)
        if not found.precedences:
            return None
        if found.lists or found.groups or found.code_points or len(found.precedences) > 1:
            raise section.refused(f"class {name} matches more than one precedence: not understood")
        if self._action(section) != final:
            raise section.refused(f"treats packets otherwise than {DEFAULT_CLASS} by their precedence: not understood")
        return found.precedences[0]

    def _action(self, section: Section) -> Action:
        lines = distinct(section)
        for line in lines:
            if line.words[:2] not in _CARRYING and line.words[0] != "police" and line.words[:-1] != _EXP:
                raise line.refused("is not understood in a class on input")
        lines = [line for line in lines if line.words[:-1] != _EXP]
        police, mark = one_of(lines, "police"), one_of(lines, "set")
        policer = None if police is None else read_police(police, self.text.syntax.police)
        moves = policer is not None and any(one is not None and one.queue is not None for one in _treatments(policer))
        if police is not None and moves:
            self.carried.setdefault("qos-group", police)
        queue = None
        if mark is not None:
            mark.end()
            if len(mark.words) != 3:
                raise mark.refused(f"needs one {mark.words[1]}")
            self.carried.setdefault(mark.words[1], mark)
            queue = self.group(
                mark.words[2], mark, "traffic-class" if mark.words[1] == "traffic-class" else "qos-group"
            )
            mark.take()
            if moves:
                raise mark.refused("sets the class that the policer sets, too: ambiguous")
        return Action("accept", queue=queue, policer=policer)


def exp_of(section: Section) -> int | None:
    """The EXP of labels that a class sets; None if it leaves it."""
    line = one_of([each for each in distinct(section) if each.words[:-1] == _EXP], *_EXP)
    if line is None:
        return None
    line.end()
    line.take()
    return number(line.words[-1], 0, 7, line.line, line.text, "EXP")


def _treatments(policer: Policer) -> tuple[Treatment | None, ...]:
    return policer.conform, policer.exceed, policer.violate


def _code_point(word: str, line: Section) -> int:
    if word in CLASS_SELECTORS:
        return CLASS_SELECTORS[word]
    return number(word, 0, 63, line.line, line.text, "dscp")
