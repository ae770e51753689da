"""NETCONF requests to a Junos router, and its answers, as XML.

Sources: RFC 6241; NETCONF XML Management Protocol Developer Guide, "<load-configuration>", "<commit-configuration>",
"<get-configuration>", "<rpc-error>"; CLI Reference, "show firewall".
Without `rfc-compliant` Junos speaks NETCONF 1.0, and confirmed commits are those
of the capability confirmed-commit:1.0: no <persist>, no <cancel-commit>. `<confirm-timeout>` is in minutes within
<commit-configuration>; within <commit> it is in s, of which routers were seen to take the whole minutes alone, so that
a commit for 5 s was rolled back at once ("rollback in 0mins": ncclient issues 234 and 238).
"""

from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from lxml import etree

from tests.support.devices.junos.checks import CommitProblem
from tests.support.devices.junos.device import CONFIRM_S, DeniedError, JunosRouter, Session
from tests.support.devices.junos.groups import inherited
from tests.support.devices.junos.lists import input_lists
from tests.support.devices.junos.load import LoadProblem
from tests.support.devices.junos.text import write_set, write_text
from tests.support.devices.junos.tree import Node

BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
_NAMES = ("base:1.0", "capability:candidate:1.0", "capability:confirmed-commit:1.0", "capability:validate:1.0")
# Junos names each in RFC 6241's form and in the one of its own first releases.
CAPABILITIES = (
    *(f"urn:ietf:params:netconf:{name}" for name in _NAMES),
    "urn:ietf:params:netconf:capability:url:1.0?scheme=http,ftp,file",
    *(f"urn:ietf:params:xml:ns:netconf:{name}" for name in _NAMES),
    "http://xml.juniper.net/netconf/junos/1.0",
)
_DONE = '<commit-results><routing-engine junos:style="normal"><name>re0</name>{}</routing-engine></commit-results><ok/>'
_ACTIONS = ("merge", "replace", "override", "update", "set")


@dataclass(frozen=True)
class Answer:
    text: str
    closes: bool = False


def _text(request: etree._Element, *path: str) -> str | None:
    """Text of the element at a path of local names, empty for one without text."""
    found: etree._Element | None = request
    for name in path:
        if found is not None:
            found = next((child for child in found if etree.QName(child).localname == name), None)
    return None if found is None else (found.text or "")


def _error(
    message: str, tag: str = "operation-failed", severity: str = "error", path: str = "", element: str = ""
) -> str:
    return (
        f"<rpc-error><error-type>protocol</error-type><error-tag>{tag}</error-tag>"
        f"<error-severity>{severity}</error-severity>"
        + (f"<error-path>{escape(path)}</error-path>" if path else "")
        + f"<error-message>{escape(message)}</error-message>"
        + (f"<error-info><bad-element>{escape(element)}</bad-element></error-info>" if element else "")
        + "</rpc-error>"
    )


class NetconfSession:
    """One NETCONF session of a user with a router."""

    def __init__(self, router: JunosRouter, user: str) -> None:
        self._router = router
        self._session = router.open(user)

    @property
    def session(self) -> Session:
        return self._session

    def hello(self) -> str:
        listed = "".join(f"<capability>{escape(name)}</capability>" for name in CAPABILITIES)
        return (
            f'<hello xmlns="{BASE}"><capabilities>{listed}</capabilities>'
            f"<session-id>{self._session.number}</session-id></hello>"
        )

    def end(self) -> None:
        self._router.close(self._session)

    def refuse(self, request: str, message: str) -> Answer:
        return self._reply(request, _error(message))

    def answer(self, request: str) -> Answer:
        """One request; the client's <hello> has none. A request that is not XML ends the session (RFC 6242, 4.1)."""
        try:
            rpc = etree.fromstring(request.encode())
        except etree.XMLSyntaxError:
            return Answer("", closes=True)
        if etree.QName(rpc).localname == "hello":
            return Answer("")
        if not len(rpc):
            return self._reply(request, _error("missing operation", "missing-element"))
        operation = etree.QName(rpc[0]).localname
        if operation == "close-session":
            return Answer(self._reply(request, "<ok/>").text, closes=True)
        handler = _HANDLERS.get(operation)
        if handler is None:
            return self._reply(request, _error("syntax error", "operation-not-supported", element=operation))
        try:
            return self._reply(request, handler(self, rpc[0]))
        except DeniedError as denied:
            return self._reply(request, _denial(denied))

    def _reply(self, request: str, body: str) -> Answer:
        message_id = etree.fromstring(request.encode()).get("message-id")
        attribute = f' message-id="{escape(message_id)}"' if message_id else ""
        junos = 'xmlns:junos="http://xml.juniper.net/junos/22.1R1/junos"'
        return Answer(f'<rpc-reply xmlns="{BASE}" {junos}{attribute}>{body}</rpc-reply>')

    def _lock(self, _: etree._Element) -> str:
        self._router.lock(self._session)
        return "<ok/>"

    def _unlock(self, _: etree._Element) -> str:
        self._router.unlock(self._session)
        return "<ok/>"

    def _open(self, request: etree._Element) -> str:
        if _text(request, "private") is None:
            return _error("only a private copy can be opened", "operation-not-supported")
        self._router.open_private(self._session)
        return _error("uncommitted changes will be discarded on exit", severity="warning") + "<ok/>"

    def _close_private(self, _: etree._Element) -> str:
        self._router.close_private(self._session)
        return "<ok/>"

    def _load(self, request: etree._Element) -> str:
        if (number := request.get("rollback")) is not None:
            self._router.rollback(self._session, int(number))
            return "<load-configuration-results><ok/></load-configuration-results>"
        action = request.get("action", "merge")
        text = _text(request, "configuration-set" if action == "set" else "configuration-text")
        if text is None or action not in _ACTIONS:
            return _error("only text and set commands can be loaded", "operation-not-supported")
        problems = self._router.load(self._session, text, action)
        return f"<load-configuration-results>{_load_results(problems)}</load-configuration-results>"

    def _edit(self, request: etree._Element) -> str:
        text = _text(request, "config-text", "configuration-text")
        if text is None:
            return _error("only config-text can be edited", "operation-not-supported")
        default = _text(request, "default-operation") or "merge"
        problems = self._router.load(self._session, text, "override" if default == "replace" else "merge")
        errors = [problem for problem in problems if problem.severity == "error"]
        return "".join(_load_error(problem) for problem in errors) or "<ok/>"

    def _rollback_or_discard(self, _: etree._Element) -> str:
        self._router.rollback(self._session, 0)
        return "<ok/>"

    def _get(self, request: etree._Element) -> str:
        form = request.get("format", "xml")
        if request.get("compare") == "rollback":
            changed = self._router.compared(self._session, int(request.get("rollback", "0")))
            return (
                "<configuration-information><configuration-output>"
                f"{escape(changed) or chr(10)}</configuration-output></configuration-information>"
            )
        root = self._router.shown(self._session)
        if request.get("database") == "committed":
            root = self._router.active
        if request.get("inherit") is not None and self._router.shows_inheritance:
            root = inherited(root)
        return _shown(root, form)

    def _history(self, _: etree._Element) -> str:
        """`show system commit`; the newest commit says whether it waits for its confirmation."""
        entries = []
        for number, commit in enumerate(self._router.history()):
            waits = self._router.pending is not None and number == 0
            waiting = f"commit confirmed, rollback in {self._router.confirm_minutes()}mins" if waits else ""
            entries.append(
                f"<commit-history><sequence-number>{number}</sequence-number><user>{escape(commit.user)}</user>"
                f"<client>{commit.client}</client>"
                + (f"<comment>{escape(waiting)}</comment>" if waiting else "")
                + (f"<log>{escape(commit.log)}</log>" if commit.log else "")
                + "</commit-history>"
            )
        return f"<commit-information>{''.join(entries)}</commit-information>"

    def _firewall(self, _: etree._Element) -> str:
        """`show firewall`: the filters of all families with the counters that their terms name."""
        root = inherited(self._router.active)
        shown = []
        for family in (root.get("firewall") or Node()).named("family"):
            counting = {each.words[1]: _counting(each) for each in family.named("filter")}
            lists = input_lists(root, family.words[1])
            listed = {name for names in lists.values() for name in names}
            filters = [(name, names, "") for name, names in counting.items() if name not in listed]
            filters += [
                (f"{interface}-i", [each for name in names for each in counting.get(name, ())], f"-{interface}-i")
                for interface, names in lists.items()
            ]
            for filter_name, names, suffix in filters:
                counted = ((name + suffix, *self._router.counted.get(name + suffix, (0, 0))) for name in names)
                counters = "".join(_counter(*each) for each in counted)
                named = f"<filter-name>{escape(filter_name)}</filter-name>"
                shown.append(f"<filter-information>{named}{counters}</filter-information>")
        namespace = "http://xml.juniper.net/junos/22.1R1/junos-filter"
        return f'<firewall-information xmlns="{namespace}">{"".join(shown)}</firewall-information>'

    def _commit_configuration(self, request: etree._Element) -> str:
        if _text(request, "check") is not None:
            self._router.check(self._session)
            return _DONE.format("<commit-check-success/>")
        confirm_s = None
        if _text(request, "confirmed") is not None:
            minutes = _text(request, "confirm-timeout")
            confirm_s = CONFIRM_S if minutes is None else 60.0 * _number(minutes, 65535)
        self._router.commit(self._session, _text(request, "log") or "", confirm_s)
        return _DONE.format("<commit-success/>")

    def _commit(self, request: etree._Element) -> str:
        confirm_s = None
        if _text(request, "confirmed") is not None:
            seconds = _number(_text(request, "confirm-timeout") or str(int(CONFIRM_S)), 4294967295)
            confirm_s = 60.0 * (seconds // 60)
        self._router.commit(self._session, "", confirm_s)
        return "<ok/>"

    def _validate(self, _: etree._Element) -> str:
        self._router.check(self._session)
        return "<ok/>"


def _counting(each: Node) -> list[str]:
    """The counters that a filter's terms name."""
    return [name for term in each.named("term") if (name := term.leaf("then", "count"))]


def _counter(name: str, packets: int, byte_count: int) -> str:
    counts = f"<packet-count>{packets}</packet-count><byte-count>{byte_count}</byte-count>"
    return f"<counter><counter-name>{escape(name)}</counter-name>{counts}</counter>"


def _number(text: str, largest: int) -> int:
    if not text.strip().isdigit() or not 1 <= int(text) <= largest:
        raise DeniedError(f"confirm-timeout must be from 1 to {largest}", "invalid-value")
    return int(text)


def _shown(root: Node, form: str) -> str:
    if form == "text":
        return f"<configuration-text>{escape(chr(10).join(['', *write_text(root), '']))}</configuration-text>"
    if form == "set":
        return f"<configuration-set>{escape(chr(10).join(['', *write_set(root), '']))}</configuration-set>"
    return _error("this router shows text and set commands only", "operation-not-supported")


def _load_results(problems: list[LoadProblem]) -> str:
    errors = sum(problem.severity == "error" for problem in problems)
    shown = "".join(_load_error(problem) for problem in problems)
    return shown + (f"<load-error-count>{errors}</load-error-count>" if errors else "<ok/>")


def _load_error(problem: LoadProblem) -> str:
    message = f"line {problem.line}: {problem.message}"
    return _error(message, severity=problem.severity, element=problem.element)


def _denial(denied: DeniedError) -> str:
    if not denied.problems:
        return _error(str(denied), denied.tag)
    return "".join(map(_commit_error, denied.problems)) + _error(str(denied), denied.tag)


def _commit_error(problem: CommitProblem) -> str:
    return _error(problem.message, path=problem.path, element=problem.element)


_HANDLERS: dict[str, Callable[[NetconfSession, etree._Element], str]] = {
    "lock": NetconfSession._lock,
    "lock-configuration": NetconfSession._lock,
    "unlock": NetconfSession._unlock,
    "unlock-configuration": NetconfSession._unlock,
    "open-configuration": NetconfSession._open,
    "close-configuration": NetconfSession._close_private,
    "load-configuration": NetconfSession._load,
    "edit-config": NetconfSession._edit,
    "discard-changes": NetconfSession._rollback_or_discard,
    "get-configuration": NetconfSession._get,
    "get-commit-information": NetconfSession._history,
    "get-firewall-information": NetconfSession._firewall,
    "commit-configuration": NetconfSession._commit_configuration,
    "commit": NetconfSession._commit,
    "validate": NetconfSession._validate,
}
