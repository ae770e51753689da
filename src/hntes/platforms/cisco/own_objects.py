"""Statements of an IOS-XR or IOS-XE configuration that are HNTES' own, by the kind of object and its name.

In statements of any other kind (`hostname`, `banner`, `description`, a community of SNMP) the name means nothing.
"""

from hntes.platforms.cisco.parser.tree import LISTS, Section
from hntes.platforms.grammar import OWN_NAME

_OBJECTS = (*LISTS, ("class-map",), ("policy-map",), ("route-map",))
_REFERRING = ("access-group", "policy")


def is_own_object(section: Section) -> bool:
    """Whether a section defines a list, class, policy or route-map of HNTES."""
    name = section.words[1:2] if section.words[0] == "route-map" else section.words[-1:]
    return any(section.begins(*each) for each in _OBJECTS) and OWN_NAME.fullmatch(name[0]) is not None


def refers_to_own(line: Section) -> bool:
    """Whether a line of an interface leads to such an object."""
    is_place = line.begins("service-policy") or line.words[1:2] in [(word,) for word in _REFERRING]
    return is_place and any(OWN_NAME.fullmatch(word) for word in line.words[1:])
