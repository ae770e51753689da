"""Totals of all routers: pairs in force against the term budgets, and rules that age out."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes.format import agreeing, counted, gigabytes
from hntes.settings.model import Router
from hntes.sql import ageing_rules, changes
from hntes.sql.ageing_rules import AGEING_DAYS, AgeingSum
from hntes.sql.change import nightly_id
from hntes.sql.session import reading
from hntes.workflow.context import Context


@dataclass(frozen=True)
class Fullest:
    """The router whose pairs in force take the largest part of its term budget."""

    router: str
    pairs_in_force: int
    term_budget: int


@dataclass(frozen=True)
class AllRouters:
    """Sums over routers. `approved` of them have a configuration in force; `ageing` is by complete days left, 1 to 7.

    `pairs_in_force` and `term_budget` are of the approved ones alone.
    """

    approved: int
    pairs_in_force: int
    term_budget: int
    fullest: Fullest | None
    ageing: tuple[AgeingSum, ...]


def all_routers(context: Context, routers: Sequence[Router]) -> AllRouters:
    """The totals of these routers."""
    names = [each.name for each in routers]
    with reading(context.database) as session:
        approved = changes.all_in_force(session, names)
        entries = changes.of_ids(session, [nightly_id(each.router, each.day) for each in approved.values()])
        ageing = ageing_rules.ageing_sums(session, names)
    pairs = {each.router: each.pairs_kept + each.pairs_added for each in entries.values()}
    found = [Fullest(each.name, pairs[each.name], each.term_budget) for each in routers if each.name in pairs]
    return AllRouters(
        approved=len(found),
        pairs_in_force=sum(each.pairs_in_force for each in found),
        term_budget=sum(each.term_budget for each in found),
        fullest=max(found, key=lambda each: each.pairs_in_force / each.term_budget, default=None),
        ageing=ageing,
    )


def budgets_words(found: AllRouters) -> str:
    """The pairs in force against the budgets, and the router with the least room."""
    if found.fullest is None:
        return "nothing is approved yet"
    worst = found.fullest
    of = f"{counted(found.pairs_in_force, 'pair')} in force of {found.term_budget} terms on "
    return (
        f"{of}{counted(found.approved, 'router')}; the fullest is {worst.router} with {worst.pairs_in_force} of "
        f"{worst.term_budget}"
    )


def all_ageing_words(found: AllRouters) -> str:
    """How many rules of all routers age out soon."""
    if not found.ageing:
        return "rules that age out are not known before the next proposal"
    rules, carried = sum(each.rules for each in found.ageing), sum(each.alpha_bytes for each in found.ageing)
    within = f"within {counted(AGEING_DAYS, 'complete day')} without alpha traffic"
    if not rules:
        return f"no rule ages out {within} of its pair"
    verb = agreeing(rules, "ages", "age")
    pairs = agreeing(rules, "its pair; it", "their pairs; they")
    return f"{counted(rules, 'rule')} {verb} out {within} of {pairs} carried {gigabytes(carried)} so far"
