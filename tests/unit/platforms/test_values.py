"""Values in a vendor's text: what no packet has is refused, and never printed again as it came."""

import pytest

from hntes.platforms.errors import ParseError
from hntes.platforms.values import address, network

ZONES = ("2001:db8::%x", "2001:db8::%x/64", "2001:db8::1%x;}\nset system")


@pytest.mark.parametrize("word", ZONES)
def test_a_prefix_or_an_address_with_a_zone_is_refused(word: str) -> None:
    with pytest.raises(ParseError):
        network(word, 6, 1, "")
    with pytest.raises(ParseError):
        address(word, 6, 1, "")


def test_a_prefix_and_an_address_of_the_other_family_are_refused() -> None:
    assert str(network("2001:db8::/64", 6, 1, "")) == "2001:db8::/64"
    assert str(address("2001:db8::1", 6, 1, "")) == "2001:db8::1"
    with pytest.raises(ParseError, match="is not IPv4"):
        network("2001:db8::/64", 4, 1, "")
    with pytest.raises(ParseError, match="is not IPv4"):
        address("2001:db8::1", 4, 1, "")
