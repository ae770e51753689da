"""A router has room for so many filter terms: which rules get one.

docs/decisions/0017-evidence-and-hysteresis.md has the reasons for the order.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rules.life.rule_set import Rule
from rules.pairs import PrefixPair

# A pair in force counts with so many times its recent bytes: what takes its place has to be clearly larger, or two
# pairs of about equal size would take turns.
IN_FORCE_WEIGHT = 2
# Days of sightings after which a pair may push out one in force.
ESTABLISHED_DAYS = 2


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


def _rank(rule: Rule, *, in_force: bool) -> tuple[bool, bool, bool, int, tuple[int, ...]]:
    is_established = in_force or rule.days_seen >= ESTABLISHED_DAYS
    weight = rule.recent_bytes * (IN_FORCE_WEIGHT if in_force else 1)
    return (not rule.protected, not rule.pinned, not is_established, -weight, rule.pair.sort_key)
