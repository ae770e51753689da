"""A NETCONF session with an SR OS router, by ncclient.

Sources: RFC 6241 (sections 7, 8.3, 8.4, 8.7); 7750 SR System Management Guide, "NETCONF": <edit-config> on the
candidate alone, <commit> with confirmed-commit 1.1 and persist, <copy-config> to <startup>, since saving after a commit
is for the operator to configure. A trial has a persist id, so that a later session can confirm or cancel it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from lxml import etree

from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, NotStoredError, RefusedError
from hntes.platforms.dialect import Dialect
from hntes.platforms.netconf.session import NetconfSession, opened_client
from hntes.platforms.sros.counters import FILTER, filter_counters
from hntes.platforms.sros.dialect import DIALECT
from hntes.platforms.sros.messages import SrosMessages
from hntes.platforms.sros.statements import owned
from hntes.platforms.sros.xml_form import CONFIGURATION, edits_of, text_of
from hntes.settings.delivery import Access

PERSIST = "hntes"


class SrosDevice(NetconfSession):
    """One NETCONF session; see `hntes.platforms.device`."""

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        self._ask(lambda: self._client.lock("candidate"))

    def running(self) -> str:
        return self._configuration("running")

    def trial(self) -> str | None:
        """None: no state of SR OS names a commit that awaits its confirmation (nokia-state-system, commit-history)."""
        return None

    def undo_trial(self, remark: str) -> None:  # noqa: ARG002 - a cancelled commit has no comment
        """Cancels the commit with HNTES' persist id, if there is one, and starts from what is committed then."""
        with suppress(_NoTrialError):
            self._ask(lambda: self._client.cancel_commit(persist_id=PERSIST))
        self.discard()

    def inherited(self) -> str:
        """The running configuration: groups are not expanded; the parser refuses those applied to what is judged."""
        return self.running()

    def candidate(self) -> str:
        return self._configuration("candidate")

    def inherited_candidate(self) -> str:
        return self.candidate()

    def load(self, commands: str, *, is_removal: bool) -> str:  # noqa: ARG002 - the commands suffice
        for each in edits_of(commands):
            self._edit(each)
        changes = owned(self.candidate()).changes(owned(self.running()))
        return "\n".join(changes)

    def _edit(self, config: str) -> None:
        self._ask(lambda: self._client.edit_config(target="candidate", config=config))

    def discard(self) -> None:
        self._ask(lambda: self._client.discard_changes())

    def check(self) -> None:
        self._ask(lambda: self._client.validate("candidate"))

    def commit_trial(self, minutes: int, remark: str) -> None:  # noqa: ARG002 - <commit> takes no comment
        self._ask(lambda: self._client.commit(confirmed=True, timeout=str(60 * minutes), persist=PERSIST))

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - <commit> takes no comment
        """Confirms; a trial that the router does not know has ended, and what it left is read again by the caller."""
        with suppress(_NoTrialError):
            self._ask(lambda: self._client.commit(persist_id=PERSIST))

    def save(self) -> None:
        try:
            self._ask(lambda: self._client.copy_config(source="running", target="startup"))
        except RefusedError as refused:
            raise NotStoredError(f"the startup configuration is the earlier one: {refused}") from refused

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:  # noqa: ARG002 - a filter counts all interfaces
        names = {
            (words[2], words[4]): words[6]
            for words in owned(self.running()).statements
            if words[0] == "filter" and len(words) == 7 and words[3] == "entry" and words[5] == "description"
        }
        return filter_counters(self._ask(lambda: self._client.get(filter=("subtree", FILTER))), names)

    def _configuration(self, datastore: str) -> str:
        answer = self._ask(lambda: self._client.get_config(source=datastore))
        configure = next(answer.iter(f"{{{CONFIGURATION}}}configure"), None)
        if configure is None:
            raise DeliveryError(
                f"the router's answer has no configuration of its own modules ({CONFIGURATION}): is it in model-driven "
                "mode (`system management-interface configuration-mode model-driven`)?"
            )
        return text_of(configure)

    def _ask(self, request: Callable[[], Any]) -> etree._Element:
        """The answer, unless the router refuses."""
        read = self._answer(request)
        if errors := list(_errors(read)):
            kind = _NoTrialError if any(tag == _UNKNOWN_ID for tag, _ in errors) else RefusedError
            raise kind(f"the router refused: {'; '.join(said for _, said in errors)}")
        return read


# RFC 6241, 8.4.5.1: a persist id that does not match that of a pending commit is an invalid value.
_UNKNOWN_ID = "invalid-value"


class _NoTrialError(RefusedError):
    """A request with a value that the router does not know."""


@again_if_clock_set
def open_sros(access: Access, timeout_s: int) -> SrosDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: no connection, another host key, or a refused login.
    """
    return SrosDevice(opened_client(access, timeout_s, SrosMessages({"name": "default"})))


def _errors(answer: etree._Element) -> list[tuple[str, str]]:
    """Tag and message of all errors except warnings, at any depth."""
    found = []
    for each in answer.iter("{*}rpc-error"):
        said = {etree.QName(part).localname: (part.text or "").strip() for part in each if isinstance(part.tag, str)}
        if said.get("error-severity") != "warning":
            where = said.get("error-path", "")
            words = [said.get("error-message") or said.get("error-tag", "without a reason"), where and f"at {where}"]
            found.append((said.get("error-tag", ""), " ".join(word for word in words if word)))
    return found
