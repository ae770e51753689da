"""A router has room for so many filter terms: which rules get one."""

from collections.abc import Iterable
from dataclasses import dataclass

from rules.life.rule_set import Rule


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


def within_budget(rules: Iterable[Rule], term_budget: int) -> Selection:
    """The rules to keep when each takes one term of the filter.

    Pinned ones first, then those protected on a night with incomplete data, then by recent bytes, then by filter order.

    Raises:
        ValueError: the budget is negative.
    """
    if term_budget < 0:
        raise ValueError(f"a term budget of {term_budget} is negative; give the number of terms the filter may have")
    ranked = sorted(rules, key=_rank)
    kept = sorted(ranked[:term_budget], key=lambda rule: rule.pair.sort_key)
    return Selection(term_budget, tuple(kept), tuple(ranked[term_budget:]))


def _rank(rule: Rule) -> tuple[bool, bool, int, tuple[int, ...]]:
    return (not rule.pinned, not rule.protected, -rule.recent_bytes, rule.pair.sort_key)
