"""Search for known pairs by a host, a prefix, or both ends of a flow."""

import pytest

from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.pairs import PairError, PrefixPair

KNOWN = [
    PrefixPair.parse(text)
    for text in (
        "198.18.10.0/24>203.0.113.0/24", "198.18.10.0/24>198.51.100.0/24", "198.18.20.0/24>198.18.10.0/24",
        "198.18.0.0/16>203.0.113.0/24", "2001:db8:1::/48>2001:db8:2::/48",
    )
]  # fmt: skip


def found(text: str) -> list[str]:
    return [str(pair) for pair in PairSearch.parse(text).among(KNOWN)]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("198.18.20.7", ["198.18.20.0/24 > 198.18.10.0/24", "198.18.0.0/16 > 203.0.113.0/24"]),
        ("198.51.100.0/25", ["198.18.10.0/24 > 198.51.100.0/24"]),
        ("198.18.10.5 > 203.0.113.9", ["198.18.10.0/24 > 203.0.113.0/24", "198.18.0.0/16 > 203.0.113.0/24"]),
        ("198.18.10.0/24>203.0.113.0/24", ["198.18.10.0/24 > 203.0.113.0/24"]),  # that pair, not those that overlap it
        (">198.18.10.5", ["198.18.20.0/24 > 198.18.10.0/24"]),
        ("198.18.20.7>", ["198.18.20.0/24 > 198.18.10.0/24", "198.18.0.0/16 > 203.0.113.0/24"]),
        ("2001:db8:2::7", ["2001:db8:1::/48 > 2001:db8:2::/48"]),
        ("192.0.2.1", []),
        ("192.0.2.1>192.0.2.2", ["192.0.2.1/32 > 192.0.2.2/32"]),  # not known: of that there is something to say, too
    ],
)
def test_the_pairs_that_are_meant(text: str, pairs: list[str]) -> None:
    assert found(text) == pairs


@pytest.mark.parametrize("text", ["", ">", "host.example", "198.18.10.5/24", "198.18.10.5>2001:db8::1", "a>198.18.1.1"])
def test_what_is_no_host_or_prefix_is_refused(text: str) -> None:
    with pytest.raises(PairError):
        PairSearch.parse(text)
