"""Whether a Junos router says that a commit awaits its confirmation."""

from typing import Any

import pytest

from hntes.platforms.junos.session import JunosDevice

HISTORY = (
    "<rpc-reply><commit-information><commit-history><sequence-number>0</sequence-number><user>alice</user>"
    "<client>cli</client><date-time>2026-11-30 10:00:00 UTC</date-time>{}</commit-history>"
    "<commit-history><sequence-number>1</sequence-number><comment>commit confirmed, rollback in 5mins</comment>"
    "</commit-history></commit-information></rpc-reply>"
)


class Client:
    def __init__(self, newest: str) -> None:
        self._newest = newest

    def rpc(self, _: str) -> str:
        return HISTORY.format(self._newest)


def trial(newest: str) -> str | None:
    client: Any = Client(newest)
    return JunosDevice(client).trial()


@pytest.mark.parametrize("said", ["rollback in 10mins", "rollback in 1min", "rollback in 600 mins"])
def test_the_newest_commit_waits(said: str) -> None:
    found = trial(f"<comment>commit confirmed, {said}</comment><log>hntes 0badcafe</log>")
    assert found is not None
    assert said in found
    assert "hntes 0badcafe" in found


@pytest.mark.parametrize(
    "newest",
    [
        "",
        "<log>rollback interface xe-0/0/3 description</log>",
        "<log>commit confirmed, rollback in 10mins was too long</log>",
        "<comment>commit synchronize</comment><log>no rollback in sight</log>",
    ],
)
def test_a_message_of_a_person_is_no_trial(newest: str) -> None:
    assert trial(newest) is None
