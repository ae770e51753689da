"""At each line that an emulated IOS-XE router takes, a pair is in a queue of before or after, never in best effort's.

The emulator was written from the vendor's documents, the reader of its configuration apart from the renderer.
"""

import pytest

from hntes.platforms.render import render
from hntes.platforms.transition import transition
from hntes.platforms.transition_errors import TransitionError
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.ios_lines import Configuration, loaded
from tests.support.ios_paths import permitting, queues
from tests.support.pushes_iosxe import OPERATORS_OWN, typed
from tests.support.qos_models import PAIRS, PLANS, PORTS, RESERVED, router

EDGE, CORE = f"{PORTS['iosxe'][0]}.100", PORTS["iosxe"][1]
RESERVED_PAIR, ALPHA_PAIR = RESERVED[0].pair, next(each for each in PAIRS if each.ip_version == 4)
KINDS = ("hostname", "archive", "logging", "ip", "ipv6", "class-map", "policy-map", "route-map", "interface")
PREMIUM, ALPHA, SCAVENGER = "hntes-queue-premium", "hntes-queue-alpha", "hntes-queue-scavenger"


def text(plan: str, *, reserves: bool, pairs: tuple[PrefixPair, ...]) -> str:
    return render(build_model(router("iosxe"), PLANS[plan], pairs, RESERVED[:1] if reserves else ()))


def seen(old: str, new: str, pair: PrefixPair) -> tuple[set[str], frozenset[str]]:
    """The queues of a pair at all lines between two texts, and in the end; the two lines of a swap are one."""
    device = XeRouter("r1")
    typed(device, OPERATORS_OWN + old)
    own = _ours(device)
    assert own.shown() == loaded(Configuration(), old).shown()
    terminal, found = XeTerminal(device, "hntes"), set[str]()
    terminal.enter("configure terminal")
    for line in transition("iosxe", old, new).splitlines():
        printed = terminal.enter(line)
        assert "\n" not in printed, f"{line}: {printed}"
        if not line.startswith(" no service-policy"):
            found |= _queues(device, pair)
    assert _ours(device).shown() == loaded(Configuration(), new).shown()
    return found, _queues(device, pair)


def _ours(device: XeRouter) -> Configuration:
    """What of the router's configuration is HNTES's, or attaches it: what is referred to before what refers to it."""
    lines: list[str] = []
    for each in sorted(device.running.below.values(), key=lambda one: KINDS.index(one.words()[0])):
        below = [f" {line}" for line in each.lines()]
        kept = below if "hntes-" in each.text else [line for line in below if "hntes-" in line]
        lines += [each.text, *kept, "!"] if kept else []
    return loaded(Configuration(), "\n".join(lines))


def _queues(device: XeRouter, pair: PrefixPair) -> frozenset[str]:
    now = _ours(device)
    return queues(now, permitting(now, pair), EDGE, CORE)


@pytest.mark.parametrize("begins", [True, False])
def test_a_pair_of_alpha_that_is_reserved_at_an_edge_is_in_one_of_the_two_queues(begins: bool) -> None:
    pairs = (*PAIRS, RESERVED_PAIR)
    plain, reserving = (text("premium", reserves=each, pairs=pairs) for each in (False, True))
    old, new = (plain, reserving) if begins else (reserving, plain)
    assert seen(old, new, RESERVED_PAIR) == ({PREMIUM, ALPHA}, frozenset({PREMIUM if begins else ALPHA}))


@pytest.mark.parametrize("to_scavenger", [True, False])
def test_while_plans_are_exchanged_pairs_of_alpha_keep_queues_of_theirs(to_scavenger: bool) -> None:
    reserving = text("premium", reserves=True, pairs=PAIRS)
    policing = text("scavenger_policer", reserves=False, pairs=PAIRS)
    old, new = (reserving, policing) if to_scavenger else (policing, reserving)
    found, last = seen(old, new, ALPHA_PAIR)
    assert found <= {ALPHA, SCAVENGER}
    assert last == ({ALPHA, SCAVENGER} if to_scavenger else {ALPHA})


@pytest.mark.parametrize("to_scavenger", [True, False])
def test_where_a_reserved_pair_of_alpha_would_pass_best_effort_nothing_is_typed(to_scavenger: bool) -> None:
    pairs = (*PAIRS, RESERVED_PAIR)
    reserving = text("premium", reserves=True, pairs=pairs)
    policing = text("scavenger_policer", reserves=False, pairs=pairs)
    old, new = (reserving, policing) if to_scavenger else (policing, reserving)
    with pytest.raises(TransitionError, match="would temporarily use a wrong queue"):
        seen(old, new, RESERVED_PAIR)
