"""Damaged texts: each damage changes what is read back, is found, is refused, or is one that changes nothing.

The last kind must be explained: `explanation` names the reason and checks it on the two texts, without the reader.
"""

import re
from collections import Counter

import pytest

from hntes.platforms.structure import check_structure
from tests.support.damaged_texts import Damaged, Original, damaged_texts
from tests.support.qos_models import PAIRS, WITH_EVERY_PLAN
from tests.support.text_mutations import Mutant

# Statements that say what holds without them; the reader's modules name where the vendor says so.
DEFAULTS = (
    *("accept;", "then {", "}", "conform-action transmit", "class type traffic class-default", "priority low;"),
    *("exceed-action drop", "violate-action drop"),
)
# Containers of objects that count only where something names them.
DICTIONARIES = (
    *("schedulers", "scheduler-maps", "drop-profiles", "rib-groups", "policy-options", "routing-instances"),
    *("next-hop-map", "interfaces", "firewall", "routing-options"),
)


def fate(damage: Damaged, original: Original) -> str:
    if damage.found is None:
        return "refused"
    alpha = 0 if original.plan == "single_queue" else 4
    if check_structure(damage.found, PAIRS, alpha_queue=alpha, is_redirected=original.redirect != "none"):
        return "finding"
    return "changed" if damage.found != original.found else "survived"


@pytest.mark.parametrize("platform", WITH_EVERY_PLAN)
def test_no_damage_passes_unexplained(platform: str) -> None:
    fates: Counter[str] = Counter()
    unexplained = []
    for original, damages in damaged_texts(platform):
        for damage in damages:
            what = fate(damage, original)
            fates[what] += 1
            if what == "survived":
                mutant = damage.mutant
                why = explanation(platform, original.text, mutant)
                fates[f"  {why}"] += 1
                if why is None:
                    shown = _shown(original.text, mutant)
                    unexplained.append((original.plan, original.redirect, mutant.kind, mutant.lines, shown))
    print(platform, dict(fates))
    assert fates.total() >= 500
    assert unexplained == []


def _shown(text: str, mutant: Mutant) -> list[str]:
    lines = text.splitlines()
    return [lines[index].strip() for index in mutant.lines[:3]]


def explanation(platform: str, text: str, mutant: Mutant) -> str | None:
    """Why the two texts mean the same, or None."""
    old, new = _statements(platform, text), _statements(platform, mutant.text)
    if old == new:
        return "comments, blanks, lines that only end a section"
    places, places_new = _places(platform, text), _places(platform, mutant.text)
    if _ordered(platform, text) == _ordered(platform, mutant.text) and Counter(places) == Counter(places_new):
        return "statements in another order, terms and classes in the same"
    if set(places) == set(places_new) and _once(_ordered(platform, text)) == _once(_ordered(platform, mutant.text)):
        return "said twice"
    added = set(places_new) - set(places)
    if not set(places) - set(places_new) and all(_begins_one(each, places) for each in added):
        return "the beginning of a statement, said again"
    if platform == "junos":
        return _junos_explanation(old, new, mutant)
    return _cisco_explanation(old, new, added, bool(set(places) - set(places_new)))


def _begins_one(place: str, places: list[str]) -> bool:
    return place.endswith(";") and any(each.startswith(place[:-1] + " ") for each in places)


def _junos_explanation(old: list[str], new: list[str], mutant: Mutant) -> str | None:
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not come and set(gone) <= set(DEFAULTS):
        return "what holds anyway"
    if _names_only(gone) and _names_only(come):
        return "names of counters and terms"
    return "an object that nothing names" if not gone and _is_unnamed(mutant) else None


def _cisco_explanation(old: list[str], new: list[str], added: set[str], is_less: bool) -> str | None:
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not come and set(gone) <= set(DEFAULTS):
        return "what holds anyway"
    if _one_condition(gone, come, new):
        return "match-any or match-all of one condition"
    if not is_less and all(_is_beside(each) for each in added):
        return "a statement of an interface that is not read for it"
    return "a number that keeps its rank" if _same_rank(old, new) else None


def _is_beside(place: str) -> bool:
    """A tunnel's other statements, and what leaves by the interface that is an edge only."""
    interface, _, statement = place.partition(" / ")
    if interface.startswith("interface tunnel-te"):
        return not statement.startswith("forward-class")
    return interface.endswith("0/0/0.100") and statement.startswith("service-policy output")


def _statements(platform: str, text: str) -> list[str]:
    """The lines that say something, in order, without blanks around."""
    comment = ("##", "/*") if platform == "junos" else ("!",)
    lines = [line.strip() for line in text.splitlines()]
    if platform == "junos":
        bare = " ".join(line for line in lines if not line.startswith(comment))
        bare = bare.replace("then accept;", "then { accept; }")
        return [each.strip() for each in re.sub(r"([{};])", r"\1\n", bare).splitlines() if each.strip()]
    return [" ".join(line.split()) for line in lines if line and not line.startswith((*comment, "end-"))]


def _places(platform: str, text: str) -> list[str]:
    """Each statement with the blocks around it."""
    found: list[str] = []
    around: list[tuple[int, str]] = []
    if platform == "junos":
        for each in _statements(platform, text):
            if each == "}":
                around.pop()
                continue
            found.append(" ".join([*(name for _, name in around), each]))
            if each.endswith("{"):
                around.append((0, each))
        return found
    for line in text.splitlines():
        if line.strip() and not line.strip().startswith(("!", "end-")):
            depth = len(line) - len(line.lstrip())
            around = [each for each in around if each[0] < depth]
            found.append(" / ".join([*(name for _, name in around), line.strip()]))
            around.append((depth, line.strip()))
    return found


def _once(statements: list[str]) -> list[str]:
    return list(dict.fromkeys(statements))


def _ordered(platform: str, text: str) -> list[str]:
    """What has an order that matters: terms of filters and classes of policies. Lines of lists have numbers."""
    if platform == "junos":
        words = ("term ", "fill-level", "drop-probability")
        return [each for each in _statements(platform, text) if each.startswith(words)]
    # The router tries class-default last, wherever it stands.
    found = [each for each in _places(platform, text) if " / class " in each and not each.endswith(" class-default")]
    return sorted((each for each in found if each.count(" / ") == 1), key=lambda each: each.partition(" / ")[0])


def _names_only(statements: Counter[str]) -> bool:
    return all(re.fullmatch(r"count \S+;|term \S+ \{", each) for each in statements)


def _one_condition(gone: Counter[str], come: Counter[str], new: list[str]) -> bool:
    if len(gone) != 1 or len(come) != 1:
        return False
    before, after = next(iter(gone)), next(iter(come))
    if after not in new[:-2] or re.sub("-(all|any)", "", before) != re.sub("-(all|any)", "", after):
        return False
    place = new.index(after)
    return not new[place + 2].startswith("match ")


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


def _same_rank(old: list[str], new: list[str]) -> bool:
    """Whether only numbers of list lines or clauses differ, and all stay in the same order."""
    return _ranked(old) == _ranked(new)


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
