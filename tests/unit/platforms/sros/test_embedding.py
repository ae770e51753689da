"""An operator's filter that only drops embeds that of HNTES; any other is refused with what stands in the way."""

import pytest

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.errors import ParseError
from hntes.platforms.expected import effective_of
from hntes.platforms.lookup import FilterLookup
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.sros.dialect import DIALECT
from hntes.platforms.structure import check_structure
from hntes.platforms.transition import removal, transition
from tests.contract.platform.cases.sros import CASE, RUNNING
from tests.support.devices.sros.device import SrosRouter
from tests.support.qos_models import PAIRS, model
from tests.unit.platforms.sros.test_xml_form import edited, shown

FILTER = """\
/configure filter ip-filter CUSTOMERS default-action accept
/configure filter ip-filter CUSTOMERS entry 10 match src-ip address 10.0.0.0/8
/configure filter ip-filter CUSTOMERS entry 10 match protocol udp
/configure filter ip-filter CUSTOMERS entry 10 action drop
/configure router Base interface to-site ingress filter ip CUSTOMERS
"""
OPERATORS = RUNNING + FILTER


def listed(text: str) -> str:
    """What a router lists that holds flat statements."""
    return f"{CASE.after(*[text.replace('/configure ', '')])}\n"


def test_the_filter_stays_bound_and_embeds_the_pairs_behind_what_it_drops() -> None:
    fitted = check_conflicts(model("sros"), OPERATORS)
    text = render(fitted)
    assert "ip CUSTOMERS" not in text
    assert "filter hntes-alpha-v4-embedded offset 1000000" in text
    # the other edge has none, so that the filter of IPv4 is there in both forms, and that of IPv6 in one
    assert text.count("ip-filter hntes-alpha-v4") == 2
    assert text.count("ipv6-filter hntes-alpha-v6") == 1
    assert parse_config("sros", text, fitted.interfaces) == effective_of(fitted)
    merged = read_merged("sros", text, OPERATORS, fitted.interfaces)
    assert merged == effective_of(fitted)
    assert check_structure(merged, PAIRS, alpha_queue=4) == []
    edge = next(each for each in merged.edges if each.unit == 100 and each.ip_version == 4)
    pair = PAIRS[0]
    found = FilterLookup(merged, edge).outcome(int(pair.source.network_address), int(pair.destination.network_address))
    assert found.queue == 4


def test_a_delivered_text_is_no_collision_and_is_withdrawn_whole() -> None:
    running = listed(OPERATORS)
    text = render(check_conflicts(model("sros"), running))
    delivered = f"{CASE.after(running, transition('sros', None, text))}\n"
    assert DIALECT.owned(delivered) == DIALECT.part_of(text)
    assert DIALECT.foreign(delivered) == DIALECT.foreign(running)
    assert render(check_conflicts(model("sros"), delivered)) == text
    assert f"{CASE.after(delivered, removal('sros', text))}\n" == running
    alone = render(check_conflicts(model("sros"), RUNNING))
    back = CASE.after(delivered, transition("sros", text, alone))
    assert DIALECT.owned(back) == DIALECT.part_of(alone)


def test_a_router_takes_it_by_xml_and_gives_it_back() -> None:
    running = listed(OPERATORS)
    text = render(check_conflicts(model("sros"), running))
    router = SrosRouter.with_text("r1", running)
    before = router.text()
    edited(router, transition("sros", None, text))
    assert DIALECT.owned(shown(router)) == DIALECT.part_of(text)
    edited(router, removal("sros", text))
    assert router.text() == before


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("filter ip-filter CUSTOMERS entry 20 action accept", "entry 20 that does not drop"),
        ("filter ip-filter CUSTOMERS entry 1000000 action drop", "where those of HNTES are embedded"),
        ("filter ip-filter CUSTOMERS embed filter other offset 5", "embeds others"),
        ("filter ip-filter CUSTOMERS chain-to-system-filter true", "beside which HNTES embeds nothing"),
        ("filter ip-filter CUSTOMERS scope system", "or of the system"),
        ("router Base interface core-1 ingress filter ip CUSTOMERS", "which is no edge of the settings"),
        ("service vprn RED interface x sap 1/1/c9/1:1 ingress filter ip CUSTOMERS", "which is no edge of the settings"),
    ],
)
def test_a_filter_that_cannot_embed_is_refused(statement: str, reason: str) -> None:
    text = f"{OPERATORS}/configure {statement}\n"
    with pytest.raises(CollisionError, match=reason):
        check_conflicts(model("sros"), text)


@pytest.mark.parametrize(
    ("removed", "reason"),
    [("CUSTOMERS default-action accept", "drops by default"), ("filter ip-filter CUSTOMERS", "is not in the file")],
)
def test_a_filter_that_drops_by_default_or_is_missing_is_refused(removed: str, reason: str) -> None:
    text = "".join(f"{line}\n" for line in OPERATORS.splitlines() if removed not in line)
    with pytest.raises(CollisionError, match=reason):
        check_conflicts(model("sros"), text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("offset 1000000", "offset 1"),
        ("admin-state enable", "admin-state disable"),
        ("filter hntes-alpha-v4-embedded offset", "filter CUSTOMERS offset"),
        ("            embed {", "            default-action drop\n            embed {"),
    ],
)
def test_a_changed_embedding_is_refused_or_seen(old: str, new: str) -> None:
    fitted = check_conflicts(model("sros"), OPERATORS)
    text = render(fitted)
    assert old in text
    changed = text.replace(old, new, 1)
    try:
        found = parse_config("sros", changed, fitted.interfaces)
    except ParseError:
        return
    assert found != effective_of(fitted)
