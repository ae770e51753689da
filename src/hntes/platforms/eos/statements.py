"""An EOS configuration as statements, each as its lines from the top, and the part owned by HNTES.

HNTES owns next-hop groups, traffic policies and QoS profiles whose names start with hntes, and the interface lines that
name them.
"""

from collections.abc import Iterator
from functools import lru_cache

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.owned_config import LISTINGS, OwnedConfig, Statement

# The words before the name of an object, or of what an interface line refers to; the head of the section around it.
_OBJECTS = ((None, ("nexthop-group",)), (None, ("qos", "profile")), ("traffic-policies", ("traffic-policy",)))
BINDINGS = (("traffic-policy", "input"), ("service-profile",))
_MATCH = "match "


def is_own(section: Section, above: Section | None) -> bool:
    """Whether a section is an object of HNTES or a line that refers to one; `above` is the section around it."""
    head = above.words[0] if above is not None else None
    places = BINDINGS if head == "interface" else tuple(words for around, words in _OBJECTS if around == head)
    for words in places:
        named = section.words[len(words) : len(words) + 1]
        if section.begins(*words) and named and OWN_NAME.fullmatch(named[0]):
            return True
    return False


@lru_cache(maxsize=LISTINGS)
def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration owned by HNTES. Rules of a traffic policy are tried in their order.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    own = tuple(each for each, mine in _parted(configuration) if mine)
    ranked = (each[:3] for each in own if len(each) > 2 and each[2].startswith(_MATCH))
    return OwnedConfig(own, tuple(dict.fromkeys(ranked)))


def foreign(configuration: str) -> frozenset[Statement]:
    """The part of a whole configuration not owned by HNTES; a section with nothing in it is none.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    return frozenset(each for each, mine in _parted(configuration) if not mine)


def _parted(configuration: str) -> Iterator[tuple[Statement, bool]]:
    """Each statement, and whether HNTES owns it."""
    try:
        root = read_listing(configuration)
    except ParseError as cause:
        raise DeliveryError(f"the router's answer cannot be parsed as a configuration: {cause}") from cause
    for section in root:
        if section.words[0] == "interface" or section.words == ("traffic-policies",):
            for child in section:
                mine = is_own(child, section)
                yield from ((each, mine) for each in _statements(child, (section.text,)))
        else:
            mine = is_own(section, None)
            yield from ((each, mine) for each in _statements(section, ()))


def _statements(section: Section, above: Statement) -> Iterator[Statement]:
    path = (*above, section.text)
    for child in section:
        yield from _statements(child, path)
    if not section.children:
        yield path
