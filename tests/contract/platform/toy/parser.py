"""From lines of the toy language to an effective model. Knows nothing of the renderer."""

import re
from collections.abc import Iterable
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.effective import (
    Action,
    Buffer,
    DropCurve,
    Edge,
    EffectiveModel,
    Entry,
    NextHop,
    Path,
    Policer,
    Port,
    Program,
    Queue,
    Treatment,
)
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import body_lines, require_words
from hntes.platforms.unparsed import ANYTHING, JUDGED_PORTS, SkippedStatement, grouped
from hntes.platforms.values import address, loss_priority, network
from hntes.rules.qos.model import LOSS_PRIORITIES, ForwardingClass, InterfaceBinding

WORDS = re.compile(r"[A-Za-z0-9 ._:/,-]*")
FORMS = {
    kind: re.compile(rf"hntes {kind} {form}")
    for kind, form in {
        "class": r"(\S+) ([0-7])",
        "profile": r"(\S+) (\d+:\d+(?:,\d+:\d+)*)",
        "queue": r"([0-7]) share (\d+) buffer (\d+) rank (low|medium-low|medium-high|high|strict-high)( ecn)?",
        "drops": r"([0-7]) (\S+) (\S+)",
        "core": r"(\S+)",
        "meter": r"(\S+) rate (\d+) burst (\d+) over (drop|pass) class (\S+) loss (\S+)",
        "marker": r"(\S+) cir (\d+) cbs (\d+) pir (\d+|-) ebs (\d+) red (drop|pass)",
        "pair": r"(\S+) (\S+) (\S+) class (\S+) meter (\S+) way (\S+)",
        "edge": r"(\S+) (\d+) ([46])",
    }.items()
}
HARMLESS = ("hostname", "port")


def parse(text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool) -> EffectiveModel:
    """What the text does to packets."""
    found = _Text(is_whole)
    lines = enumerate(text.split("\n"), 1) if is_whole else body_lines(text, "# ")
    for number, line in lines:
        found.read(number, line)
    return found.model(sorted(interfaces, key=lambda each: (each.name, each.unit)))


class _Text:
    def __init__(self, is_whole: bool) -> None:
        self.is_whole = is_whole
        self.said: dict[str, list[tuple[int, str, tuple[str, ...]]]] = {kind: [] for kind in FORMS}
        self.passed: list[SkippedStatement] = []

    def read(self, number: int, line: str) -> None:
        words = line.split()
        if self.is_whole and words[:1] != ["hntes"]:
            if words and not line.startswith("#"):
                touches = None if words[0] in HARMLESS else JUDGED_PORTS if words[0] == "own-queues" else ANYTHING
                self.passed.append(SkippedStatement(words[0], number, touches))
            return
        require_words(number, line, WORDS)
        form = FORMS.get(words[1]) if words[:1] == ["hntes"] and len(words) > 1 else None
        match = form.fullmatch(line) if form is not None else None
        if match is None:
            raise ParseError(
                number, line, "has no meaning here: a candidate may contain only statements that the gate judges"
            )
        known = self.said[words[1]]
        if any(one[1] == line for one in known):
            raise ParseError(number, line, "is repeated")
        known.append((number, line, match.groups(default="")))

    def model(self, interfaces: list[InterfaceBinding]) -> EffectiveModel:
        self.classes = {name: int(queue) for _, _, (name, queue) in self.said["class"]}
        profiles = {name: points for _, _, (name, points) in self.said["profile"]}
        queues = tuple(
            sorted((self._queue(one, profiles) for one in self.said["queue"]), key=lambda each: each.numbers)
        )
        cores = {name for _, _, (name,) in self.said["core"]}
        bound = {groups for _, _, groups in self.said["edge"]}
        entries = self._entries()
        for kind, known in (("core", {each.name for each in interfaces}), ("edge", {each.name for each in interfaces})):
            for number, line, groups in self.said[kind]:
                if groups[0] not in known:
                    raise ParseError(number, line, "is not an interface of the settings")
        edges = [
            Edge(each.name, each.unit, version, self._programs(entries, bound, each, version))
            for each in interfaces
            if each.is_edge
            for version in each.ip_versions
        ]
        rates = {each.name: each.rate_bps for each in interfaces if each.is_core}
        ports = [Port(name, rates[name], queues if name in cores else ()) for name in sorted(rates)]
        classes = (ForwardingClass(name, queue) for name, queue in self.classes.items())
        in_order = tuple(sorted(classes, key=lambda each: (each.queue, each.name)))
        return EffectiveModel("toy", tuple(edges), tuple(ports), in_order, (), (), grouped(self.passed))

    def _programs(
        self,
        entries: dict[int, list[Entry]],
        bound: set[tuple[str, ...]],
        edge: InterfaceBinding,
        version: Literal[4, 6],
    ) -> tuple[Program, ...]:
        if (edge.name, str(edge.unit), str(version)) not in bound:
            return ()
        return (Program("filter", tuple(entries[version]), Action(), "hntes"),)

    def _queue(self, one: tuple[int, str, tuple[str, ...]], profiles: dict[str, str]) -> Queue:
        number, line, (queue, share, buffer, rank, ecn) = one
        curves = {}
        for drop_number, drop_line, (of, loss, profile) in self.said["drops"]:
            if profile not in profiles:
                raise ParseError(drop_number, drop_line, f"profile {profile} is not in the text")
            if of == queue:
                points = tuple(tuple(map(int, point.split(":"))) for point in profiles[profile].split(","))
                level = loss_priority(loss, drop_number, drop_line)
                curves[level] = DropCurve(level, "pct", points)
        if ecn and not curves:
            raise ParseError(number, line, "marks packets, but no drops say when")
        return Queue(
            numbers=(int(queue),),
            code_points=(),
            forwarding_classes=tuple(sorted(name for name, each in self.classes.items() if each == int(queue))),
            is_default=False,
            share_pct=int(share),
            ceiling="none",
            priority=rank,
            buffer=Buffer(int(buffer), "pct"),
            drops=tuple(curves[each] for each in LOSS_PRIORITIES if each in curves),
            average_weight=None,
            ecn=bool(ecn),
            label=f"queue {queue}",
            line=number,
        )

    def _entries(self) -> dict[int, list[Entry]]:
        policers = self._policers()
        found: dict[int, list[Entry]] = {4: [], 6: []}
        for number, line, (name, source, destination, of, meter, way) in self.said["pair"]:
            version: Literal[4, 6] = 6 if ":" in source else 4
            if of not in self.classes or meter not in {"-", *policers}:
                raise ParseError(number, line, "its class or meter is not in the text")
            sides = (network(each, version, number, line) for each in (source, destination))
            sources, destinations = map(_unless_all, sides)
            path: Path | None = None if way == "-" else NextHop(address(way, version, number, line), resolves=True)
            action = Action("accept", self.classes[of], of, None, policers.get(meter), path)
            found[version].append(Entry(sources, destinations, action, name, number))
        return found

    def _policers(self) -> dict[str, Policer]:
        found = {}
        for number, line, (name, rate, burst, over, of, loss) in self.said["meter"]:
            if of not in {"-", *self.classes}:
                raise ParseError(number, line, f"class {of} is not in the text")
            level = None if loss == "-" else loss_priority(loss, number, line)
            out = None if of == "-" else of
            above = Treatment(over == "drop", None if out is None else self.classes[out], out, level)
            rates = int(rate), int(burst), None, None
            found[name] = Policer(*rates, False, Treatment(), above, None, "term", False, name)
        for _, _, (name, cir, cbs, pir, ebs, red) in self.said["marker"]:
            violate = Treatment(discard=True) if red == "drop" else Treatment(loss_priority="high")
            treatments = Treatment(loss_priority="low"), Treatment(loss_priority="medium-high"), violate
            peak = None if pir == "-" else int(pir)
            found[name] = Policer(int(cir), int(cbs), peak, int(ebs), False, *treatments, "term", False, name)
        return found


def _unless_all(prefix: Network) -> tuple[Network, ...]:
    return () if prefix.prefixlen == 0 else (prefix,)
