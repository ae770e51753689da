"""A Junos router, asked by NETCONF through ncclient.

Sources: NETCONF XML Management Protocol Developer Guide, "<load-configuration>", "<commit-configuration>",
"<get-configuration>"; RFC 6241, sections 7.5 and 8.3.5.2 (a lock that ends takes what was not committed with it).

A commit check confirms a commit that waits for its confirmation, whoever made it: none is asked for during a trial.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from lxml import etree
from ncclient import manager
from ncclient.operations import RaiseMode
from ncclient.transport.errors import AuthenticationError, SSHUnknownHostError

from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, RefusedError, UnclearError, UnreachableError
from hntes.platforms.dialect import Dialect
from hntes.platforms.junos.counters import firewall_counters
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.messages import LARGEST_BYTES, JunosMessages
from hntes.platforms.junos.statements import merged_text, owned
from hntes.platforms.password import PASSWORD_VARIABLE
from hntes.settings.delivery import Access

# Junos OS CLI User Guide, "show system commit": `commit confirmed, rollback in 10mins`
_WAITS = "rollback in"


class JunosDevice:
    """One NETCONF session; see `hntes.platforms.device`."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._is_lost = False

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        self._ask(lambda: self._client.lock("candidate"))

    def running(self) -> str:
        return self._configuration('database="committed"')

    def trial(self) -> str | None:
        """A router without <get-commit-information> names none; then nobody's trial is seen."""
        try:
            known = self._ask(lambda: self._client.rpc("<get-commit-information/>"))
        except RefusedError:
            return None
        newest = _found(known, "commit-history")
        said = " ".join("".join(newest.itertext()).split()) if newest is not None else ""
        return said if _WAITS in said else None

    def inherited(self) -> str:
        """Where the router does not show what is inherited, HNTES' group alone is put in its place here."""
        running = self.running()
        try:
            shown = self._configuration('database="committed" inherit="inherit"')
        except RefusedError:
            return merged_text(running)
        return merged_text(running) if shown == running and owned(running) != DIALECT.part_of(None) else shown

    def candidate(self) -> str:
        return self._configuration('database="candidate"')

    def load(self, commands: str, *, is_removal: bool) -> str:
        action = "set" if is_removal else "replace"
        reply = self._ask(lambda: self._client.load_configuration(action=action, format="text", config=commands))
        if _found(reply, "load-error-count") is not None:
            raise RefusedError("the router took a part of the transition only")
        compared = self._ask(lambda: self._client.compare_configuration())
        return _text(compared, "configuration-output").strip("\n")

    def discard(self) -> None:
        self._ask(lambda: self._client.discard_changes())

    def check(self) -> None:
        self._ask(lambda: self._client.commit(check=True))

    def commit_trial(self, minutes: int, remark: str) -> None:
        self._ask(lambda: self._client.commit(confirmed=True, timeout=60 * minutes, comment=remark))

    def confirm(self, remark: str) -> None:
        """The history would not say whether it did: `rollback in` may stay with an entry for good."""
        answer = self._ask(lambda: self._client.commit(comment=remark))
        if _found(answer, "commit-success") is None and _found(answer, "ok") is None:
            raise RefusedError("the router did not say that it confirmed")

    def save(self) -> None:
        """What is committed is what the router starts with."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:  # noqa: ARG002 - a filter counts over all
        return firewall_counters(self._ask(lambda: self._client.rpc("<get-firewall-information/>")))

    def close(self) -> None:
        """The router ends the session, and its lock, also when its connection ends without a word.

        After an answer that did not come it is ended so: the one to the last word would be waited for as long again.
        """
        if not self._is_lost:
            with suppress(Exception):  # whatever a dying session says, the connection ends below
                self._client.close_session()
        self._client._session.close()

    def _configuration(self, which: str) -> str:
        request = f'<get-configuration format="text" {which}/>'
        return _text(self._ask(lambda: self._client.rpc(request)), "configuration-text")

    def _ask(self, request: Callable[[], Any]) -> etree._Element:
        """The answer as XML."""
        try:
            answer = str(request())
            read = etree.fromstring(answer.encode(), _parser()) if len(answer) <= LARGEST_BYTES else None
        except Exception as cause:  # ncclient raises errors of its own, of paramiko, lxml and the socket
            self._is_lost = True
            raise UnclearError(f"no answer that can be read ({type(cause).__name__}: {cause})") from cause
        if read is None:
            raise UnclearError(f"the router's answer has {len(answer)} characters; at most {LARGEST_BYTES} are read")
        if errors := _errors(read):
            raise RefusedError(f"the router refused: {'; '.join(errors)}")
        return read


@again_if_clock_set
def open_junos(access: Access, timeout_s: int) -> JunosDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: no connection, another host key, or the login is refused.
    """
    where = f"{access.address} port {access.port}"
    try:
        client = manager.connect(
            host=access.address, port=access.port, username=access.user, password=os.environ.get(PASSWORD_VARIABLE),
            timeout=timeout_s, hostkey_verify=True, hostkey_b64=access.host_key.split()[1],
            device_params={"name": "junos", "handler": JunosMessages}, errors_params={"raise_mode": RaiseMode.NONE},
        )  # fmt: skip
    except SSHUnknownHostError as cause:
        raise UnreachableError(
            f"{where}: shows another host key than the settings' `host_key`: another machine may answer in its place"
        ) from cause
    except AuthenticationError as cause:
        raise UnreachableError(
            f"{where}: refuses {access.user}; is its key in the agent, or {PASSWORD_VARIABLE} set?"
        ) from cause
    except Exception as cause:
        raise UnreachableError(f"{where}: no session ({type(cause).__name__}: {cause})") from cause
    client.huge_tree = True
    return JunosDevice(client)


def _parser() -> etree.XMLParser:
    """Drops comments: lxml does not count the text after one as its element's text."""
    return etree.XMLParser(resolve_entities=False, huge_tree=True, remove_comments=True, remove_pis=True)


def _errors(answer: etree._Element) -> list[str]:
    """All errors but warnings, wherever they stand. ncclient would raise an error only if it is the first of several,
    and none beside an <ok/>: a router may warn of one statement and refuse another, or commit on one of two engines.

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
