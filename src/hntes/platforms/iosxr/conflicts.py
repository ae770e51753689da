"""Conflicts between an IOS-XR router's own statements and those of HNTES."""

from collections.abc import Iterator

from hntes.platforms.cisco.conflicts import NO_REDIRECT, RedirectPlaces, cisco_collisions, found_in
from hntes.platforms.cisco.parser.tree import Section, read_sections
from hntes.platforms.conflict import Collision
from hntes.platforms.iosxr.render import FORWARD_CLASS
from hntes.platforms.iosxr.syntax import SYNTAX
from hntes.rules.qos.model import RouterModel

_PLACES = {
    "next_hop": RedirectPlaces({4: ("ipv4", "access-group"), 6: ("ipv6", "access-group")}),
    "lsp": RedirectPlaces({}, (("service-policy", "type", "pbr", "input"),)),
}


def conflicts(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of an IOS-XR configuration.

    Raises:
        ParseError: the text is not such a configuration.
    """
    root = read_sections(running)
    redirect = model.redirect
    yield from cisco_collisions(
        model, root, NO_REDIRECT if redirect is None else _PLACES[redirect.kind], SYNTAX.default_match
    )
    if redirect is not None and redirect.kind == "lsp" and any(each.all_terms for each in model.filters):
        yield from _tunnels(root, redirect.tunnel)


def _tunnels(root: Section, tunnel: int | None) -> Iterator[Collision]:
    wanted = f"tunnel-te{tunnel}"
    sections = [each for each in root if each.words[0] == "interface" and each.words[-1].startswith("tunnel-te")]
    if not any(each.words[-1] == wanted for each in sections):
        yield Collision(0, f"interface {wanted}", "is missing: nothing could be redirected into it")
    for section in sections:
        for line in section:
            if line.words[0] != "forward-class":
                continue
            is_ours = line.words[1:] == (str(FORWARD_CLASS),)
            if is_ours != (section.words[-1] == wanted):
                yield found_in(line, f"only {wanted} may have forward-class {FORWARD_CLASS} of the redirect")
