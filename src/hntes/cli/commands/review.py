"""`hntes change review`: goes through the pending changes one by one."""

from __future__ import annotations

import getpass
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hntes import clock
from hntes.cli import change_view, output
from hntes.cli.asking import asked_note
from hntes.cli.options import FREE_TEXT, routers_option, with_context
from hntes.format import counted, rfc3339

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.sql.decisions import Verdict
    from hntes.workflow.context import Context
    from hntes.workflow.review.changes import Change
    from hntes.workflow.review.view import ReviewView

_VERDICTS: dict[str, Verdict] = {"a": "approved", "r": "rejected"}


@click.command()
@routers_option
@click.option("--who", type=FREE_TEXT, default=None, help="Who decides. Default: the user of this machine.")
@with_context
def review(context: Context, router_names: tuple[str, ...], who: str | None) -> None:
    """Goes through the changes that wait for a decision.

    Shows each as `hntes change show` does, then asks: approve (only if it passed the gate), reject, diff, skip, quit.
    Risky changes require typing the router's name, as on the review page. Of several that are left, all that passed can
    be approved at once, as by `hntes change approve --all-passed`, or all rejected with one note; both are listed
    first. Deferred changes are skipped (`hntes change defer`). A change that was proposed again meanwhile is
    refused. Scripts use `hntes change list --json` and `hntes change approve`. Then come the scheduled changes of
    reservations on approved configuration, as by `hntes reserve text`. Exit status 4: a decision was refused.
    """
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.changes import waiting_changes

    if not sys.stdin.isatty():
        raise click.UsageError(
            "standard input is not a terminal; use hntes change list --json and hntes change approve"
        )
    routers, by = context.chosen(router_names), who or getpass.getuser()
    nightly = [listed.change for listed in waiting_changes(context, routers)]
    done = _go_through(context, nightly, by)
    if nightly:
        _conclude(done, len(nightly), "change")
    elif not _scheduled(context, routers):
        output.note("no change waits for a decision")
        return
    refused = done["refused"]
    # a change approved just now may be the base of pending scheduled changes
    if not done["quit"] and (scheduled := _scheduled(context, routers)):
        done = _go_through(context, scheduled, by)
        _conclude(done, len(scheduled), "text")
        refused += done["refused"]
    if refused:
        raise click.exceptions.Exit(REFUSED)


def _scheduled(context: Context, routers: Sequence[Router]) -> list[Change]:
    """The scheduled changes of these routers that can be decided now, by start time."""
    from hntes.workflow.reservations.quota_approvals import undecided

    names = {router.name for router in routers}
    found = (each for each in undecided(context) if each.router in names)
    return sorted(found, key=lambda each: (each.effective_s or 0, each.router))


def _conclude(done: Counter[str], count: int, what: str) -> None:
    """The counts by outcome."""
    left = count - done["approved"] - done["rejected"]
    words = [f"{done[word]} {word}" for word in ("approved", "rejected", "refused") if done[word]]
    output.line(", ".join([*words, f"{counted(left, what)} still to be decided"]))


def _go_through(context: Context, waiting: Sequence[Change], who: str) -> Counter[str]:
    """Asks about each; returns the counts by outcome, and whether all were asked (no `quit`)."""
    from hntes.workflow.review.view import review_view

    done: Counter[str] = Counter()
    left = list(waiting)
    while left:
        seen = review_view(context, context.settings.router(left[0].router), left[0])
        what = "text " if seen.change.is_scheduled else ""
        output.line(f"\n-- {what}{len(waiting) - len(left) + 1} of {len(waiting)}\n{change_view.text(seen)}")
        answer = _ask(seen, len(left))
        if answer == "q":
            done["quit"] += 1
            break
        if answer in ("p", "n"):
            decide_many = _approve_passed if answer == "p" else _reject_all
            decided = decide_many(context, left, who, done)
            left = [entry for entry in left if entry not in decided]
        else:
            done[_decide(context, seen, answer, who)] += 1
            left = left[1:]
    return done


def _ask(seen: ReviewView, left: int) -> str:
    """a, r, s, q, or, of several nightly ones, p or n; d shows the difference and asks again."""
    change = seen.change
    choices = {"a": "approve", "r": "reject", "d": "difference", "s": "skip", "q": "quit"}
    if seen.needs.blocking_reasons:
        del choices["a"]  # the verdicts above say why
    if left > 1 and not change.is_scheduled:
        choices |= {"p": f"approve all of {left} that passed", "n": f"reject all {left}"}
    words = ", ".join(f"[{key}] {word}" for key, word in choices.items())
    about = change.day if change.effective_s is None else rfc3339(change.effective_s * 1000)
    while True:
        answer: str = click.prompt(f"{change.router} {about}: {words}", prompt_suffix="? ",
                                   type=click.Choice(list(choices)), show_choices=False)  # fmt: skip
        if answer != "d":
            return answer
        output.paged(output.difference(seen.difference))


def _decide(context: Context, seen: ReviewView, answer: str, who: str) -> str:
    """The outcome: approved, rejected, refused, waiting for a second approver, or skipped."""
    if answer == "s" or (answer == "a" and seen.needs.unusual and not _is_meant(seen)):
        return "skipped"
    return _decided(context, seen.change, _VERDICTS[answer], who, asked_note())


def _is_meant(seen: ReviewView) -> bool:
    """Whether the approval of a risky change is confirmed by typing the router's name."""
    name = seen.change.router
    twice = "; ".join(seen.needs.unusual)
    typed: str = click.prompt(f"check carefully: {twice}. To approve, type the router's name, {name}",
                              prompt_suffix=": ", default="", show_default=False)  # fmt: skip
    if typed != name:
        output.line(f"not approved: that is not {name}")
    return typed == name


def _decided(context: Context, entry: Change, verdict: Verdict, who: str, note: str | None) -> str:
    from hntes.workflow.review.decide import Person, Request, decide

    router = context.settings.router(entry.router)
    decision = decide(context, router, Request.on(entry, verdict), Person(who, note), clock.now_ms())
    output.line(decision.explanation)
    if decision.outcome == "decided":
        return verdict
    return "waiting" if decision.is_taken else "refused"


def _approve_passed(context: Context, left: Sequence[Change], who: str, done: Counter[str]) -> list[Change]:
    """Lists those that need no further check, asks once, approves them; returns the decisions."""
    from hntes.workflow.review.approve_passed import ApprovalRequest, approve_all_passed, bulk_approval
    from hntes.workflow.review.decide import Person

    found = bulk_approval(context, context.chosen(sorted({entry.router for entry in left})))
    ready = [each.change for each in found.ready if each.change in left]
    _list(context, ready, "none of them can be approved without further checks")
    for one in found.dropped:
        if (one.router, one.day) in {(entry.router, entry.day) for entry in left}:
            output.line(f"skipped: {one.router} {one.day}: {one.reason}")
    if not ready or not click.confirm(f"approve {counted(len(ready), 'change')}?"):
        return []
    wanted = [ApprovalRequest(entry.router, entry.day, entry.candidate_hash) for entry in ready]
    made = approve_all_passed(context, wanted, Person(who, asked_note()), clock.now_ms())
    for decision in made.approved:
        output.line(decision.explanation)
    for gone in made.dropped:
        output.line(f"dropped: {gone.router} {gone.day}: {gone.reason}")
    done["approved"] += len(made.approved)
    done["refused"] += len(made.dropped)
    return ready


def _reject_all(context: Context, left: Sequence[Change], who: str, done: Counter[str]) -> list[Change]:
    """Lists them, asks once, and rejects each with the same note; returns the decisions."""
    _list(context, left, "")
    if not click.confirm(f"reject {counted(len(left), 'change')}?"):
        return []
    note = asked_note()
    for entry in left:
        done[_decided(context, entry, "rejected", who, note)] += 1
    return list(left)


def _list(context: Context, entries: Sequence[Change], empty: str) -> None:
    from hntes.workflow.review.changes import change_in_one_line

    output.table(
        ("router", "day", "candidate", "what"),
        [(entry.router, entry.day, entry.candidate_hash[:12], change_in_one_line(context, entry)) for entry in entries],
        empty=empty,
    )
