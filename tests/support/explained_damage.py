"""Why a damaged text means what the whole one does: told from the two texts, without the reader.

Each platform's language says what its statements are, where they stand and which have an order, and knows what holds
anyway. A platform without a language here fails in every test of damage.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.support.text_mutations import Mutant
from tests.support.vendor_grammar import Statement, read_sros

# Containers of objects that count only where something names them.
DICTIONARIES = (
    *("schedulers", "scheduler-maps", "drop-profiles", "rib-groups", "policy-options", "routing-instances"),
    *("next-hop-map", "interfaces", "firewall", "routing-options"),
)


@dataclass(frozen=True)
class Language:
    """How texts of a platform are read here.

    Attributes:
        statements: The lines that say something, in order, without blanks around.
        places: Each statement with the blocks around it.
        ordered: What has an order that matters, in that order.
        reason: What else makes two texts the same, or None.
        defaults: Statements that say what holds without them; the reader's modules name where the vendor says so.
    """

    statements: Callable[[str], list[str]]
    places: Callable[[str], list[str]]
    ordered: Callable[[str], list[str]]
    reason: Callable[[str, Mutant], str | None]
    defaults: tuple[str, ...]


def explanation(platform: str, text: str, mutant: Mutant) -> str | None:
    """Why the two texts mean the same, or None."""
    language = _LANGUAGES[platform]
    if language.statements(text) == language.statements(mutant.text):
        return "comments, blanks, lines that only end a section"
    places, places_new = language.places(text), language.places(mutant.text)
    ordered, ordered_new = language.ordered(text), language.ordered(mutant.text)
    if ordered == ordered_new and Counter(places) == Counter(places_new):
        return "statements in another order, terms and classes in the same"
    if set(places) == set(places_new) and _once(ordered) == _once(ordered_new):
        return "said twice"
    added = set(places_new) - set(places)
    if not set(places) - set(places_new) and all(_begins_one(each, places) for each in added):
        return "the beginning of a statement, said again"
    gone, come = _changed(language, text, mutant)
    if gone and not come and set(gone) <= set(language.defaults):
        return "what holds anyway"
    return language.reason(text, mutant)


def _changed(language: Language, text: str, mutant: Mutant) -> tuple[Counter[str], Counter[str]]:
    """The statements that are gone, and those that have come."""
    old, new = Counter(language.statements(text)), Counter(language.statements(mutant.text))
    return old - new, new - old


def _once(statements: list[str]) -> list[str]:
    return list(dict.fromkeys(statements))


def _begins_one(place: str, places: list[str]) -> bool:
    return place.endswith(";") and any(each.startswith(place[:-1] + " ") for each in places)


def _junos_statements(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    bare = " ".join(line for line in lines if not line.startswith(("##", "/*")))
    bare = bare.replace("then accept;", "then { accept; }")
    return [each.strip() for each in re.sub(r"([{};])", r"\1\n", bare).splitlines() if each.strip()]


def _in_braces(statements: list[str]) -> list[str]:
    found: list[str] = []
    around: list[str] = []
    for each in statements:
        if each == "}":
            around.pop()
            continue
        found.append(" ".join([*around, each]))
        if each.endswith("{"):
            around.append(each)
    return found


def _junos_ordered(text: str) -> list[str]:
    words = ("term ", "fill-level", "drop-probability")
    return [each for each in _junos_statements(text) if each.startswith(words)]


def _junos_reason(text: str, mutant: Mutant) -> str | None:
    gone, come = _changed(_LANGUAGES["junos"], text, mutant)
    if _names_only(gone) and _names_only(come):
        return "names of counters and terms"
    return "an object that nothing names" if not gone and _is_unnamed(mutant) else None


def _names_only(statements: Counter[str]) -> bool:
    return all(re.fullmatch(r"count \S+;|term \S+ \{", each) for each in statements)


def _is_unnamed(mutant: Mutant) -> bool:
    """Whether the added line stands directly in a container of named objects."""
    open_blocks: list[str] = []
    for number, line in enumerate(mutant.text.splitlines()):
        if number == mutant.lines[-1]:
            return bool(open_blocks) and open_blocks[-1].removeprefix("replace: ").split()[0] in DICTIONARIES
        bare = line.partition("#")[0].strip()
        if bare.endswith("{"):
            open_blocks.append(bare)
        elif bare == "}" and open_blocks:
            open_blocks.pop()
    return False


def _indented_statements(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [" ".join(line.split()) for line in lines if line and not line.startswith(("!", "end-"))]


def _indented_places(text: str) -> list[str]:
    found: list[str] = []
    around: list[tuple[int, str]] = []
    for line in text.splitlines():
        if line.strip() and not line.strip().startswith(("!", "end-")):
            depth = len(line) - len(line.lstrip())
            around = [each for each in around if each[0] < depth]
            found.append(" / ".join([*(name for _, name in around), line.strip()]))
            around.append((depth, line.strip()))
    return found


def _cisco_ordered(text: str) -> list[str]:
    """Classes of policies. The router tries class-default last, wherever it stands; lines of lists have numbers."""
    places = _indented_places(text)
    found = [each for each in places if " / class " in each and not each.endswith(" class-default")]
    return sorted((each for each in found if each.count(" / ") == 1), key=lambda each: each.partition(" / ")[0])


def _cisco_reason(text: str, mutant: Mutant) -> str | None:
    gone, come = _changed(_CISCO, text, mutant)
    old, new = _indented_statements(text), _indented_statements(mutant.text)
    if _one_condition(gone, come, new):
        return "match-any or match-all of one condition"
    places, places_new = set(_indented_places(text)), set(_indented_places(mutant.text))
    if places <= places_new and all(_is_beside(each) for each in places_new - places):
        return "a statement of an interface that is not read for it"
    return "a number that keeps its rank" if _ranked(old) == _ranked(new) else None


def _is_beside(place: str) -> bool:
    """A tunnel's other statements, and what leaves by the interface that is an edge only."""
    interface, _, statement = place.partition(" / ")
    if interface.startswith("interface tunnel-te"):
        return not statement.startswith("forward-class")
    return interface.endswith("0/0/0.100") and statement.startswith("service-policy output")


def _one_condition(gone: Counter[str], come: Counter[str], new: list[str]) -> bool:
    if len(gone) != 1 or len(come) != 1:
        return False
    before, after = next(iter(gone)), next(iter(come))
    if after not in new[:-2] or re.sub("-(all|any)", "", before) != re.sub("-(all|any)", "", after):
        return False
    place = new.index(after)
    return not new[place + 2].startswith("match ")


def _ranked(statements: list[str]) -> list[str]:
    """List lines without their numbers, in the order of these; other statements as they are."""
    found: list[str] = []
    numbered: list[tuple[int, str]] = []
    for each in [*statements, ""]:
        match = re.fullmatch(r"(?:sequence )?(\d+) (permit .*)", each)
        if match is not None:
            numbered.append((int(match[1]), match[2]))
            continue
        found += [line for _, line in sorted(numbered)]
        numbered = []
        found.append(re.sub(r"(route-map \S+ permit) \d+", r"\1", each))
    return found


def _sros_statements(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _sros_reason(text: str, mutant: Mutant) -> str | None:
    old, new = (read_sros(each) for each in (text, mutant.text))
    if _sros_meaning(old) == _sros_meaning(new):
        return "descriptions, numbers of entries that keep their rank, and queue 1 of a class, which it has unsaid"
    return None


def _sros_meaning(statements: list[Statement]) -> list[object]:
    """The tree in one order, without descriptions; an entry has its rank in place of its number.

    Quality of Service Guide, "Network queue policies": a class that names no queue has queue 1.
    """
    numbers = sorted(int(each.words[1]) for each in statements if each.words[0] == "entry")
    found: list[object] = []
    for each in statements:
        if each.words[0] == "entry":
            found.append((f"entry {numbers.index(int(each.words[1]))}", _sros_meaning(each.children)))
        elif each.words[0] != "description" and (each.words[0], _said(each)) != ("fc", [["queue", "1"]]):
            found.append((" ".join(each.words), _sros_meaning(each.children)))
    return sorted(found, key=repr)


def _said(block: Statement) -> list[list[str]]:
    return [each.words for each in block.children]


def _eos_ordered(text: str) -> list[str]:
    """Rules of traffic policies; a policy's defaults are tried last, wherever they stand."""
    places = _indented_places(text)
    return [each for each in places if re.search(r" / match (?!ipv[46]-all-default )\S+ ipv[46]$", each)]


def _eos_reason(text: str, mutant: Mutant) -> str | None:
    gone, come = _changed(_LANGUAGES["eos"], text, mutant)
    rule = re.compile(r"match (?!ipv[46]-all-default )\S+ (ipv[46])")
    renamed = [[found[1] for each in side if (found := rule.fullmatch(each))] for side in (gone, come)]
    if renamed[0] == renamed[1] and len(renamed[0]) == gone.total() == come.total():
        return "names of rules"
    return None


_CISCO = Language(
    _indented_statements,
    _indented_places,
    _cisco_ordered,
    _cisco_reason,
    ("conform-action transmit", "class type traffic class-default", "exceed-action drop", "violate-action drop"),
)
_LANGUAGES = {
    "junos": Language(
        _junos_statements,
        lambda text: _in_braces(_junos_statements(text)),
        _junos_ordered,
        _junos_reason,
        ("accept;", "then {", "}", "priority low;"),
    ),
    "iosxr": _CISCO,
    "iosxe": _CISCO,
    # statements of SR OS have keys: none has an order
    "sros": Language(_sros_statements, lambda text: _in_braces(_sros_statements(text)), lambda _: [], _sros_reason, ()),
    "eos": Language(
        _indented_statements,
        _indented_places,
        _eos_ordered,
        _eos_reason,
        ("match ipv4-all-default ipv4", "match ipv6-all-default ipv6"),
    ),
}
