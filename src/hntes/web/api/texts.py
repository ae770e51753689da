"""Texts that requests hold: days, prefixes, times, names. Each is a schema of its own in the OpenAPI document.

The patterns are of the document alone: what a text means, and the sentence that refuses one, are those of the code that
reads it. They are written so that ECMA-262 and Python's `re` agree on them. A pattern is what programs should send; of
some texts the program takes more, such as blanks around a prefix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler
from typing_extensions import TypeAliasType

from hntes.sanitize import MAX_CHARACTERS
from hntes.settings.names import NAME_PATTERN


@dataclass(frozen=True)
class Described:
    """What the document says of a text; nothing is refused by it. `pattern` is of the whole text."""

    pattern: str
    examples: Sequence[str] = ()
    format: str | None = None

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        told: dict[str, Any] = {"pattern": f"^(?:{self.pattern})$"}
        more = {"examples": [*self.examples], "format": self.format}
        return {**handler(core_schema), **told, **{name: value for name, value in more.items() if value}}


def _or_nothing(pattern: str) -> str:
    return f"(?:{pattern})?"


_NAME = NAME_PATTERN.removeprefix("^").removesuffix("$")
_INTERFACE = "[A-Za-z0-9][A-Za-z0-9/:._-]{0,62}"

# Days from 2000 to 2199: of each month, and the 29th of February of leap years, of which 2100 is none.
_MONTH_DAY = (
    "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
)
_LEAP = "(?:2000|2[01](?:0[48]|[2468][048]|[13579][26]))"
_DAY = f"2[01][0-9]{{2}}-(?:{_MONTH_DAY})|{_LEAP}-02-29"
_TIME = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
# As the program writes them.
INSTANT = f"(?:{_DAY})T{_TIME}:[0-5][0-9]Z"
_MOMENT = f"(?:{_DAY})T{_TIME}(?::[0-5][0-9])?(?:Z|[+-]{_TIME})"

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}(?:/(?:3[0-2]|[12]?[0-9]))?"
_WORD = "[0-9A-Fa-f]{1,4}"
# RFC 4291, section 2.2, without IPv4 addresses within: by the number of words before ::.
_IPV6_ADDRESS = "|".join(
    (
        f"(?:{_WORD}:){{7}}{_WORD}",
        f"(?:{_WORD}:){{1,7}}:",
        *(f"(?:{_WORD}:){{1,{before}}}(?::{_WORD}){{1,{7 - before}}}" for before in range(6, 0, -1)),
        f":(?::{_WORD}){{1,7}}",
        "::",
    )
)
_IPV6 = f"(?:{_IPV6_ADDRESS})(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?"
_PREFIX = f"{_IPV4}|{_IPV6}"
_SEARCH = "|".join(f"(?:{one})(?: ?> ?(?:{one})?)?|> ?(?:{one})" for one in (_IPV4, _IPV6))

_IPV4_LENGTH = "(?:[89]|[12][0-9]|3[0-2])"
_IPV6_LENGTH = "(?:[89]|[1-9][0-9]|1[01][0-9]|12[0-8])"
_LENGTHS = f"{_IPV4_LENGTH}(?::{_IPV4_LENGTH})?(?:,{_IPV6_LENGTH}(?::{_IPV6_LENGTH})?)?"

# What ends a line or is never printed, of the first plane: further ones need a flag in some languages. The rest of what
# is not printed changes with each version of Unicode.
_UNPRINTED = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ue000-\uf8ff\ufeff\ufff0-\ufffb\ufffe\uffff"
)
_BLANKS = " \xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_LINE = f"[^{_UNPRINTED}]*"
_PRINTED = "one line of characters that Unicode prints; unassigned ones and those of private use are refused, too"

RouterName = TypeAliasType(
    "RouterName",
    Annotated[str, Field(max_length=64, description="Name of a router of the settings."), Described(_NAME, ("r1",))],
)
AnyRouterName = TypeAliasType(
    "AnyRouterName",
    Annotated[
        str, Field(max_length=64, description="Name of a router of the settings, or nothing."),
        Described(_or_nothing(_NAME), ("r1",)),
    ],
)  # fmt: skip
RouterScope = TypeAliasType(
    "RouterScope",
    Annotated[
        str, Field(max_length=64, description="Name of a router of the settings; `*`: all."),
        Described(rf"\*|{_NAME}", ("r1", "*")),
    ],
)  # fmt: skip
PortName = TypeAliasType(
    "PortName",
    Annotated[
        str, Field(max_length=128, description="A port with queues, ROUTER:INTERFACE, as the settings name it."),
        Described(f"{_NAME}:{_INTERFACE}", ("r1:et-0/0/1",)),
    ],
)  # fmt: skip
Day = TypeAliasType(
    "Day",
    Annotated[
        str, Field(min_length=1, max_length=10, description="A day (UTC) from 2000-01-01 to 2199-12-31."),
        Described(_DAY, ("2026-11-24",), "date"),
    ],
)  # fmt: skip
AnyDay = TypeAliasType(
    "AnyDay",
    Annotated[
        str, Field(max_length=10, description="A day (UTC) from 2000-01-01 to 2199-12-31, or nothing."),
        Described(_or_nothing(_DAY), ("2026-11-24",)),
    ],
)  # fmt: skip
Moment = TypeAliasType(
    "Moment",
    Annotated[
        str,
        Field(max_length=40, description="A time of whole seconds or minutes with its UTC offset (RFC 3339)."),
        Described(_MOMENT, ("2026-11-24T12:00Z", "2026-11-24T13:00:00+01:00")),
    ],
)
Prefix = TypeAliasType(
    "Prefix",
    Annotated[
        str, Field(max_length=64, description="A prefix without host bits, IPv4 or IPv6, or a host."),
        Described(_PREFIX, ("198.18.10.0/24", "2001:db8:1::/48")),
    ],
)  # fmt: skip
_FINDS = "A host, a prefix without host bits, or SOURCE>DESTINATION of one family, of which one may be left out"
PairSearch = TypeAliasType(
    "PairSearch",
    Annotated[
        str, Field(min_length=1, max_length=200, description=f"{_FINDS}."),
        Described(_SEARCH, ("198.18.10.5", "198.18.10.0/24>203.0.113.0/24")),
    ],
)  # fmt: skip
AnyPairSearch = TypeAliasType(
    "AnyPairSearch",
    Annotated[
        str, Field(max_length=200, description=f"{_FINDS}; nothing finds all."),
        Described(_or_nothing(_SEARCH), ("203.0.113.0/24",)),
    ],
)  # fmt: skip
Lengths = TypeAliasType(
    "Lengths",
    Annotated[
        str,
        Field(max_length=20, description="Prefix lengths: 24, 32:24 (source:destination) or 24,64 (IPv4,IPv6)."),
        Described(_LENGTHS, ("24", "32:24", "24,64")),
    ],
)
Line = TypeAliasType(
    "Line",
    Annotated[
        str, Field(max_length=MAX_CHARACTERS, description=f"For the audit log: {_PRINTED}."),
        Described(_LINE, ("as every week",)),
    ],
)  # fmt: skip
Reason = TypeAliasType(
    "Reason",
    Annotated[
        str,
        Field(min_length=1, max_length=MAX_CHARACTERS, description=f"The reason, for the audit log: {_PRINTED}."),
        Described(f"{_LINE}[^{_BLANKS}{_UNPRINTED}]{_LINE}", ("maintenance of the storage",)),
    ],
)
Label = TypeAliasType(
    "Label",
    Annotated[
        str, Field(max_length=200, description=f"{_PRINTED[0].upper()}{_PRINTED[1:]}."), Described(_LINE, ("4711",))
    ],
)
ExternalId = TypeAliasType(
    "ExternalId",
    Annotated[
        str,
        Field(min_length=1, max_length=200, description=f"The caller's name of a reservation: {_PRINTED}."),
        Described(_LINE, ("copy-1",)),
    ],
)
