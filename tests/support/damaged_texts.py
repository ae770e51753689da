"""Damaged texts of every plan and redirect, read back once for all tests that judge them."""

from dataclasses import dataclass
from functools import cache

from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.models import redirects_of, supports, taken
from tests.support.qos_models import model, own_values
from tests.support.text_mutations import Mutant, mutants

# Of each platform, in equal parts of its texts: of few texts, more of each.
DAMAGES = 1_200


@dataclass(frozen=True)
class Original:
    """A text as rendered, and what is read back from it."""

    plan: str
    redirect: str
    made_from: RouterModel
    text: str
    found: EffectiveModel


@dataclass(frozen=True)
class Damaged:
    """One damage, and what is read back from the text; None if it is refused."""

    mutant: Mutant
    found: EffectiveModel | None


@cache
def damaged_texts(platform: str) -> tuple[tuple[Original, tuple[Damaged, ...]], ...]:
    """Each text of a platform with its damages; the same in every process."""
    made = []
    texts = [(plan, redirect, model(platform, plan, redirect)) for name, plan, redirect in taken() if name == platform]
    own_plan = "scavenger_policer" if supports(platform, "scavenger_policer") else "recommended"
    texts += [(own_plan, redirect, own_values(platform, redirect, own_plan)) for redirect in redirects_of(platform)]
    count = -(-DAMAGES // len(texts))
    for seed, (plan, redirect, made_from) in enumerate(texts):
        text = _without_pair_comments(render(made_from))
        found = parse_config(made_from.platform, text, made_from.interfaces)
        damages = tuple(_damaged(mutant, made_from) for mutant in mutants(text, count, seed))
        made.append((Original(plan, redirect, made_from, text, found), damages))
    return tuple(made)


def _without_pair_comments(text: str) -> str:
    """The same text without the comments of its terms: with them every damaged address is refused at once."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("/*"))


def _damaged(mutant: Mutant, made_from: RouterModel) -> Damaged:
    try:
        return Damaged(mutant, parse_config(made_from.platform, mutant.text, made_from.interfaces))
    except ParseError:
        return Damaged(mutant, None)
