"""Interface statements that refer to objects of HNTES, one of each kind; the operator's are never touched."""

from hntes.platforms.cisco.blocks import Blocks


def heads(old: Blocks, new: Blocks) -> list[str]:
    """The interfaces of both texts: those of the new one first, in its order."""
    found = [each.head for each in new.of("interface")]
    return found + [each.head for each in old.of("interface") if each.head not in new]


def by_slot(blocks: Blocks, head: str) -> dict[str, str]:
    """The statements of an interface by the words before the referenced name.

    Example:
        >>> from hntes.platforms.cisco.blocks import read_blocks
        >>> by_slot(read_blocks("interface Gi1\\n ipv4 access-group hntes-alpha-v4-abf ingress\\n"), "interface Gi1")
        {'ipv4 access-group': ' ipv4 access-group hntes-alpha-v4-abf ingress'}
    """
    found = {}
    for line in blocks.get(head).lines:
        words = line.split()
        end = -2 if words[-1] == "ingress" else -1
        found[" ".join(words[:end])] = line
    return found
