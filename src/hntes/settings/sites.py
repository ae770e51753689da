"""Named sites: prefixes of hosts that belong together, for tables and figures."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from hntes.addresses import Network
from hntes.settings.names import Name
from hntes.settings.section import Section


class NamedSite(Section):
    """A site whose alpha traffic is summed up under its name, on the review page and by `hntes flows --by site`.

    Of several prefixes that hold a host the longest counts. Nothing is decided by sites.
    """

    name: Name
    """name of the site, in tables and figures"""
    prefixes: Annotated[tuple[Network, ...], Field(min_length=1)]
    """prefixes of the site's hosts, IPv4 and IPv6"""


def require_distinct(sites: Sequence[NamedSite]) -> None:
    """Refuses sites that cannot be told apart.

    Raises:
        ValueError: two sites have the same name, or the same prefix.
    """
    names = [site.name for site in sites]
    if len(set(names)) != len(names):
        raise ValueError("sites: a name is used twice")
    owners: dict[Network, str] = {}
    for site in sites:
        for prefix in site.prefixes:
            if prefix in owners:
                raise ValueError(f"site {site.name}: prefix {prefix} belongs to site {owners[prefix]} already")
            owners[prefix] = site.name
