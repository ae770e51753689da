"""The commands of the delivery stage."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.options import FREE_TEXT, json_option, router_option, routers_option, with_context
from hntes.cli.router_results import each_router

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context
    from hntes.workflow.delivery.deliver import HandOver
    from hntes.workflow.delivery.plan import RouterDelivery


@click.command()
@routers_option
@click.option("--all", "is_all", is_flag=True, help="All routers, as without --router.")
@click.option("--commit", is_flag=True, help="Commit on the routers; without it, only show the change.")
@click.option("--again", is_flag=True, help="Also configuration that was removed from a router since its approval.")
@click.option("--outside-window", "reason", type=FREE_TEXT, default=None, metavar="REASON",
              help="Ignore the delivery windows; the reason goes into the audit log.")  # fmt: skip
@click.option(
    "--who", type=FREE_TEXT, default=None, help="With --outside-window: who decides. Default: this machine's user."
)
@json_option
@with_context
def deliver(
    context: Context, router_names: tuple[str, ...], is_all: bool, commit: bool, again: bool, reason: str | None,
    who: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Writes approved configuration to output/ROUTER/approved and loads it on routers with delivery.

    Your own tools can deliver from there: manifest.json names the configuration, the transition (the commands from the
    last delivered configuration), the removal (the commands that delete it), their SHA-256, and the approver. Only
    configuration that is approved and in force is written; repeating it changes nothing. The configuration counts as
    delivered once `hntes router loaded` reports it.

    For routers with [routers.delivery] it shows the change. With --commit it commits with timed rollback, reads the
    configuration back, probes the router, and confirms only if all checks pass. The canary goes first; [delivery] sets
    its soak time, the number of parallel routers, and the delivery windows. After the first failure no further router
    is started; trials in progress are completed. After a crash or kill the same command resumes. For routers with
    [routers.flowspec] the change is in the rules that the BGP speaker announces.

    Exit status 3: a router failed, or not all were started. 4: none was started, since no window is open, or the canary
    must go first.
    """
    from hntes.workflow.delivery.deliver import deliver as deliver_router

    _require_usage(is_all and bool(router_names), commit=commit, reason=reason, who=who)
    routers = context.chosen(router_names)
    others = [router for router in routers if not router.is_reached]
    handed, failures = each_router(others, lambda router: deliver_router(context, router))
    if not as_json:
        _print_handed(handed)
    reached = [router for router in routers if router.is_reached]
    outside = (who or getpass.getuser(), reason) if reason is not None else None
    found = _pushed(context, reached, commit=commit, again=again, outside=outside, as_json=as_json) if reached else ()
    if as_json:
        failed = {name: {"router": name, "outcome": "failed", "problem": said} for name, said in failures.items()}
        output.as_json(
            {name: _handed_json(each) for name, each in handed.items()} | failed | {each.router: each for each in found}
        )
    for name, said in failures.items():
        output.failed(name, said)
    for each in found:
        if each.outcome == "failed":
            output.failed(each.router, each.problem)
    _exit(found, failed=bool(failures))


def _require_usage(is_twice: bool, *, commit: bool, reason: str | None, who: str | None) -> None:
    if is_twice:
        raise click.UsageError("--all and --router exclude each other")
    if reason is not None and not (commit and reason.strip()):
        raise click.UsageError("--outside-window requires --commit and a reason")
    if who is not None and reason is None:
        raise click.UsageError("--who requires --outside-window")


def _print_handed(handed: dict[str, HandOver | None]) -> None:
    stage_output.heading("deliver")
    for name, delivered in handed.items():
        if delivered is None:
            output.line(f"{name} nothing is approved")
        else:
            output.line(f"{name} {delivered.change.day}: {delivered.configuration}")


def _handed_json(delivered: HandOver | None) -> dict[str, object] | None:
    if delivered is None:
        return None
    return {
        "change": delivered.change,
        "rules": delivered.state.rules,
        "configuration": delivered.configuration,
        "transition": delivered.transition,
        "removal": delivered.removal,
        "manifest": delivered.manifest,
    }


def _pushed(
    context: Context, routers: Sequence[Router], *, commit: bool, again: bool, outside: tuple[str, str] | None,
    as_json: bool,
) -> Sequence[RouterDelivery]:  # fmt: skip
    """Shows the changes on these routers and, with `commit`, delivers them and reports."""
    from hntes.workflow.delivery.plan import plan_delivery
    from hntes.workflow.delivery.rounds import WindowOverride, run_delivery
    from hntes.workflow.delivery.text import plan_lines, report_lines

    plan = plan_delivery(context, routers, again=again)
    for line in () if as_json else plan_lines(plan):
        output.line(line)
    if not commit:
        return plan.routers
    ended = run_delivery(
        context, plan, report=lambda name, what: output.note(f"{name}: {what}"), again=again,
        outside=WindowOverride(*outside) if outside else None,
    )  # fmt: skip
    for line in () if as_json else report_lines(ended):
        output.line(line)
    return ended


def _exit(found: Sequence[RouterDelivery], *, failed: bool) -> None:
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS, REFUSED

    outcomes = {each.outcome for each in found}
    if failed or "failed" in outcomes or {"not_started", "done"} <= outcomes or {"not_started", "finished"} <= outcomes:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)
    if "not_started" in outcomes:
        raise click.exceptions.Exit(REFUSED)


def _reported(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a report about a router's approved configuration."""
    options = (
        router_option,
        click.option("--hash", "--sha256", "candidate_hash", metavar="HASH", required=True,
                     help="SHA-256 of the configuration, its first 6 digits or more; the manifest's `sha256`."),
        click.option("--who", type=FREE_TEXT, default=None, help="Who reports it. Default: the user of this machine."),
        click.option("--note", type=FREE_TEXT, default=None, help="For the audit log: the ticket or the commit."),
        json_option,
        with_context,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@_reported
def loaded(
    context: Context, router_name: str, candidate_hash: str, who: str | None, note: str | None, as_json: bool
) -> None:
    """Records that approved configuration was loaded on a router.

    For your own delivery of `output/ROUTER/approved`: call it after loading. Any configuration other than the
    approved one is refused. Repeating it adds nothing. Exit status 4: refused.
    """
    _report(context, router_name, candidate_hash, who, note, is_confirmed=False, as_json=as_json)


@click.command()
@_reported
def verified(
    context: Context, router_name: str, candidate_hash: str, who: str | None, note: str | None, as_json: bool
) -> None:
    """Records that a router was verified to run the approved configuration.

    It includes `hntes router loaded`. Any configuration other than the approved one is refused. Repeating it adds
    nothing. Exit status 4: refused.
    """
    _report(context, router_name, candidate_hash, who, note, is_confirmed=True, as_json=as_json)


def _report(
    context: Context, router_name: str, candidate_hash: str, who: str | None, note: str | None, *, is_confirmed: bool,
    as_json: bool,
) -> None:  # fmt: skip
    from hntes.workflow.delivery.deliver import report_delivered
    from hntes.workflow.errors import REFUSED

    (router,) = context.chosen([router_name])
    who = who or getpass.getuser()
    report = report_delivered(context, router, candidate_hash, who, note, is_confirmed=is_confirmed)
    output.result(report, report.explanation, as_json=as_json)
    if report.outcome == "refused":
        raise click.exceptions.Exit(REFUSED)


@click.command()
@router_option
@click.option("--hash", "identity", metavar="HASH", required=True,
              help="The transition's hash, its first 6 digits or more; `hntes change show` prints it.")  # fmt: skip
@click.option("--who", type=FREE_TEXT, default=None, help="Who approves it. Default: the user of this machine.")
@click.option("--note", type=FREE_TEXT, default=None, help="Reason, for the audit log.")
@json_option
@with_context
def approve_transition(
    context: Context, router_name: str, identity: str, who: str | None, note: str | None, as_json: bool
) -> None:
    """Approves a changed transition to the approved configuration.

    If the last delivered configuration has changed since the approval, the commands on the router would differ from
    those reviewed, and `hntes router deliver` refuses. Check `hntes change show --router NAME --transition`, then
    approve that transition. It changes nothing on the router. The approver is in the audit log.
    """
    from hntes.workflow.review.transition_approval import approve_transition as accept

    (router,) = context.chosen([router_name])
    accepted = accept(context, router, identity, who or getpass.getuser(), note)
    document = {"router": router.name, "transition": accepted}
    output.result(document, f"{router.name}: approved transition {accepted}", as_json=as_json)
