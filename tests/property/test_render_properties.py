"""Properties of rendered text: what each packet meets, what a change shows, what stays the same."""

import dataclasses
from ipaddress import IPv4Address, IPv4Network, IPv6Address

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.platforms.cisco.sequence import sequence_numbers
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.changeset.diff import diff_models, diff_text
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model, term_name
from hntes.rules.qos.json_form import from_json, model_hash, to_json
from hntes.rules.qos.model import ModelError, Redirect, RouterModel
from tests.contract.platform.case import case_of
from tests.contract.platform.models import supports, taken
from tests.support.config_text import matcher
from tests.support.qos_models import PLANS, PLATFORMS, router
from tests.support.qos_strategies import pair_sets
from tests.support.vendor_grammar import parse

platforms = st.sampled_from(PLATFORMS)
all_texts = st.sampled_from(taken())
# What names a line of a text: elsewhere it is a number.
NAMES_ITS_TERMS = ("junos", "sros", "eos")


def build(pairs: list[PrefixPair], platform: str, plan: str = "two_queue", redirect: str = "none") -> RouterModel:
    return build_model(router(platform, redirect), PLANS[plan], pairs)


def probes(pair: PrefixPair) -> list[tuple[int, int]]:
    """Addresses at the edges of both prefixes, inside and one step outside."""

    def around(network: Network) -> list[int]:
        first, last = int(network.network_address), int(network.broadcast_address)
        return [first - 1, first, (first + last) // 2, last, last + 1]

    return [(source, destination) for source in around(pair.source) for destination in around(pair.destination)]


@given(pairs=pair_sets(), text=all_texts)
def test_each_packet_meets_the_most_specific_pair_that_holds_it(
    pairs: list[PrefixPair], text: tuple[str, str, str]
) -> None:
    platform = text[0]
    match = matcher(render(build(pairs, *text)), platform)
    for probed in pairs:
        kind = type(probed.source.network_address)
        for source_number, destination_number in probes(probed):
            source, destination = kind(source_number), kind(destination_number)
            holding = [p for p in pairs if p.ip_version == probed.ip_version and p.contains(source, destination)]
            found = match(str(source), str(destination))
            if not holding:
                assert found is None
                continue
            # Non-crossing pairs that share a packet are nested, so one of them is the innermost.
            expected = max(holding, key=lambda p: p.source.prefixlen + p.destination.prefixlen)
            assert found is not None
            assert (found.source, found.destination) == (expected.source, expected.destination)
            if platform in NAMES_ITS_TERMS:
                assert found.label == term_name(expected)


@given(pairs=pair_sets(), text=all_texts, data=st.data())
def test_order_of_input_does_not_matter(
    pairs: list[PrefixPair], text: tuple[str, str, str], data: st.DataObject
) -> None:
    (platform, plan, redirect), shuffled = text, data.draw(st.permutations(pairs))
    assert render(build(pairs, platform, plan, redirect)) == render(build(shuffled, platform, plan, redirect))


@given(pairs=pair_sets(), text=all_texts)
def test_text_is_in_the_dialect_of_its_platform(pairs: list[PrefixPair], text: tuple[str, str, str]) -> None:
    parse(text[0], render(build(pairs, *text)))


@given(pairs=pair_sets(), text=all_texts)
def test_json_round_trip(pairs: list[PrefixPair], text: tuple[str, str, str]) -> None:
    built = build(pairs, *text)
    assert from_json(to_json(built)) == built
    assert model_hash(from_json(to_json(built))) == model_hash(built)


@given(pairs=pair_sets(), platform=platforms, data=st.data())
def test_a_pair_that_goes_shows_and_moves_no_other_line(
    pairs: list[PrefixPair], platform: str, data: st.DataObject
) -> None:
    gone = data.draw(st.sampled_from(pairs))
    old, new = build(pairs, platform), build([pair for pair in pairs if pair != gone], platform)
    diff = diff_models(old, new)
    assert (diff.pairs_removed, diff.pairs_added, diff.terms_reordered) == ((gone,), (), ())
    assert diff.term_changes == ()
    assert diff.settings_changes == ()
    back = diff_models(new, old)
    assert (back.pairs_added, back.pairs_removed) == ((gone,), ())
    if platform != "junos":
        numbers = sequence_numbers(pairs)
        kept = {pair: number for pair, number in numbers.items() if pair != gone}
        assert sequence_numbers(kept) == kept


def changed(model: RouterModel, what: str) -> RouterModel:
    """The model with one thing changed to another valid value."""
    first, *others = model.schedulers
    match what:
        case "transmit share":
            return dataclasses.replace(
                model,
                schedulers=(dataclasses.replace(first, transmit_share_pct=first.transmit_share_pct - 1), *others),
            )
        case "buffer share":
            return dataclasses.replace(
                model, schedulers=(dataclasses.replace(first, buffer_share_pct=first.buffer_share_pct - 5), *others)
            )
        case "queue":
            *classes, last = model.forwarding_classes
            taken = {each.queue for each in model.forwarding_classes}
            free = next(each for each in case_of(model.platform).queues if each not in taken)
            return dataclasses.replace(model, forwarding_classes=(*classes, dataclasses.replace(last, queue=free)))
        case "interface":
            first_port = model.interfaces[0]
            spare = dataclasses.replace(first_port, unit=7, role="edge", logical=first_port.logical and "spare")
            return dataclasses.replace(model, interfaces=(*model.interfaces, spare))
        case "router":
            return dataclasses.replace(model, router="er")
        case "redirect":
            target = Redirect("lsp", None, None, "other", 9, routes=(IPv4Network("192.0.2.0/24"),))
            if "lsp" not in platform_of(model.platform).capabilities.redirect_kinds:
                target = Redirect("next_hop", IPv4Address("192.0.2.99"), IPv6Address("2001:db8::99"), None, None)
            filters = tuple(
                dataclasses.replace(each, terms=tuple(dataclasses.replace(term, redirect=True) for term in each.terms))
                for each in model.filters
            )
            return dataclasses.replace(model, redirect=target, filters=filters)
    raise AssertionError(what)


@given(
    pairs=pair_sets(),
    text=all_texts.filter(lambda text: text[2] != "lsp"),
    what=st.sampled_from(["transmit share", "buffer share", "queue", "interface", "router", "redirect"]),
)
def test_any_change_shows_in_diff_and_text(pairs: list[PrefixPair], text: tuple[str, str, str], what: str) -> None:
    old, (platform, plan, _) = build(pairs, *text), text
    # One queue keeps its number on all platforms: network control, which Cisco finds by its code points.
    assume(not (what == "queue" and plan == "single_queue" and platform != "junos"))
    new = changed(old, what)
    assert problems(new) == []
    diff = diff_models(old, new)
    assert not diff.is_empty
    assert list(diff.lines())
    assert diff_text(render(old), render(new)) != ""
    body_changed = without_header(render(old)) != without_header(render(new))
    assert body_changed or what == "router"


@given(pairs=pair_sets(), platform=st.sampled_from([each for each in PLATFORMS if supports(each, "strict alpha")]))
def test_priority_word_changes_show(pairs: list[PrefixPair], platform: str) -> None:
    old = build(pairs, platform)
    alpha = next(each for each in old.schedulers if each.forwarding_class == "alpha")
    strict = tuple(
        dataclasses.replace(each, priority="strict-high") if each is alpha else each for each in old.schedulers
    )
    new = dataclasses.replace(old, schedulers=strict)
    assert "schedulers hntes-alpha priority: medium-high -> strict-high" in diff_models(old, new).settings_changes
    assert without_header(render(old)) != without_header(render(new))


@given(pairs=pair_sets(), platform=platforms, data=st.data())
def test_swapped_terms_show_and_are_refused(pairs: list[PrefixPair], platform: str, data: st.DataObject) -> None:
    model = build(pairs, platform)
    index = data.draw(st.integers(0, 1))
    terms = list(model.filters[index].terms)
    assume(len(terms) >= 2)
    left, right = sorted(data.draw(st.lists(st.integers(0, len(terms) - 1), min_size=2, max_size=2, unique=True)))
    terms[left], terms[right] = terms[right], terms[left]
    filters = list(model.filters)
    filters[index] = dataclasses.replace(filters[index], terms=tuple(terms))
    swapped = dataclasses.replace(model, filters=tuple(filters))
    assert diff_models(model, swapped).terms_reordered
    with pytest.raises(ModelError, match="against the order"):
        render(swapped)


def without_header(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("## ", "! ")))
