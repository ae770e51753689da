"""Listings of others' routers, each with a plan beside it: what becomes of it, and for which reason.

The listings belong to others and are read where they are; see the README there.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path

from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.adopted import expected_beside
from hntes.platforms.cisco.parser.tree import interface_name, read_sections
from hntes.platforms.cisco.parser.unparsed import bundle_of as cisco_bundle_of
from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.junos.places import bundle_of
from hntes.platforms.junos.running import expanded_tree
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.platforms.validate import validate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.settings.model import Interface, Router
from hntes.settings.plans import TwoQueue
from hntes.workflow.adoption import adoption, fitted
from tests.support.qos_models import PLATFORMS

# Folders are named after platforms, but for these.
_SPELLED = {"junos-set": "junos", "iosxr-excerpts": "iosxr", "ios": "iosxe"}
FOLDERS = {**{each: each for each in PLATFORMS}, **_SPELLED}
# Classes that the default maps of marks leave to the pairs and to network control.
_QUEUES = {"sros": {"alpha": 1}, "eos": {"alpha": 1, "network_control": 6}}
PAIRS = (
    PrefixPair.parse("198.18.10.0/24>203.0.113.0/24"),
    PrefixPair.parse("198.18.20.7/32>203.0.113.0/24"),
)
MOST_EDGES, MOST_CORES = 6, 7
MOST_ADOPTING = 12
# Ports that take no customer and no backbone link.
_OTHER = re.compile(
    r"(?i)(lo|fxp|em|me|vme|irb|vlan|loopback|mgmt|null|tunnel|bvi|nve|gr-|lt-|st0|si-|ip-|vt-|dsc|re\d)"
)
_DEVICE = {
    "junos": re.compile(r"^\s*(set )?(version|system \{|set system host-name|host-name)", re.MULTILINE),
    "iosxr": re.compile(r"IOS XR Configuration|^hostname ", re.MULTILINE),
    "iosxe": re.compile(r"^(version|hostname) ", re.MULTILINE),
    "sros": re.compile(r"^# TiMOS|^configure \{", re.MULTILINE),
    # without what other languages of the same look have
    "eos": re.compile(
        r"\A(?![\s\S]*^(?:ip access-list extended|feature |version \d))"
        r"[\s\S]*^(?:! device: .*EOS|spanning-tree mode|switchport default|interface Ethernet\d)",
        re.MULTILINE,
    ),
}
# Of parts of a configuration, as a terminal shows them one after another, of templates and of tables.
_DOCUMENT = re.compile(r"^\S+[>#] *show configuration \S|\$\{\w+\}|^```|^\|.*\|\s*$", re.MULTILINE)
_GIGABIT = (("hu", 100), ("te", 10), ("tw", 25), ("fo", 40), ("xe", 10), ("et", 100), ("fa", 0.1), ("fou", 400))


@dataclass(frozen=True)
class Listing:
    """A listing: its file, its platform, and whether anything of QoS or filters is in it, as the index says."""

    path: Path
    platform: str
    has_qos: bool

    @property
    def text(self) -> str:
        content = self.path.read_bytes()
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content.decode("latin-1")

    @property
    def is_device(self) -> bool:
        """Whether it is of a whole device rather than an excerpt or a document."""
        text = self.text
        is_document = self.platform != "iosxe" and _DOCUMENT.search(text) is not None
        if self.path.parent.name == "iosxr-excerpts" or is_document:
            return False
        return _DEVICE[self.platform].search(text) is not None


@dataclass(frozen=True)
class Fate:
    """What becomes of a plan beside a listing.

    Passed as it is; adopted: with settings that keep the router's classes; collides, not judged, failed; or without a
    pair of ports. `ways` are the settings that were tried in vain, each with what it met first.
    """

    outcome: str
    reason: str = ""
    line: int = 0
    ways: tuple[str, ...] = ()


RANKS = ("passed", "adopted", "collides", "not judged", "not read", "failed", "no pair of ports")


def listings(folder: Path) -> list[Listing]:
    """The listings of a folder that are of the platforms of HNTES, by file."""
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Listing(folder / row["file"], FOLDERS[top], bool(row["qos"] or row["filters"]))
        for row in sorted(rows, key=lambda row: str(row["file"]))
        if (top := str(row["file"]).split("/")[0]) in FOLDERS
    ]


def best_fate(listing: Listing) -> Fate:
    """The best outcome of some pairs of an edge unit and a core port."""
    return best_plan(listing)[0]


def best_plan(listing: Listing) -> tuple[Fate, RouterModel | None]:
    """The best outcome, with its plan."""
    try:
        ports = list(_ports(listing))
    except ParseError as problem:
        return Fate("not read", problem.reason, problem.line), None
    edges, cores = ports[:MOST_EDGES], list(dict.fromkeys(name for name, _, _ in ports[::-1]))[:MOST_CORES]
    best, found = Fate("no pair of ports"), None
    for (name, unit, versions), core in islice(product(edges, cores), MOST_EDGES * MOST_CORES):
        if name == core:
            continue
        made = plan(listing.platform, (name, unit, versions), core, _unit(ports, core), logical_of(listing))
        fate = fate_of(listing, made)
        if RANKS.index(fate.outcome) < RANKS.index(best.outcome):
            best, found = fate, made
        if fate.outcome == "passed":
            break
    if best.outcome in ("collides", "not judged", "failed"):
        kept, ways = adopted(listing, ports)
        return kept or (replace(best, ways=ways), found)
    return best, found


def adopted(
    listing: Listing, ports: list[tuple[str, int, tuple[int, ...]]]
) -> tuple[tuple[Fate, RouterModel | None] | None, tuple[str, ...]]:
    """The first settings that keep the router's classes, with their plan; None if none fit, and what was in the way."""
    ways: dict[str, None] = {}
    text = listing.text
    # A port that is named more often is one with a class of service of its own.
    cores = sorted(dict.fromkeys(name for name, _, _ in ports[::-1]), key=lambda name: -text.count(f"{name} "))
    for (name, unit, versions), core in islice(product(ports, cores), MOST_ADOPTING):
        if name == core:
            continue
        made = interfaces_of((name, unit, versions), core, _unit(ports, core), logical_of(listing))
        interfaces = [Interface.model_validate(each) for each in made]
        found = adoption(listing.platform, listing.text, interfaces)
        if found.found is not None:
            fit = fitted(listing.platform, listing.text, interfaces, found.found)
            return (Fate("adopted", found.found.words), fit.model), ()
        for each in found.tried[1:]:
            first = each.problems[0]
            ways[f"{each.proposal.words}: line {first.line}: {first.statement}: {first.reason}"] = None
    return None, tuple(ways)


def logical_of(listing: Listing) -> dict[tuple[str, int], str]:
    """The logical interfaces by port and unit, where the platform names them apart."""
    found = platform_of(listing.platform).inventory(listing.text)
    return {(each.name, each.unit or 0): each.logical for each in found.ports if each.logical} if found else {}


def interfaces_of(
    edge: tuple[str, int, tuple[int, ...]], core: str, core_unit: int, logical: Mapping[tuple[str, int], str]
) -> list[dict[str, object]]:
    """An edge unit and a core port as the settings have them."""
    name, unit, versions = edge
    tables: list[dict[str, object]] = [
        {"name": name, "unit": unit, "role": "edge", "rate_bps": rate_bps(name), "ip_versions": list(versions)},
        {"name": core, "unit": core_unit, "role": "core", "rate_bps": rate_bps(core)},
    ]
    for table, place in zip(tables, ((name, unit), (core, core_unit)), strict=True):
        table |= {"logical": logical[place]} if place in logical else {}
    return tables


def plan(
    platform: str,
    edge: tuple[str, int, tuple[int, ...]],
    core: str,
    core_unit: int,
    logical: Mapping[tuple[str, int], str] | None = None,
) -> RouterModel:
    """A plan of two queues with pairs in the families of the edge; `logical` as from `logical_of`."""
    router = Router.model_validate(
        {
            "name": "r",
            "platform": platform,
            "flow_folder": "flows",
            "interfaces": interfaces_of(edge, core, core_unit, logical or {}),
            "queues": _QUEUES.get(platform, {}),
        }
    )
    return build_model(router, TwoQueue(kind="two_queue"), PAIRS)


def fate_of(listing: Listing, model: RouterModel, added: str = "") -> Fate:
    """What the check and the gate say of a plan beside a listing; the simulated criteria are as without it.

    `added` is put behind the listing.
    """
    text = listing.text + added
    try:
        fitted = check_conflicts(model, text)
        validate(fitted)
    except CollisionError as problem:
        first = problem.collisions[0]
        return Fate("collides", f"{first.statement}: {first.reason}", first.line)
    except ModelError as problem:
        return Fate("not judged", str(problem))
    candidate = render(fitted)
    try:
        merged = read_merged(listing.platform, candidate, text, fitted.interfaces, keeps_classes=fitted.keeps_classes)
        expected = expected_beside(fitted, text)
    except ParseError as problem:
        return Fate("not judged", f"{problem.text}: {problem.reason}", problem.line)
    verdict = STRUCTURE.verdict(
        merged,
        [term.pair for each in fitted.filters for term in each.terms],
        alpha_queue=fitted.queue_for("alpha") or 0,
        is_redirected=False,
        port_buffer_ms=100,
        expected=expected,
        is_adopted=fitted.adopted is not None,
    )
    if verdict.outcome == "passed":
        return Fate("passed")
    reasons = [each for each in merged.unparsed if each.is_reason]
    if reasons:
        _, stays, way = verdict.sentence.partition("If these statements stay")
        return Fate("not judged", f"{reasons[0].text}: can touch {reasons[0].touches}. {stays}{way}", reasons[0].line)
    return Fate("failed", verdict.sentence)


def rate_bps(name: str) -> int:
    """The usual rate of a port of that name."""
    fits = [gigabit for start, gigabit in _GIGABIT if name.lower().startswith(start)]
    return int(fits[-1] * 10**9) if fits else 10**9


def _unit(ports: list[tuple[str, int, tuple[int, ...]]], core: str) -> int:
    return min(unit for name, unit, _ in ports if name == core)


def _ports(listing: Listing) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Routed units: name, unit and address families."""
    if listing.platform in ("iosxr", "iosxe"):
        found = _cisco_ports(listing.text)
    else:
        found = _junos_ports(listing.text) if listing.platform == "junos" else _listed_ports(listing)
    return (each for each in found if not _OTHER.match(each[0]))


def _junos_ports(text: str) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    for port in expanded_tree(text, ()).child("interfaces") or ():
        for unit in port.child("unit") or () if bundle_of(port) is None else ():
            families = unit.child("family")
            versions = tuple(
                version for version, family in ((4, "inet"), (6, "inet6")) if families and families.child(family)
            )
            if 4 in versions and unit.word.isdigit():
                yield port.word, int(unit.word), versions


def _listed_ports(listing: Listing) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Those that the platform itself reads."""
    found = platform_of(listing.platform).inventory(listing.text)
    for each in found.ports if found is not None else ():
        yield each.name, each.unit or 0, (4,)


def _cisco_ports(text: str) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    for section in read_sections(text):
        name = interface_name(section.words)
        has_address = any(line.words[:2] in (("ip", "address"), ("ipv4", "address")) for line in section)
        if name and has_address and cisco_bundle_of(section) is None:
            port, _, unit = name.partition(".")
            yield port, int(unit) if unit.isdigit() else 0, (4,)
