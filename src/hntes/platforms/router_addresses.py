"""Addresses of interfaces, as routers list them."""

from ipaddress import ip_interface

from hntes.addresses import Address


def reaches(interface: str, hop: Address) -> bool:
    """Whether a next hop is in the network of an interface's address; false without an address.

    Example:
        >>> from ipaddress import ip_address
        >>> reaches("192.0.2.1/30", ip_address("192.0.2.2")), reaches("dhcp", ip_address("192.0.2.2"))
        (True, False)
    """
    try:
        network = ip_interface(interface).network
    except ValueError:
        return False
    return network.version == hop.version and hop in network
