"""NETCONF requests to an SR OS router, and its answers, as XML.

Sources: RFC 6241; System Management Guide, "NETCONF", table "Protocol operations and level of support".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from tests.support.devices.sros.datastore import Data, NotTakenError, place, pruned
from tests.support.devices.sros.device import CONFIRM_S, DeniedError, SrosRouter
from tests.support.devices.sros.schema import SCHEMA

BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
CONF = "urn:nokia.com:sros:ns:yang:sr:conf"
STATE = "urn:nokia.com:sros:ns:yang:sr:state"
CAPABILITIES = (
    "urn:ietf:params:netconf:base:1.0",
    "urn:ietf:params:netconf:base:1.1",
    "urn:ietf:params:netconf:capability:candidate:1.0",
    "urn:ietf:params:netconf:capability:confirmed-commit:1.1",
    "urn:ietf:params:netconf:capability:rollback-on-error:1.0",
    "urn:ietf:params:netconf:capability:startup:1.0",
    "urn:ietf:params:netconf:capability:validate:1.0",
    "urn:ietf:params:netconf:capability:validate:1.1",
    "urn:ietf:params:netconf:capability:with-defaults:1.0?basic-mode=explicit&also-supported=report-all",
)


@dataclass(frozen=True)
class Answer:
    text: str
    closes: bool = False


class SrosSession:
    """One NETCONF session of a user with a router."""

    def __init__(self, router: SrosRouter, user: str) -> None:
        self._router = router
        self._session = router.open(user)

    def hello(self) -> str:
        listed = "".join(f"<capability>{escape(name)}</capability>" for name in CAPABILITIES)
        number = self._session.number
        return f'<hello xmlns="{BASE}"><capabilities>{listed}</capabilities><session-id>{number}</session-id></hello>'

    def end(self) -> None:
        self._router.close(self._session)

    def refuse(self, request: str, message: str) -> Answer:
        return self._reply(request, _error(message, "operation-failed"))

    def answer(self, request: str) -> Answer:
        try:
            rpc = etree.fromstring(request.encode())
        except etree.XMLSyntaxError:
            return Answer("", closes=True)
        if etree.QName(rpc).localname == "hello":
            return Answer("")
        operation = etree.QName(rpc[0]).localname
        if operation == "close-session":
            return Answer(self._reply(request, "<ok/>").text, closes=True)
        handler = _HANDLERS.get(operation)
        if handler is None:
            return self._reply(request, _error(f"{operation} is not supported", "operation-not-supported"))
        try:
            return self._reply(request, handler(self, rpc[0]))
        except (DeniedError, NotTakenError) as denied:
            return self._reply(request, _error(str(denied), denied.tag))

    def _reply(self, request: str, body: str) -> Answer:
        number = etree.fromstring(request.encode()).get("message-id", "")
        return Answer(f'<rpc-reply xmlns="{BASE}" message-id="{escape(number)}">{body}</rpc-reply>')

    def _lock(self, request: etree._Element) -> str:
        _require(_child(request, "target", "candidate") is not None, "the candidate alone is locked here")
        self._router.lock(self._session)
        return "<ok/>"

    def _unlock(self, _: etree._Element) -> str:
        self._router.unlock(self._session)
        return "<ok/>"

    def _get_config(self, request: etree._Element) -> str:
        self._router.settle()
        is_candidate = _child(request, "source", "candidate") is not None
        _require(is_candidate or _child(request, "source", "running") is not None, "no such source")
        data = pruned(self._router.candidate) if is_candidate else self._router.running
        return f'<data><configure xmlns="{CONF}">{_xml(data, SCHEMA)}</configure></data>'

    def _edit(self, request: etree._Element) -> str:
        _require(_child(request, "target", "candidate") is not None, "the candidate alone is edited")
        data = self._router.edited(self._session)
        configure = _child(request, "config", "configure")
        _require(configure is not None and etree.QName(configure).namespace == CONF, "no configuration of SR OS")
        before = pruned(data)
        try:
            _merge(data, SCHEMA, configure)
        except NotTakenError:
            # rollback-on-error
            self._router.candidate = before
            raise
        return "<ok/>"

    def _discard(self, _: etree._Element) -> str:
        self._router.discard(self._session)
        return "<ok/>"

    def _validate(self, _: etree._Element) -> str:
        self._router.validate()
        return "<ok/>"

    def _commit(self, request: etree._Element) -> str:
        confirm_s = None
        if _child(request, "confirmed") is not None:
            confirm_s = float(_said(request, "confirm-timeout") or CONFIRM_S)
        self._router.commit(self._session, confirm_s, _said(request, "persist"), _said(request, "persist-id"))
        return "<ok/>"

    def _cancel(self, request: etree._Element) -> str:
        self._router.cancel(self._session, _said(request, "persist-id"))
        return "<ok/>"

    def _copy(self, request: etree._Element) -> str:
        is_save = _child(request, "target", "startup") is not None and _child(request, "source", "running") is not None
        _require(is_save, "only running is copied to startup here")
        self._router.save()
        return "<ok/>"

    def _get(self, _: etree._Element) -> str:
        """The statistics of each entry of each filter."""
        shown = []
        for kind, filters in self._router.running.get("filter", {}).items():
            for name, each in filters.items():
                entries = "".join(
                    f"<entry><entry-id>{number}</entry-id>{self._statistics(name[0], number)}</entry>"
                    for (number,) in each.get("entry", {})
                )
                shown.append(f"<{kind}><filter-name>{escape(name[0])}</filter-name>{entries}</{kind}>")
        return f'<data><state xmlns="{STATE}"><filter>{"".join(shown)}</filter></state></data>'

    def _statistics(self, name: str, number: str) -> str:
        packets, octets = self._router.counted.get((name, number), (0, 0))
        hits = f"<ingress-hit-pkt>{packets}</ingress-hit-pkt><ingress-hit-byte>{octets}</ingress-hit-byte>"
        return f"<statistics>{hits}<egress-hit-pkt>0</egress-hit-pkt></statistics>"


_HANDLERS: dict[str, Callable[[SrosSession, etree._Element], str]] = {
    "lock": SrosSession._lock,
    "unlock": SrosSession._unlock,
    "get-config": SrosSession._get_config,
    "edit-config": SrosSession._edit,
    "discard-changes": SrosSession._discard,
    "validate": SrosSession._validate,
    "commit": SrosSession._commit,
    "cancel-commit": SrosSession._cancel,
    "copy-config": SrosSession._copy,
    "get": SrosSession._get,
}


def _merge(data: Data, schema: dict[str, Any], parent: etree._Element) -> None:
    """Applies the elements below `parent` to a container."""
    for element in parent:
        name = etree.QName(element).localname
        if name not in schema:
            raise NotTakenError(f"{name} is unknown below {etree.QName(parent).localname}")
        below = schema[name]
        operation = element.get(f"{{{BASE}}}operation", "merge")
        words = [name]
        skipped = 0
        if isinstance(below, dict) and "@keys" in below:
            keys = [(etree.QName(each).localname, (each.text or "").strip()) for each in element[: len(below["@keys"])]]
            if [key for key, _ in keys] != list(below["@keys"]):
                raise NotTakenError(f"{name}: its keys {below['@keys']} do not come first", "missing-element")
            words += [keys[0][1], *(word for pair in keys[1:] for word in pair)]
            skipped = len(keys)
        if operation == "remove":
            holder, key, _ = place(data, schema, words, is_made=False)
            holder.pop(key, None)
        elif operation != "merge":
            raise NotTakenError(f"operation {operation} is not emulated", "operation-not-supported")
        elif isinstance(below, str):
            place(data, schema, [name, *([element.text.strip()] if (element.text or "").strip() else [])])
        else:
            holder, key, _ = place(data, schema, words)
            rest = etree.Element(element.tag)
            rest.extend(list(element)[skipped:])
            _merge(holder[key], below, rest)


def _xml(data: Data, schema: dict[str, Any]) -> str:
    found = []
    for name, value in data.items():
        below = schema[name]
        if isinstance(below, str):
            found.append(f"<{name}>{escape(value)}</{name}>" if value else f"<{name}/>")
        elif "@keys" in below:
            for key, each in value.items():
                named = "".join(f"<{one}>{escape(word)}</{one}>" for one, word in zip(below["@keys"], key, strict=True))
                found.append(f"<{name}>{named}{_xml(each, below)}</{name}>")
        else:
            found.append(f"<{name}>{_xml(value, below)}</{name}>")
    return "".join(found)


def _child(element: etree._Element, *path: str) -> etree._Element | None:
    found: etree._Element | None = element
    for name in path:
        if found is not None:
            found = next((each for each in found if etree.QName(each).localname == name), None)
    return found


def _said(element: etree._Element, name: str) -> str | None:
    found = _child(element, name)
    return None if found is None else (found.text or "").strip()


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise DeniedError(message, "operation-not-supported")


def _error(message: str, tag: str) -> str:
    return (
        f"<rpc-error><error-type>application</error-type><error-tag>{tag}</error-tag>"
        f"<error-severity>error</error-severity><error-message>{escape(message)}</error-message></rpc-error>"
    )
