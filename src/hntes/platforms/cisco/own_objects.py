"""Recognition of statements that HNTES owns in an IOS-XR or IOS-XE configuration, by kind and name of the object.

In other statements (`hostname`, `banner`, `description`, an SNMP community) the name has no meaning.
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
    """Whether an interface line refers to such an object."""
    is_place = line.begins("service-policy") or line.words[1:2] in [(word,) for word in _REFERRING]
    return is_place and any(OWN_NAME.fullmatch(word) for word in line.words[1:])
