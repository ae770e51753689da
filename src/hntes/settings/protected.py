"""The prefixes that HNTES never touches: the network's own lifelines."""

from hntes.addresses import Network
from hntes.settings.section import Section


class Protected(Section):
    """Prefixes that never come into a pair, a redirect or a reservation of any router, whatever was seen or pinned.

    `prefixes` are named by the operator. With `learned` the lifelines of the running configurations and of the access
    to routers count, too: loopbacks, management, BGP neighbors, monitoring. `allowed` are learned prefixes that pairs
    may hold all the same, as that of a peer whose address lies in the prefix of its hosts.
    """

    prefixes: tuple[Network, ...] = ()
    learned: bool = True
    allowed: tuple[Network, ...] = ()
