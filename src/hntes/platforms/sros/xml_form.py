"""An SR OS configuration between XML, in which NETCONF carries it, and MD-CLI text.

Sources: RFC 7950, 7.8.5 (the keys of a list's entry come first), RFC 6241, 7.2 (`operation`), MD-CLI User Guide, "Info
format" (an entry is named by its first key; further keys follow with their names).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.sros.list_keys import keys_of
from hntes.platforms.sros.parser.tree import Node, read_tree
from hntes.platforms.sros.transition import DELETE

CONFIGURATION = "urn:nokia.com:sros:ns:yang:sr:conf"
BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
_OPERATION = f"{{{BASE}}}operation"
_INDENT = "    "


@dataclass(frozen=True)
class _Kind:
    """What a word is in the statements that HNTES writes: a list by its keys, a container, or a leaf."""

    keys: tuple[str, ...] = ()
    below: "Mapping[str, _Kind] | None" = None


_LEAF = _Kind()


def _leaves(*names: str) -> dict[str, _Kind]:
    return dict.fromkeys(names, _LEAF)


_ADDRESS = _Kind(below=_leaves("address"))
_ACTION = _Kind(
    below={
        **_leaves("fc", "accept"),
        "forward": _Kind(
            below={
                **_leaves("lsp"),
                "next-hop": _Kind(below={"nh-ip": _Kind(below=_leaves("address", "indirect"))}),
            }
        ),
        "rate-limit": _Kind(below=_leaves("pir", "mbs")),
    }
)
_ENTRY = _Kind(
    ("entry-id",),
    {**_leaves("description"), "match": _Kind(below={"src-ip": _ADDRESS, "dst-ip": _ADDRESS}), "action": _ACTION},
)
_EMBED = _Kind(below={"filter": _Kind(("name", "offset"), _leaves("admin-state"))})
_FILTER = _Kind(("filter-name",), {**_leaves("default-action", "scope"), "embed": _EMBED, "entry": _ENTRY})
_QUEUE = _Kind(
    ("queue-id",),
    {
        **_leaves("mbs"),
        "rate": _Kind(below=_leaves("pir", "cir")),
        "port-parent": _Kind(below=_leaves("level", "weight", "cir-level", "cir-weight")),
    },
)
_PORT = _Kind(
    ("port-id",),
    {
        "ethernet": _Kind(
            below={
                "egress": _Kind(below={"port-scheduler-policy": _Kind(below=_leaves("policy-name"))}),
                "network": _Kind(below={"egress": _Kind(below=_leaves("queue-policy"))}),
            }
        )
    },
)
_INTERFACE = _Kind(
    ("interface-name",), {"ingress": _Kind(below={"filter": _Kind(below=_leaves("ip", "ipv6"))})}
)  # fmt: skip
_OWN: Mapping[str, _Kind] = {
    "filter": _Kind(below={"ip-filter": _FILTER, "ipv6-filter": _FILTER}),
    "port": _PORT,
    "qos": _Kind(
        below={
            "network-queue": _Kind(
                ("network-queue-policy",), {"fc": _Kind(("fc-name",), _leaves("queue")), "queue": _QUEUE}
            ),
            "port-scheduler-policy": _Kind(("name",), _leaves("max-rate")),
        }
    ),
    "router": _Kind(("router-name",), {"interface": _INTERFACE}),
}


def edits_of(commands: str) -> list[str]:
    """The content of the edits that carry out the commands of a transition: what it deletes, then what it sets.

    Raises:
        DeliveryError: a command is none that HNTES writes.
    """
    lines = [line for line in commands.splitlines() if line and not line.startswith("#")]
    deleted = [line.removeprefix(DELETE) for line in lines if line.startswith(DELETE)]
    stated = [line for line in lines if not line.startswith(DELETE)]
    found = []
    for texts, operation in ((deleted, "remove"), (stated, "")):
        if texts:
            top = _top()
            _put(top, read_tree("\n".join(texts)), _OWN, operation)
            found.append(etree.tostring(_config(top), encoding="unicode"))
    return found


def _top() -> etree._Element:
    return etree.Element(f"{{{CONFIGURATION}}}configure", nsmap={None: CONFIGURATION})


def _config(top: etree._Element) -> etree._Element:
    config = etree.Element(f"{{{BASE}}}config", nsmap={None: BASE})
    config.append(top)
    return config


def _put(parent: etree._Element, node: Node, kinds: Mapping[str, _Kind], operation: str) -> None:
    for child in node:
        kind = kinds.get(child.word)
        if kind is None:
            raise DeliveryError(f"`{child.path}` is no statement that HNTES loads")
        if kind.keys:
            for entry in child:
                _put_entry(_element(parent, child.word), entry, kind, operation)
            continue
        element = _element(parent, child.word)
        if kind.below is None and not operation:
            element.text = next((each.word for each in child), None)
        else:
            _within(element, child, kind, operation)


def _put_entry(element: etree._Element, entry: Node, kind: _Kind, operation: str) -> None:
    """An entry by its first key, and the words of further keys below it."""
    first, *others = kind.keys
    _element(element, first).text = entry.word
    for key in others:
        (entry,) = entry.need(key)
        _element(element, key).text = entry.word
    _within(element, entry, kind, operation)


def _within(element: etree._Element, node: Node, kind: _Kind, operation: str) -> None:
    if node.ends and operation:
        element.set(_OPERATION, operation)
    elif kind.below is not None:
        _put(element, node, kind.below, operation)


def _element(parent: etree._Element, name: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{CONFIGURATION}}}{name}")


def text_of(configure: etree._Element) -> str:
    """The MD-CLI text of a `configure` element, as `admin show configuration` writes it; all values are quoted that
    need it."""
    return "".join(f"{line}\n" for line in ("configure {", *_lines(configure, _INDENT), "}"))


def _lines(parent: etree._Element, indent: str) -> Iterator[str]:
    for element in parent:
        if not isinstance(element.tag, str):
            continue
        name, content = etree.QName(element).localname, [each for each in element if isinstance(each.tag, str)]
        if not content:
            value = (element.text or "").strip()
            yield f"{indent}{name} {_quoted(value)}" if value else f"{indent}{name}"
            continue
        keys = keys_of(name, [etree.QName(each).localname for each in content])
        words = [name]
        for index, key in enumerate(content[: len(keys)]):
            value = _quoted((key.text or "").strip())
            words += [value] if index == 0 else [etree.QName(key).localname, value]
        yield f"{indent}{' '.join(words)} {{"
        rest = etree.Element("rest")
        rest.extend(content[len(keys) :])
        yield from _lines(rest, indent + _INDENT)
        yield f"{indent}}}"


def _quoted(value: str) -> str:
    """A value as one word on one line."""
    plain = value.replace("\n", " ")
    if plain and not any(each in ' "{}[]#' for each in plain):
        return plain
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
