"""Damaged texts: each damage changes what is read back, is found, is refused, or is one that changes nothing.

The last kind must be explained: `explanation` names the reason and checks it on the two texts, without the reader.
"""

from collections import Counter

import pytest

from hntes.platforms.structure import check_structure
from tests.support.damaged_texts import Damaged, Original, damaged_texts
from tests.support.explained_damage import explanation
from tests.support.qos_models import PAIRS, PLATFORMS
from tests.support.text_mutations import Mutant


def fate(damage: Damaged, original: Original) -> str:
    if damage.found is None:
        return "refused"
    alpha = 0 if original.plan == "single_queue" else 4
    if check_structure(damage.found, PAIRS, alpha_queue=alpha, is_redirected=original.redirect != "none"):
        return "finding"
    return "changed" if damage.found != original.found else "survived"


@pytest.mark.parametrize("platform", PLATFORMS)
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
    assert fates.total() >= 1_000
    assert unexplained == []


def _shown(text: str, mutant: Mutant) -> list[str]:
    lines = text.splitlines()
    return [lines[index].strip() for index in mutant.lines[:3]]
