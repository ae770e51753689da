"""`hntes router remove`: removes configuration of HNTES from routers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from hntes.cli import completion, output
from hntes.cli.options import json_option, with_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hntes.rules.pairs import PrefixPair
    from hntes.settings import Settings
    from hntes.settings.model import Router
    from hntes.workflow.delivery.removal import PairRemoval


@click.command()
@click.option(
    "--router",
    "router_names",
    multiple=True,
    metavar="NAME",
    help="Only this router; may be repeated. This or --all is required, unless a pair is removed.",
    shell_complete=completion.router_names,
)
@click.option("--all", "is_all", is_flag=True, help="All routers of the settings.")
@click.option(
    "--pair",
    "pair_text",
    metavar="PAIR",
    help="Only this pair, SOURCE>DESTINATION; default: from all routers.",
)
@click.option("--commit", is_flag=True, help="Commit on the routers; without it, only show the change.")
@click.option(
    "--confirm-pending",
    "confirms_others",
    is_flag=True,
    help="Remove HNTES even while another user's commit awaits its confirmation, which this may confirm.",
)
@click.option("--print", "is_printed", is_flag=True, help="Only print the commands that remove all of HNTES.")
@json_option
@with_settings
def remove(
    settings: Settings,
    router_names: tuple[str, ...],
    is_all: bool,
    pair_text: str | None,
    commit: bool,
    confirms_others: bool,
    is_printed: bool,
    as_json: bool,
) -> None:
    """Removes all of HNTES, or one pair, from routers.

    Needs the settings and the routers, but neither database nor lake: the removal is recorded as soon as the database
    is writable. HNTES' own part is removed completely, including manual changes in it. A pair is removed from the last
    delivered configuration, which must be on the router; all else stays. The other routers proceed if one fails. Exit
    status 3: a router failed, or HNTES does not reach one that has its configuration; for that one, use the commands of
    `hntes router remove --print`. To withdraw a pending change, use `hntes change withdraw`.
    """
    from hntes.rules.pairs import PrefixPair
    from hntes.workflow.context import routers_of
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    if is_all == bool(router_names) and (is_all or pair_text is None):
        raise click.UsageError("give --router or --all")
    routers = routers_of(settings, router_names)
    if is_printed:
        if commit or confirms_others or pair_text is not None:
            raise click.UsageError("--print cannot be combined with --commit or --pair")
        _print_removal(settings, routers, as_json=as_json)
        return
    pair = PrefixPair.parse(pair_text) if pair_text is not None else None
    failures = _told_of_others(settings, routers, is_named=bool(router_names), is_pair=pair is not None)
    reached = [each for each in routers if each.is_reached]
    done = _withdraw_each(reached, partial(_withdrawn, settings, pair, commit, confirms_others), as_json=as_json)
    if commit:
        _recorded(done)
    if failures or len(done) < len(reached):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _print_removal(settings: Settings, routers: Sequence[Router], *, as_json: bool) -> None:
    """The commands, from the last delivered configuration only: the database may be down."""
    from hntes.workflow.delivery.handed_over import last_removal

    if as_json:
        output.as_json({router.name: last_removal(settings.paths.output, router) for router in routers})
        return
    for router in routers:
        output.verbatim(last_removal(settings.paths.output, router))


def _told_of_others(settings: Settings, routers: Sequence[Router], *, is_named: bool, is_pair: bool) -> int:
    """Reports and counts the routers that HNTES does not reach: those named, or delivered by other means.

    Also 1 if it reaches none at all, so that an empty removal is not mistaken for success.
    """
    from hntes.workflow.delivery.handed_over import was_handed_over

    others = [each for each in routers if not each.is_reached]
    left = [each.name for each in others if is_named or was_handed_over(settings.paths.output, each)]
    for name in left:
        output.note(
            f"hntes: router {name} is not reached by HNTES and was not changed; "
            + (
                _PAIR_ELSEWHERE
                if is_pair
                else f"`hntes router remove --print --router {name}` prints the commands that remove all of HNTES there"
            )
        )
    if left or len(others) < len(routers):
        return len(left)
    output.note("hntes: no router in the settings is reached by HNTES; nothing was removed")
    return 1


def _withdraw_each(
    routers: Sequence[Router], withdrawn: Callable[[Router], list[str]], *, as_json: bool
) -> list[Router]:
    """Removes HNTES, or a pair, from each router and reports it; returns the routers that did not fail."""
    from hntes.workflow.errors import expected, message

    done, said, failures = [], {}, {}
    for router in routers:
        try:
            lines = withdrawn(router)
        except expected() as problem:
            failures[router.name] = message(problem)
            output.failed(router.name, message(problem))
            continue
        said[router.name] = lines
        for line in () if as_json else lines:
            output.line(line)
        done.append(router)
    if as_json:
        output.as_json({"routers": said, "failures": failures})
    return done


def _withdrawn(
    settings: Settings, pair: PrefixPair | None, commit: bool, confirms_others: bool, router: Router
) -> list[str]:
    """The result on one router, in lines."""
    from hntes.delivery.timer import MonotonicTimer
    from hntes.workflow.delivery.removal import remove_all, remove_pair

    if pair is not None:
        done = remove_pair(settings, router, pair, MonotonicTimer(), commit=commit)
        return list(_pair_lines(router, pair, done))
    pushed = remove_all(settings, router, MonotonicTimer(), commit=commit, confirms_others=confirms_others)
    return [f"{router.name}: {_OUTCOMES[pushed.outcome]}", *(f"  {line}" for line in pushed.difference.splitlines())]


def _pair_lines(router: Router, pair: PrefixPair, done: PairRemoval) -> Iterator[str]:
    """The result for the pair, wider rules that match its packets, and how to keep it out."""
    if done.pushed is None:
        yield f"{router.name}: has no term for exactly {pair}"
    else:
        yield f"{router.name}: {_PAIR_OUTCOMES[done.pushed.outcome]}"
        yield from (f"  {line}" for line in done.pushed.difference.splitlines())
    if done.wider:
        yield f"  its packets match wider pairs: {', '.join(map(str, done.wider))}"
    if done.pushed is not None:
        yield "  the next approved change restores it, unless its source or destination is excluded:"
        yield (
            f"  hntes override exclude add {pair.source} --side source --router {router.name} --owner NAME "
            f"--reason TEXT "
            "--until YYYY-MM-DD"
        )


_PAIR_ELSEWHERE = "remove one pair there with `hntes override exclude add` and the next approved change"
_OUTCOMES = {
    "shown": "would be removed by this change; --commit does it",
    "done": "withdrawn",
    "held": "has nothing of HNTES",
    "finished": "removed: the change of an earlier call was confirmed",
}
_PAIR_OUTCOMES = {
    "shown": "the pair would be removed by this change; --commit does it",
    "done": "the pair is removed",
    "held": "the pair is already removed",
    "finished": "the pair is removed: the change of an earlier call was confirmed",
}


def _recorded(routers: list[Router]) -> None:
    """Records the removal, or reports that it could not be recorded yet."""
    from hntes.workflow.context import opened
    from hntes.workflow.delivery.removal_log import record_removals
    from hntes.workflow.errors import expected, message

    try:
        with opened(click.get_current_context().find_root().obj) as context:
            for router in routers:
                record_removals(context, router)
    except expected() as problem:
        output.note(f"hntes: not recorded yet, the next `hntes router deliver` records it: {message(problem)}")
