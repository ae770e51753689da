"""Junos firewall filters and policers as entries.

Sources: Juniper's pages on how firewall filters are evaluated (first match; a term without a terminating action
accepts; what no term matches is discarded), on match conditions and on policers.
"""

from dataclasses import replace
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.effective import Action, Entry, Path, Policer, Program, Treatment
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.parser.listed import check_goes_on, check_keeps_class
from hntes.platforms.junos.parser.paths import PathReader
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.values import loss_priority, network, number

FAMILY: dict[Literal[4, 6], str] = {4: "inet", 6: "inet6"}

# Juniper, statement references of bandwidth-limit and burst-size-limit: the suffixes are powers of ten for both.
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
# Counting, logging and sampling do not affect a packet's treatment.
_WATCHING = ("count", "log", "syslog", "sample")
_THEN = (
    *("policer", "three-color-policer", "forwarding-class", "loss-priority", "routing-instance"),
    *("accept", "discard", "reject", "next"),
    *_WATCHING,
)


class FilterReader:
    """Reader of the filters of one text."""

    def __init__(self, root: Node, classes: dict[str, int], paths: PathReader, is_whole: bool) -> None:
        self.root = root
        self.is_whole = is_whole
        self.classes = classes
        self.paths = paths
        self.used: list[Node] = []
        self._policers: dict[tuple[str, str, bool], Policer] = {}
        self._paths: dict[tuple[str, int], Path] = {}

    def program(self, names: list[Node], ip_version: Literal[4, 6]) -> Program:
        """These filters in sequence, as one program."""
        if len(names) > 1 and OWN_NAME.fullmatch(names[0].word):
            return self._before_operators(names, ip_version)
        entries: list[Entry] = []
        for name in names:
            entries += self._filter(name, ip_version)
        fast = any(self._found(name, ip_version).child("fast-lookup-filter") is not None for name in names)
        return Program("filter", tuple(entries), Action("discard"), " ".join(name.word for name in names), fast)

    def _before_operators(self, names: list[Node], ip_version: Literal[4, 6]) -> Program:
        """The program of a filter of HNTES followed by the operator's, which keeps the class of accepted packets.

        So the program ends with accept; packets that the operator's filter discards reach no queue. Only a whole
        configuration contains the operator's filter.
        """
        body = self._found(names[0], ip_version)
        entries = self._filter(names[0], ip_version)
        check_goes_on(body, entries)
        if len(names) > 2 or OWN_NAME.fullmatch(names[1].word):
            raise names[-1].refused("a list may have one filter of the operator after that of HNTES")
        if self.is_whole:
            check_keeps_class(self._found(names[1], ip_version), self.root)
        return Program("filter", tuple(entries), Action(), names[0].word, body.child("fast-lookup-filter") is not None)

    def check_policer(self, body: Node, marker: str) -> None:
        """Parses a policer, even if no filter names it."""
        if body not in self.used:
            self._known(Node(body.word, body.line, body.path), marker, per_interface=False)

    def _filter(self, name: Node, ip_version: Literal[4, 6]) -> list[Entry]:
        body = self._found(name, ip_version)
        self._use(body)
        body.only("term", "interface-specific", "fast-lookup-filter")
        terms, fast = body.child("term"), body.child("fast-lookup-filter")
        if fast is not None:
            fast.end()
            fast.take()
        per_interface = body.child("interface-specific") is not None
        return [self._term(term, ip_version, per_interface) for term in terms or ()]

    def _found(self, name: Node, ip_version: Literal[4, 6]) -> Node:
        own = self.root.child("firewall", "family", FAMILY[ip_version], "filter", name.word)
        old = self.root.child("firewall", "filter", name.word) if ip_version == 4 else None
        if own is not None and old is not None:
            raise old.refused(f"filter {name.word} is defined twice, here and in line {own.line}")
        found = own or old
        if found is None:
            raise name.refused(f"filter {name.word} of family {FAMILY[ip_version]} is not in the text")
        return found

    def _use(self, node: Node) -> None:
        if node not in self.used:
            self.used.append(node)

    def _term(self, term: Node, ip_version: Literal[4, 6], per_interface: bool) -> Entry:
        term.only("from", "then")
        matches = term.child("from")
        sources: tuple[Network, ...] = ()
        destinations: tuple[Network, ...] = ()
        if matches is not None:
            matches.only("source-address", "destination-address", "source-prefix-list", "destination-prefix-list")
            sources = self._prefixes(matches, "source", ip_version)
            destinations = self._prefixes(matches, "destination", ip_version)
        action = self._then(term.child("then"), ip_version, per_interface)
        return Entry(sources, destinations, action, term.word, term.line)

    def _prefixes(self, matches: Node, side: str, ip_version: Literal[4, 6]) -> tuple[Network, ...]:
        found: set[Network] = set()
        stated = matches.child(f"{side}-address")
        for each in stated or ():
            each.end()
            found.add(network(each.word, ip_version, each.line, each.path))
            each.take()
        lists = matches.child(f"{side}-prefix-list")
        for each in lists or ():
            each.end()
            each.take()
            found |= self._prefix_list(each, ip_version)
        if not found and (stated or lists):
            raise matches.refused(f"the {side} condition names no prefix")
        if any(each.prefixlen == 0 for each in found):
            return ()
        return tuple(sorted(found, key=lambda one: (int(one.network_address), one.prefixlen)))

    def _prefix_list(self, name: Node, ip_version: Literal[4, 6]) -> set[Network]:
        body = self.root.child("policy-options", "prefix-list", name.word)
        if body is None:
            raise name.refused(f"prefix-list {name.word} is not in the text")
        self._use(body)
        found: set[Network] = set()
        for each in body:
            each.end()
            # A list may hold both families; a filter uses its own.
            if (":" in each.word) == (ip_version == 6):
                found.add(network(each.word, ip_version, each.line, each.path))
                each.take()
        if not found:
            raise name.refused(f"prefix-list {name.word} has no {FAMILY[ip_version]} prefix: ambiguous")
        return found

    def _then(self, then: Node | None, ip_version: Literal[4, 6], per_interface: bool) -> Action:
        if then is None:
            return Action()
        then.only(*_THEN)
        ends = [each for each in then if each.word in ("accept", "discard", "reject", "next", "routing-instance")]
        if len(ends) > 1:
            raise ends[1].refused(f"ends the term, as does `{ends[0].word}` in line {ends[0].line}: ambiguous")
        end = ends[0] if ends else None
        action = Action("accept", policer=self._policer(then, per_interface))
        stated = then.child("forwarding-class")
        if stated is not None:
            name, queue = self._class(stated.leaf())
            action = replace(action, forwarding_class=name, queue=queue)
        loss = then.child("loss-priority")
        if loss is not None:
            word = loss.leaf()
            action = replace(action, loss_priority=loss_priority(word.word, word.line, word.path))
        counted = then.child("count")
        if counted is not None:
            counted.leaf()
        return action if end is None else self._ended(action, end, ip_version)

    def _ended(self, action: Action, end: Node, ip_version: Literal[4, 6]) -> Action:
        if end.word == "routing-instance":
            name = end.leaf()
            key = name.word, ip_version
            if key not in self._paths:
                self._paths[key] = self.paths.path(name, ip_version)
            return replace(action, path=self._paths[key])
        if end.word == "next":
            if end.leaf().word != "term":
                raise end.refused("only `next term` is understood")
            return replace(action, disposition="next")
        if end.word != "reject":
            end.end()
            end.take()
        return replace(action, disposition="accept" if end.word == "accept" else "discard")

    def _class(self, name: Node) -> tuple[str, int]:
        if name.word not in self.classes:
            raise name.refused(f"forwarding class {name.word} has no queue in the text")
        return name.word, self.classes[name.word]

    def _policer(self, then: Node, per_interface: bool) -> Policer | None:
        one, three = then.child("policer"), then.child("three-color-policer")
        if one is not None and three is not None:
            raise three.refused(f"a term has one policer; another is in line {one.line}")
        if three is not None:
            marker = three.value()
            if marker.word not in ("single-rate", "two-rate"):
                raise marker.refused("is neither single-rate nor two-rate")
            return self._known(marker.leaf(), marker.word, per_interface)
        return None if one is None else self._known(one.leaf(), "", per_interface)

    def _known(self, name: Node, marker: str, per_interface: bool) -> Policer:
        key = name.word, marker, per_interface
        if key not in self._policers:
            made = self._three_color(name, marker, per_interface) if marker else self._two_color(name, per_interface)
            self._policers[key] = made
        return self._policers[key]

    def _body(self, name: Node, kind: str) -> Node:
        body = self.root.child("firewall", kind, name.word)
        if body is None:
            raise name.refused(f"{kind} {name.word} is not in the text")
        self._use(body)
        return body

    def _two_color(self, name: Node, per_interface: bool) -> Policer:
        body = self._body(name, "policer")
        body.only("if-exceeding", "then", "filter-specific")
        limits = body.need("if-exceeding")
        limits.only("bandwidth-limit", "burst-size-limit")
        return Policer(
            committed_rate_bps=_rate(limits, "bandwidth-limit"),
            committed_burst_bytes=_rate(limits, "burst-size-limit"),
            peak_rate_bps=None,
            excess_burst_bytes=None,
            color_aware=False,
            conform=Treatment(),
            exceed=self._treatment(body.need("then")),
            violate=None,
            scope=_scope(body),
            per_interface=per_interface,
            name=name.word,
        )

    def _treatment(self, then: Node) -> Treatment:
        then.only("discard", "forwarding-class", "loss-priority")
        if not then.children:
            raise then.refused("has no action for traffic above the rate")
        discard = then.child("discard")
        if discard is not None:
            discard.take()
        found = Treatment(discard=discard is not None)
        stated, loss = then.child("forwarding-class"), then.child("loss-priority")
        if stated is not None:
            name, queue = self._class(stated.leaf())
            found = replace(found, forwarding_class=name, queue=queue)
        if loss is not None:
            word = loss.leaf()
            found = replace(found, loss_priority=loss_priority(word.word, word.line, word.path))
        if found.discard and (stated or loss):
            raise then.refused("both discards and marks traffic")
        return found

    def _three_color(self, name: Node, marker: str, per_interface: bool) -> Policer:
        body = self._body(name, "three-color-policer")
        body.only("action", "single-rate", "two-rate", "filter-specific")
        if len([each for each in body if each.word in ("single-rate", "two-rate")]) != 1:
            raise body.refused("needs exactly one of single-rate and two-rate")
        rates = body.child(marker)
        if rates is None:
            raise name.refused(f"policer {name.word} in line {body.line} is not {marker}")
        last = ("excess-burst-size",) if marker == "single-rate" else ("peak-information-rate", "peak-burst-size")
        rates.only("color-blind", "color-aware", "committed-information-rate", "committed-burst-size", *last)
        blind, aware = rates.child("color-blind"), rates.child("color-aware")
        if (blind is None) == (aware is None):
            raise rates.refused("needs exactly one of color-blind and color-aware")
        (blind or aware or rates).take()
        return Policer(
            committed_rate_bps=_rate(rates, "committed-information-rate"),
            committed_burst_bytes=_rate(rates, "committed-burst-size"),
            peak_rate_bps=_rate(rates, "peak-information-rate") if marker == "two-rate" else None,
            excess_burst_bytes=_rate(rates, last[-1]),
            color_aware=aware is not None,
            conform=Treatment(loss_priority="low"),
            exceed=Treatment(loss_priority="medium-high"),
            violate=_red(body),
            scope=_scope(body),
            per_interface=per_interface,
            name=name.word,
        )


def _scope(body: Node) -> Literal["term", "filter"]:
    stated = body.child("filter-specific")
    if stated is None:
        return "term"
    stated.take()
    return "filter"


def _red(body: Node) -> Treatment:
    action = body.child("action")
    if action is None:
        return Treatment(loss_priority="high")
    words = []
    while action.children:
        action = action.value()
        words.append(action.word)
    if words != ["loss-priority", "high", "then", "discard"]:
        raise action.refused("only `loss-priority high then discard` is understood")
    action.take()
    return Treatment(discard=True)


def _rate(node: Node, word: str) -> int:
    if node.child(word) is None:
        raise ParseError(node.line, node.path, f"{word} is missing")
    leaf = node.need(word).leaf()
    return _scaled(leaf.word, leaf.line, leaf.path, word)


def _scaled(word: str, line: int, text: str, what: str) -> int:
    """A rate or size: a positive whole number with an optional `k`, `m` or `g`."""
    factor = _SUFFIXES.get(word[-1:], 1)
    digits = word[:-1] if factor > 1 else word
    return factor * number(digits, 1, 10**15, line, text, what)
