"""Junos redirections: routing instances of type forwarding, and CoS-based forwarding over an LSP.

Sources: Juniper's pages on filter-based forwarding (rib groups bring the interfaces' routes into the instance) and on
CoS-based forwarding (next-hop-map, cos-next-hop-map, forwarding-table export).
"""

from hntes.addresses import Address, Network
from hntes.platforms.effective import ANY_CLASS, ClassPath, Lsp, NextHop, Path
from hntes.platforms.junos.parser.tree import Node, below
from hntes.platforms.values import address, network, number

STATIC_PREFERENCE = 5
_EVERYTHING = {4: "0.0.0.0/0", 6: "::/0"}
_INET = {4: "inet", 6: "inet6"}
# Statements of the forwarding table that do not depend on classes.
_TABLE = (
    *("unicast-reverse-path", "ecmp-fast-reroute", "indirect-next-hop", "no-indirect-next-hop", "load-balance"),
    *("chained-composite-next-hop", "dynamic-list-next-hop", "krt-nexthop-ack-timeout", "remnant-holdtime"),
)
# Export policy actions that select among next hops, but neither end the policy nor change the kind of path.
_BALANCING = ("per-packet", "per-flow", "per-prefix", "consistent-hash", "random")


class PathReader:
    """Reader of the redirections of one text."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self.used: list[Node] = []

    def path(self, name: Node, version: int) -> Path:
        """The path of packets of a family that a filter sends to a routing instance."""
        instance = self.root.child("routing-instances", name.word)
        if instance is None:
            raise name.refused(f"routing-instance {name.word} is not in the text")
        if instance.child("instance-type", "forwarding") is None:
            raise name.refused(f"routing-instance {name.word} (line {instance.line}) is not of type forwarding")
        instance.only("instance-type", "routing-options", "description")
        instance.need("instance-type").leaf()
        self._use(instance)
        path = self._next_hop(instance, version)
        if path is None:
            raise name.refused(f"routing-instance {name.word} has no IPv{version} route: packets would be lost")
        return path

    def check_instance(self, instance: Node) -> None:
        """Reads all routes of a routing instance, including those of a family that no filter sends there.

        Raises:
            ParseError: the instance cannot be parsed.
        """
        name = Node(instance.word, instance.line, instance.path)
        routes = instance.child("routing-options")
        versions = [version for version in _INET if routes is not None and self._next_hop(instance, version)]
        for version in versions:
            self.path(name, version)
        if not versions:
            raise instance.refused("has no route with a next hop")

    def _use(self, node: Node) -> None:
        if node not in self.used:
            self.used.append(node)

    def _next_hop(self, instance: Node, version: int) -> NextHop | None:
        options = instance.child("routing-options")
        if options is None:
            return None
        options.only("static", "rib")
        table = f"{instance.word}.{_INET[version]}.0"
        for rib in options.child("rib") or ():
            if rib.word not in (f"{instance.word}.inet.0", f"{instance.word}.inet6.0"):
                raise rib.refused(f"is not a table of the instance {instance.word}")
            rib.only("static")
        places = [options.child("rib", table, "static"), options.child("static") if version == 4 else None]
        routes = [route for place in places if place is not None for route in _routes(place)]
        if len(routes) > 1:
            raise routes[1].refused("is a second route: ambiguous")
        if not routes:
            return None
        route = routes[0]
        if route.word != _EVERYTHING[version]:
            raise route.refused(f"only a route for {_EVERYTHING[version]} covers all redirected packets")
        route.only("next-hop", "qualified-next-hop")
        hop = route.need("next-hop").leaf()
        found = address(hop.word, version, hop.line, hop.path)
        return NextHop(found, self._resolves(table, version), _fallback(route, version))

    def _resolves(self, table: str, version: int) -> bool:
        """Whether the interface routes are imported into the instance's table, so that it can resolve its next hop."""
        groups = self.root.child("routing-options", "interface-routes", "rib-group")
        if groups is None:
            return False
        self.root.need("routing-options").need("interface-routes").only("rib-group", "family")
        groups.only(*_INET.values())
        named = groups.child(_INET[version])
        if named is None:
            return False
        name = named.leaf()
        group = self.root.child("routing-options", "rib-groups", name.word)
        if group is None:
            raise name.refused(f"rib-group {name.word} is not in the text")
        self._use(group)
        group.only("import-rib")
        stated = group.need("import-rib")
        tables = stated.words()
        if tables == (f"{_INET[version]}.0", table):
            # The interface routes would also be imported into further tables, for an unknown purpose.
            for each in stated:
                each.take()
        return tables[:1] == (f"{_INET[version]}.0",) and table in tables[1:]

    def class_paths(self, classes: dict[str, int]) -> tuple[ClassPath, ...]:
        """The path of each class in the exported next-hop map (CoS-based forwarding)."""
        policies = self.root.child("class-of-service", "forwarding-policy")
        if policies is None:
            # Without a map no export policy can choose paths by class.
            return ()
        # `class` there would override the class of packets by route.
        policies.only("next-hop-map")
        exported = self._exported_map()
        if exported is None:
            return ()
        name, routes = exported
        body = self.root.child("class-of-service", "forwarding-policy", "next-hop-map", name.word)
        if body is None:
            raise name.refused(f"next-hop-map {name.word} is not in the text")
        self._use(body)
        body.only("forwarding-class", ANY_CLASS)
        found = []
        for each in body.child("forwarding-class") or ():
            if each.word not in classes:
                raise each.refused(f"forwarding class {each.word} has no queue in the text")
            found.append(_class_path(each, routes))
        default = body.child(ANY_CLASS)
        if default is not None:
            found.append(_class_path(default, routes))
        return tuple(sorted(found, key=lambda one: one.forwarding_class))

    def _exported_map(self) -> tuple[Node, tuple[Network, ...]] | None:
        """The map of the first export policy that sets one, and the routes of that policy."""
        table = self.root.child("routing-options", "forwarding-table")
        if table is None:
            return None
        table.only("export", *_TABLE)
        export = table.child("export") or ()
        for listed in export:
            for word in listed.items or (listed.word,):
                policy = self.root.child("policy-options", "policy-statement", word)
                if policy is None:
                    raise listed.refused(f"policy-statement {word} is not in the text")
                found = self._map_of(policy)
                if found is not None:
                    if len(listed.items) < 2:
                        listed.take()
                    return found
        return None

    def _map_of(self, policy: Node) -> tuple[Node, tuple[Network, ...]] | None:
        words = {each.word for each in below(policy)}
        if "cos-next-hop-map" not in words:
            if words & {"accept", "reject", "next", "default-action", "apply-groups"}:
                raise policy.refused("may end the export before a later policy: not understood")
            return None
        policy.only("then", "term")
        self._use(policy)
        if policy.child("term") is None:
            return _map(policy.need("then")), ()
        if policy.child("then") is not None:
            raise policy.need("then").refused("next to terms: not understood")
        routes: list[Network] = []
        maps = []
        for term in policy.need("term"):
            term.only("from", "then")
            routes += _route_filters(term.need("from"))
            maps.append(_map(term.need("then")))
        for each in maps[1:]:
            if each.word != maps[0].word:
                raise each.refused(f"another map is in line {maps[0].line}: not understood")
        return maps[0], tuple(sorted(routes, key=lambda one: (one.version, int(one.network_address), one.prefixlen)))


def _fallback(route: Node, version: int) -> Address | None:
    """The fallback if the next hop is down: a qualified-next-hop with a preference above the 5 of a static route."""
    stated = route.child("qualified-next-hop")
    if stated is None:
        return None
    hop = stated.value()
    hop.only("preference")
    preference = hop.need("preference").leaf()
    number(preference.word, STATIC_PREFERENCE + 1, 4_294_967_295, preference.line, preference.path, "preference")
    return address(hop.word, version, hop.line, hop.path)


def _class_path(each: Node, routes: tuple[Network, ...]) -> ClassPath:
    """Juniper, CoS-based forwarding for different traffic types: the LSP while it is usable, then the others."""
    each.only("lsp-next-hop", "non-lsp-next-hop")
    lsp, others = each.child("lsp-next-hop"), each.child("non-lsp-next-hop")
    if others is not None:
        others.end()
        others.take()
    if lsp is None:
        each.need("non-lsp-next-hop")
        return ClassPath(each.word, None, routes=routes)
    return ClassPath(each.word, Lsp(lsp.leaf().word), others is not None, routes)


def _map(then: Node) -> Node:
    then.only("cos-next-hop-map", "load-balance", "accept")
    for each in then.child("load-balance") or ():
        if each.word not in _BALANCING:
            raise each.refused("is not understood next to a next-hop map")
    return then.need("cos-next-hop-map").leaf()


def _route_filters(matches: Node) -> list[Network]:
    matches.only("route-filter")
    found = []
    for each in matches.need("route-filter"):
        how = each.leaf()
        if how.word != "orlonger":
            raise how.refused("only `route-filter PREFIX orlonger` is understood")
        found.append(network(each.word, 6 if ":" in each.word else 4, each.line, each.path))
    return found


def _routes(static: Node) -> list[Node]:
    static.only("route")
    return list(static.child("route") or ())
