"""Random prefixes and pairs, close enough together to nest and to cross."""

from ipaddress import ip_network

from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.overlap import crossing_pairs

# Few address bits, so that nested, equal and crossing prefixes are common.
BASES = {4: (int(ip_network("198.18.0.0/16").network_address), 32), 6: (int(ip_network("2001:db8::/32")[0]), 128)}


@st.composite
def prefixes(draw: st.DrawFn, version: int) -> Network:
    base, width = BASES[version]
    length = width - draw(st.sampled_from([0, 0, 1, 2, 3, 4, 8]))
    address = base + draw(st.integers(0, 15))
    return ip_network((address, length), strict=False)


@st.composite
def pair_sets(draw: st.DrawFn) -> list[PrefixPair]:
    """Distinct pairs, none of which crosses another."""
    kept: list[PrefixPair] = []
    for version in draw(st.lists(st.sampled_from([4, 6]), min_size=1, max_size=12)):
        pair = PrefixPair(draw(prefixes(version)), draw(prefixes(version)))
        if pair not in kept and not list(crossing_pairs([*kept, pair])):
            kept.append(pair)
    return kept
