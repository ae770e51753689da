"""The toy dialect: lines, of which those that begin with `hntes` are HNTES' own."""

import re

from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig, Statement

CLEAR = "clear hntes"


def own_lines(text: str | None) -> list[str]:
    """The lines of HNTES in a configuration or a candidate."""
    return [line for line in (text or "").splitlines() if line.startswith("hntes ")]


def _owned(configuration: str) -> OwnedConfig:
    lines = own_lines(configuration)
    return OwnedConfig(
        tuple((line,) for line in lines), tuple(("pairs", one) for one in lines if one.startswith("hntes pair "))
    )


def _foreign(configuration: str) -> frozenset[Statement]:
    others = (line for line in configuration.splitlines() if line and not line.startswith(("hntes ", "#")))
    return frozenset((line,) for line in others)


DIALECT = Dialect(
    platform="toy",
    comment="#",
    owned=_owned,
    foreign=_foreign,
    held_text=lambda _: "",
    between=lambda _, after: [CLEAR, *own_lines(after)],
    how=("Load all lines at once.",),
    is_to_be_loaded=lambda text: re.match("# HNTES candidate for router ", text) is not None,
)
