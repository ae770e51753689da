"""A router has room for so many filter terms: which rules get one.

docs/decisions/0017-evidence-and-hysteresis.md has the reasons for the order.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from hntes.rules.lifetime.rule_set import Rule
from hntes.rules.pairs import PrefixPair

# A pair in force counts with so many times its recent bytes: what takes its place has to be clearly larger, or two
# pairs of about equal size would take turns.
IN_FORCE_WEIGHT = 2
# Days of sightings after which a pair may push out one in force.
ESTABLISHED_DAYS = 2


# What counts before filter order: protected, pinned, established, the bytes; the smaller the better.
Standing = tuple[bool, bool, bool, int]


@dataclass(frozen=True)
class Selection:
    """The rules that got a term, in filter order, and those that did not, the most deserving first."""

    term_budget: int
    kept: tuple[Rule, ...]
    left_out: tuple[Rule, ...]

    @property
    def left_out_bytes(self) -> int:
        """Alpha bytes of the ageing interval that the rules left out would have caught."""
        return sum(rule.recent_bytes for rule in self.left_out)

    @property
    def report(self) -> str:
        """One line for an operator, empty when all rules got a term."""
        if not self.left_out:
            return ""
        pinned = sum(rule.pinned for rule in self.left_out)
        wanted = len(self.kept) + len(self.left_out)
        line = (
            f"{wanted} pairs want a filter term, the budget is {self.term_budget}: {len(self.left_out)} left out, "
            f"with {self.left_out_bytes} alpha bytes in the ageing interval"
        )
        return f"{line}; {pinned} of them pinned: raise term_budget or withdraw pins" if pinned else line


def within_budget(
    rules: Iterable[Rule], term_budget: int, in_force_pairs: Collection[PrefixPair] = frozenset()
) -> Selection:
    """The rules to keep when each takes one term of the filter.

    Those protected on a night with incomplete data first, then pinned ones, then those in force or seen on two days or
    more, by recent bytes, those in force counting IN_FORCE_WEIGHT times; then the others by recent bytes. Equals go by
    filter order. `in_force_pairs` are those of the configuration approved for an earlier day.

    Raises:
        ValueError: the budget is negative.
    """
    if term_budget < 0:
        raise ValueError(f"a term budget of {term_budget} is negative; give the number of terms the filter may have")
    ranked = sorted(rules, key=lambda rule: _rank(rule, in_force=rule.pair in in_force_pairs))
    kept = sorted(ranked[:term_budget], key=lambda rule: rule.pair.sort_key)
    return Selection(term_budget, tuple(kept), tuple(ranked[term_budget:]))


def within_budget_beside(
    rules: Iterable[Rule],
    others: Sequence[tuple[Standing, int]],
    sort_key_of: Callable[[int], tuple[int, ...]],
    term_budget: int,
    in_force_pairs: Collection[PrefixPair] = frozenset(),
) -> Selection:
    """Which of some rules `within_budget` keeps when others want a term, too; those are not in what it returns.

    Args:
        rules: Those asked about.
        others: The standing of each other rule and its number, sorted; numbers rise in filter order.
        sort_key_of: The sort key of the pair with such a number.
        term_budget: Terms that the filter may have.
        in_force_pairs: As for `within_budget`.
    """
    ranked = sorted(rules, key=lambda rule: _rank(rule, in_force=rule.pair in in_force_pairs))
    kept: list[Rule] = []
    left_out: list[Rule] = []
    for before, rule in enumerate(ranked):
        is_in_force = rule.pair in in_force_pairs
        mine = standing(rule.recent_bytes, rule.days_seen, is_in_force, rule.protected, rule.pinned)
        ahead = bisect_left(others, (mine, -1))
        while ahead < len(others) and others[ahead][0] == mine and sort_key_of(others[ahead][1]) < rule.pair.sort_key:
            ahead += 1
        (kept if before + ahead < term_budget else left_out).append(rule)
    return Selection(term_budget, tuple(sorted(kept, key=lambda rule: rule.pair.sort_key)), tuple(left_out))


def standing(
    recent_bytes: int, days_seen: int, is_in_force: bool, is_protected: bool = False, is_pinned: bool = False
) -> Standing:
    """How a rule stands in the order of those that want a term, before filter order."""
    is_established = is_in_force or days_seen >= ESTABLISHED_DAYS
    weight = recent_bytes * IN_FORCE_WEIGHT if is_in_force else recent_bytes
    return (not is_protected, not is_pinned, not is_established, -weight)


def _rank(rule: Rule, *, in_force: bool) -> tuple[Standing, tuple[int, ...]]:
    mine = standing(rule.recent_bytes, rule.days_seen, in_force, rule.protected, rule.pinned)
    return mine, rule.pair.sort_key
