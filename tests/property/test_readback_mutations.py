"""Damaged texts: each damage changes what is read back, is found, is refused, or is one that changes nothing.

The last kind must be explained: `explanation` names the reason and checks it on the two texts, without the reader.
"""

import re
from collections import Counter

import pytest

from rules.qos import RouterModel
from rules.readback import EffectiveModel, ReadBackError, read_back
from rules.readback.structure import check_structure
from rules.render import render
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, REDIRECTS, model
from tests.support.text_mutations import Mutant, mutants

MUTANTS_A_TEXT = 40
# Statements that say what holds without them; the reader's modules name where the vendor says so.
DEFAULTS = ("accept;", "then accept;", "conform-action transmit", "class type traffic class-default", "priority low;")
# Containers of objects that count only where something names them.
DICTIONARIES = (
    *("schedulers", "scheduler-maps", "drop-profiles", "rib-groups", "policy-options", "routing-instances"),
    *("next-hop-map",),
)


def fate(base: EffectiveModel, mutant: Mutant, made_from: RouterModel, plan: str, redirect: str) -> str:
    try:
        found = read_back(made_from.platform, mutant.text, made_from.interfaces)
    except ReadBackError:
        return "refused"
    alpha = 0 if plan == "single_queue" else 4
    if check_structure(found, PAIRS, alpha_queue=alpha, is_redirected=redirect != "none"):
        return "finding"
    return "changed" if found != base else "survived"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_damage_passes_unexplained(platform: str) -> None:
    fates: Counter[str] = Counter()
    unexplained = []
    for seed, (plan, redirect) in enumerate((plan, redirect) for plan in PLANS for redirect in REDIRECTS):
        made_from = model(platform, plan, redirect)
        text = render(made_from)
        base = read_back(made_from.platform, text, made_from.interfaces)
        for mutant in mutants(text, MUTANTS_A_TEXT, seed):
            what = fate(base, mutant, made_from, plan, redirect)
            fates[what] += 1
            if what == "survived":
                why = explanation(platform, text, mutant)
                fates[f"  {why}"] += 1
                if why is None:
                    unexplained.append((plan, redirect, mutant.kind, mutant.lines, _shown(text, mutant)))
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
    if _ordered(platform, old) == _ordered(platform, new) and Counter(old) == Counter(new):
        return "statements in another order, terms and classes in the same"
    if Counter(old) == Counter(new) and platform != "junos":
        return None
    if set(old) == set(new):
        return "said twice"
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    if not come and set(gone) <= set(DEFAULTS):
        return "what holds anyway"
    if _names_only(gone) and _names_only(come):
        return "names of counters and terms"
    if _one_condition(platform, gone, come, new):
        return "match-any or match-all of one condition"
    if platform == "junos" and not gone and _is_unnamed(mutant):
        return "an object that nothing names"
    if platform != "junos" and _same_rank(old, new):
        return "a number that keeps its rank"
    return None


def _statements(platform: str, text: str) -> list[str]:
    """The lines that say something, in order, without blanks around."""
    comment = "##" if platform == "junos" else "!"
    lines = [line.strip() for line in text.splitlines()]
    if platform == "junos":
        bare = " ".join(line for line in lines if not line.startswith(comment))
        return [each.strip() for each in re.sub(r"([{};])", r"\1\n", bare).splitlines() if each.strip()]
    return [" ".join(line.split()) for line in lines if line and not line.startswith((comment, "end-"))]


def _ordered(platform: str, statements: list[str]) -> list[str]:
    """What has an order that matters: terms of filters and classes of policies. Lines of lists have numbers."""
    words = ("term ", "fill-level", "drop-probability") if platform == "junos" else ("class ", "policy-map ")
    # The router tries class-default last, wherever it stands.
    return [each for each in statements if each.startswith(words) and not each.endswith(" class-default")]


def _names_only(statements: Counter[str]) -> bool:
    return all(re.fullmatch(r"count \S+;|term \S+ \{", each) for each in statements)


def _one_condition(platform: str, gone: Counter[str], come: Counter[str], new: list[str]) -> bool:
    if platform == "junos" or len(gone) != 1 or len(come) != 1:
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
