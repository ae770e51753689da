"""The end of a NETCONF session."""

import pytest

from hntes.platforms.device_errors import UnclearError
from hntes.platforms.junos.session import JunosDevice


class Client:
    """Of ncclient's manager what is asked here; `fails` to give an answer."""

    def __init__(self, fails: bool) -> None:
        self.fails = fails
        self.said: list[str] = []
        self._session = self

    def lock(self, _: str) -> str:
        if self.fails:
            raise TimeoutError("no answer")
        return "<ok/>"

    def close_session(self) -> None:
        self.said.append("close-session")

    def close(self) -> None:
        self.said.append("end of the connection")


@pytest.mark.parametrize(
    ("fails", "said"), [(False, ["close-session", "end of the connection"]), (True, ["end of the connection"])]
)
def test_after_an_answer_that_did_not_come_none_is_waited_for_at_the_end(fails: bool, said: list[str]) -> None:
    client = Client(fails)
    device = JunosDevice(client)
    if fails:
        with pytest.raises(UnclearError):
            device.lock()
    else:
        device.lock()
    device.close()
    assert client.said == said
