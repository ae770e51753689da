"""A NETCONF session with a Junos router, by ncclient.

Sources: NETCONF XML Management Protocol Developer Guide, "<load-configuration>", "<commit-configuration>",
"<get-configuration>"; RFC 6241, sections 7.5 and 8.3.5.2 (the end of a lock discards uncommitted changes).

A commit check confirms any commit that awaits its confirmation, so none is requested during a trial.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from lxml import etree

from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, RefusedError
from hntes.platforms.dialect import Dialect
from hntes.platforms.junos.counters import firewall_counters
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.messages import JunosMessages
from hntes.platforms.junos.statements import merged_text, owned
from hntes.platforms.netconf.session import NetconfSession, opened_client
from hntes.settings.delivery import Access

# Junos OS CLI User Guide, "show system commit": `commit confirmed, rollback in 10mins`. Log messages are people's own.
_WAITS = re.compile(r"\bcommit confirmed, rollback in \d+ ?min")


class JunosDevice(NetconfSession):
    """One NETCONF session; see `hntes.platforms.device`."""

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        self._ask(lambda: self._client.lock("candidate"))

    def running(self) -> str:
        return self._configuration('database="committed"')

    def trial(self) -> str | None:
        """None, too, for a router without <get-commit-information>, whose trials are invisible."""
        try:
            known = self._ask(lambda: self._client.rpc("<get-commit-information/>"))
        except RefusedError:
            return None
        newest = _found(known, "commit-history")
        parts = [] if newest is None else [each for each in newest if etree.QName(each).localname != "log"]
        waits = any(_WAITS.search(" ".join("".join(each.itertext()).split())) for each in parts)
        return " ".join("".join(newest.itertext()).split()) if newest is not None and waits else None

    def undo_trial(self, remark: str) -> None:
        """The configuration before a trial is number 1, since any other commit would have confirmed it."""
        self._ask(lambda: self._client.rpc('<load-configuration rollback="1"/>'))
        self._ask(lambda: self._client.commit(comment=remark))

    def inherited(self) -> str:
        return self._inherited("committed")

    def candidate(self) -> str:
        return self._configuration('database="candidate"')

    def inherited_candidate(self) -> str:
        return self._inherited("candidate")

    def load(self, commands: str, *, is_removal: bool) -> str:
        action = "set" if is_removal else "replace"
        reply = self._ask(lambda: self._client.load_configuration(action=action, format="text", config=commands))
        if _found(reply, "load-error-count") is not None:
            raise RefusedError("the router loaded only a part of the transition")
        compared = self._ask(lambda: self._client.compare_configuration())
        return _text(compared, "configuration-output").strip("\n")

    def discard(self) -> None:
        self._ask(lambda: self._client.discard_changes())

    def check(self) -> None:
        self._ask(lambda: self._client.commit(check=True))

    def commit_trial(self, minutes: int, remark: str) -> None:
        self._ask(lambda: self._client.commit(confirmed=True, timeout=60 * minutes, comment=remark))

    def confirm(self, remark: str) -> None:
        """Relies on the answer: in the commit history `rollback in` may stay with an entry permanently."""
        answer = self._ask(lambda: self._client.commit(comment=remark))
        if _found(answer, "commit-success") is None and _found(answer, "ok") is None:
            raise RefusedError("the router did not acknowledge the confirmation")

    def save(self) -> None:
        """Nothing to do: the committed configuration is the startup configuration."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:  # noqa: ARG002 - a filter counts all interfaces
        return firewall_counters(self._ask(lambda: self._client.rpc("<get-firewall-information/>")))

    def _inherited(self, database: str) -> str:
        """If the router does not show inheritance, only the group of HNTES is expanded, here."""
        plain = self._configuration(f'database="{database}"')
        try:
            shown = self._configuration(f'database="{database}" inherit="inherit"')
        except RefusedError:
            return merged_text(plain)
        return merged_text(plain) if shown == plain and owned(plain) != DIALECT.part_of(None) else shown

    def _configuration(self, which: str) -> str:
        request = f'<get-configuration format="text" {which}/>'
        return _text(self._ask(lambda: self._client.rpc(request)), "configuration-text")

    def _ask(self, request: Callable[[], Any]) -> etree._Element:
        """The answer, unless the router refuses."""
        read = self._answer(request)
        if errors := _errors(read):
            raise RefusedError(f"the router refused: {'; '.join(errors)}")
        return read


@again_if_clock_set
def open_junos(access: Access, timeout_s: int) -> JunosDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: no connection, another host key, or a refused login.
    """
    return JunosDevice(opened_client(access, timeout_s, JunosMessages({"name": "junos"})))


def _errors(answer: etree._Element) -> list[str]:
    """All errors except warnings, at any depth.

    ncclient raises only an error that comes first, and none next to an <ok/>: a router may warn of one statement and
    refuse another, or commit on one of two routing engines.

    Sources: RFC 6241, section 4.3; Junos XML Management Protocol Developer Guide, "<commit-configuration>" (an
    <xnm:error>, of which ncclient leaves `error`).
    """
    errors = []
    for each in answer.iter("{*}rpc-error", "{*}error"):
        said = {
            etree.QName(part).localname.removeprefix("error-"): " ".join((part.text or "").split()) for part in each
        }
        if said.get("severity") != "warning":
            errors.append(f"{said.get('path', '')} {said.get('message') or said.get('tag', 'error')}".strip())
    return errors


def _found(answer: etree._Element, name: str) -> etree._Element | None:
    return next((each for each in answer.iter("{*}*") if etree.QName(each).localname == name), None)


def _text(answer: etree._Element, name: str) -> str:
    found = _found(answer, name)
    if found is None:
        raise DeliveryError(f"the router's answer has no <{name}>")
    return found.text or ""
