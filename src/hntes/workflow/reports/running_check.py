"""Check of a router's running configuration before a night: what would collide, and what could not be judged."""

from collections.abc import Iterator
from dataclasses import dataclass

from hntes.platforms.conflict import CollisionError
from hntes.platforms.errors import ParseError
from hntes.platforms.merged import read_merged
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import ModelError
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.running_configuration import judged_running
from hntes.workflow.stages.propose import render_candidate

# Documentation prefixes (RFC 5737, RFC 3849).
_EXAMPLES = {
    4: PrefixPair.parse("192.0.2.0/25>198.51.100.0/24"),
    6: PrefixPair.parse("2001:db8:a::/48>2001:db8:b::/48"),
}


@dataclass(frozen=True)
class RunningCheck:
    """What would end a night beside the running configuration, each with its line: of any pair, and of IPv6 pairs.

    No problem names the router.
    """

    problems: tuple[str, ...] = ()
    of_ipv6_pairs: tuple[str, ...] = ()


def check_running(context: Context, router: Router) -> RunningCheck:
    """Checks the plan of the settings on the router's platform and hardware and beside its running configuration.

    A plan binds its filters only in families that have pairs, so the families are tried one after the other.
    """
    versions = sorted({version for each in router.interfaces if each.role != "core" for version in each.ip_versions})
    first, *others = [tuple(_problems(context, router, _EXAMPLES[version])) for version in versions]
    return RunningCheck(first, tuple(each for found in others for each in found if each not in first))


def _problems(context: Context, router: Router, pair: PrefixPair) -> Iterator[str]:
    try:
        candidate = render_candidate(context, router, [pair])
        running = judged_running(router)
    except CollisionError as problem:
        yield from (f"running configuration: {each}" for each in problem.collisions)
        return
    except CommandError as problem:
        yield str(problem)
        return
    except ModelError as problem:
        # who asks names the router
        yield from (each.removeprefix(f"router {router.name!r}: ") for each in problem.problems)
        return
    if running is None:
        return
    try:
        merged = read_merged(
            router.platform, candidate.text, running, candidate.model.interfaces,
            keeps_classes=candidate.model.keeps_classes,
        )  # fmt: skip
    except ParseError as problem:
        yield f"running configuration: not judged: {problem}"
        return
    for each in merged.unparsed:
        if each.is_reason:
            yield f"running configuration: not judged: line {each.line}: `{each.text}` can touch {each.touches}"
