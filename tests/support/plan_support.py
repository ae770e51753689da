"""Which plan each platform takes, on each family of its hardware, and the refusal where it takes none: a table.

`.venv/bin/python -m tests.support.plan_support` prints the section of docs/reference/plans.md.
"""

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase
from typing import Any

from hntes.platforms.hardware_fit import model_of
from hntes.platforms.validate import problems
from hntes.rules.qos.model import RouterModel
from hntes.settings.plans import Plan, SingleQueue, TwoQueue
from tests.support.hardware import FAMILIES, UNPUBLISHED
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, PREMIUM_PLANS, RESERVED, router

# By what a reader of the table calls them; the shares of a plan decide nothing here.
COLUMNS: Mapping[str, Plan] = {
    "`single_queue`": SingleQueue(kind="single_queue"),
    "`two_queue`": PLANS["recommended"],
    "`alpha_ecn`": PLANS["two_queue_ecn"],
    "`strict-high`": TwoQueue(kind="two_queue", alpha_priority="strict-high"),
    "`premium_share_pct`": PLANS["premium"],
    '`premium_excess = "best_effort"`': PLANS["premium_best_effort"],
    "`scavenger_policer`": PLANS["scavenger_policer"],
    "`wred_policer`": PLANS["wred_policer"],
    "`three_color_marker`": PLANS["three_color_marker"],
}
_PREMIUM = tuple(PLANS[name] for name in PREMIUM_PLANS)
# A platform without hardware, and each of its families.
ROWS = tuple(sorted([*((platform, "") for platform in PLATFORMS), *FAMILIES]))
_WAYS = {"next_hop": "next hop", "lsp": "LSP"}
_FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}
_HEAD = re.compile(r"router '\w+': ")
# What differs between models of one kind.
_NAMED = re.compile(r"(policer|scheduler) hntes-[\w-]+")


def model_for(platform: str, hardware: str, plan: Plan, redirect: str = "none", **changes: Any) -> RouterModel:
    """The suite's router on that hardware ("": not stated) with a plan, with reservations where the plan has them."""
    given = {"hardware": hardware, **UNPUBLISHED.get(hardware, {})} if hardware else {}
    made = router(platform, redirect, **given, **changes)
    return model_of(made, plan, PAIRS, RESERVED if plan in _PREMIUM else ())


def refusals(platform: str, hardware: str, plan: Plan) -> tuple[str, ...]:
    """Why a platform does not take a plan, without the names of a model; empty if it does."""
    found = (_NAMED.sub(r"\1", _HEAD.sub("", each)) for each in problems(model_for(platform, hardware, plan)))
    return tuple(dict.fromkeys(found))


def section() -> list[str]:
    """The lines of the table and of its notes."""
    notes: dict[str, str] = {}
    rows = []
    for platform, hardware in ROWS:
        cells = [_cell(refusals(platform, hardware, plan), notes) for plan in COLUMNS.values()]
        cells.append(", ".join(_ways(platform, hardware)))
        rows.append(_line([f"{platform}, {hardware}" if hardware else platform, *cells]))
    head = ["platform, hardware", *COLUMNS, "pairs by"]
    return [_line(head), _line(["---"] * len(head)), *rows, "", *(f"- {mark}: {said}" for said, mark in notes.items())]


def _ways(platform: str, hardware: str) -> Iterator[str]:
    """How pairs can be redirected, and whether they can be announced."""
    plan = PLANS["recommended"]
    for name, words in _WAYS.items():
        if not problems(model_for(platform, hardware, plan, name)):
            yield words
    if not problems(model_for(platform, hardware, plan, "none", flowspec=_FLOWSPEC)):
        yield "FlowSpec"


def _cell(refused: tuple[str, ...], notes: dict[str, str]) -> str:
    for each in refused:
        notes.setdefault(each, ascii_lowercase[len(notes)])
    return f"no: {', '.join(notes[each] for each in refused)}" if refused else "yes"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print("\n".join(section()))
