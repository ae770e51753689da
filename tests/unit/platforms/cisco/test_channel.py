"""Where an answer of a command line begins and ends, in whatever pieces it comes."""

from types import SimpleNamespace

import pytest
from netmiko import NetmikoAuthenticationException

from hntes.platforms.cisco import channel as module
from hntes.platforms.cisco.channel import Channel, open_channel
from hntes.platforms.device_errors import DeliveryError, RefusedError, UnclearError, UnreachableError
from hntes.settings.delivery import Access

PROMPT = "RP/0/RSP0/CPU0:r1"
HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJLM68007r18mm0TzY6bPOJ6CVj5+rNcQUl0iDvGbNJw"


class Client:
    """What is read of a router, piece by piece; at their end the connection ends, or nothing comes any more."""

    def __init__(self, *pieces: str, is_closed_then: bool = True, base_prompt: str = PROMPT) -> None:
        self.base_prompt = base_prompt
        self.pieces = list(pieces)
        self.is_closed_then = is_closed_then
        self.written: list[str] = []

    @property
    def remote_conn(self) -> SimpleNamespace:
        return SimpleNamespace(closed=not self.pieces and self.is_closed_then, eof_received=False)

    def write_channel(self, text: str) -> None:
        self.written.append(text)

    def read_channel(self) -> str:
        return self.pieces.pop(0) if self.pieces else ""


def channel(client: Client, timeout_s: float = 20.0) -> Channel:
    return Channel(client, timeout_s)


SHOWN = f"show x\na\n b {PROMPT}#\n# c\n{PROMPT}(config-if)#"


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_an_answer_is_what_stands_between_the_line_and_the_prompt(size: int) -> None:
    pieces = [SHOWN[at : at + size] for at in range(0, len(SHOWN), size)]
    asked = channel(Client(*pieces))
    assert asked.ask("show x") == f"a\n b {PROMPT}#\n# c"
    assert asked.mode == "config-if"


@pytest.mark.parametrize(("end", "is_privileged"), [("#", True), (">", False)])
def test_a_prompt_tells_whether_the_login_is_privileged(end: str, is_privileged: bool) -> None:
    asked = channel(Client(f"show x\na > b\n{PROMPT}{end}"))
    asked.ask("show x")
    assert asked.is_privileged is is_privileged


def test_what_came_before_the_line_is_no_part_of_its_answer() -> None:
    client = Client(f"\n{PROMPT}#\n{PROMPT}#show x\n", f"a\n{PROMPT}# ")
    asked = channel(client)
    assert asked.ask("  show x") == "a"
    assert asked.mode == ""
    assert client.written == ["show x\n"]


@pytest.mark.parametrize("name", ["r1", "r1.example", "a-router-with-a-long-name-in-a-site-far-away"])
def test_the_prompt_of_configuration_may_be_shorter(name: str) -> None:
    shown = f"{name[:20]}(config)#"
    assert channel(Client(f"configure\n{shown}", base_prompt=name)).ask("configure") == ""


def test_a_question_ends_an_answer_and_the_next_line_is_told() -> None:
    asked = channel(Client("commit\nothers did\nproceed? [no]: ", f"no\n{PROMPT}#", f"\n{PROMPT}#"))
    assert asked.ask("commit", r"\[no\]: ") == "others did\nproceed? [no]: "
    assert asked.ask("no") == ""
    assert asked.ask("") == ""


def test_whatever_is_printed_behind_a_line_of_configuration_is_a_refusal() -> None:
    asked = channel(
        Client(f"class a\n{PROMPT}(config-pmap-c)#", f"class b\nclass map b \n is absent\n{PROMPT}(config)#")
    )
    asked.enter(" class a")
    with pytest.raises(RefusedError, match="the router refused `class b`: class map b is absent"):
        asked.enter(" class b")


@pytest.mark.parametrize(
    "pieces", [(), ("show",), ("show x\na\n",), (f"show x\na{PROMPT}#",), (f"show x\n{PROMPT} #",)]
)
def test_an_answer_that_does_not_end_is_unclear_and_nothing_more_is_asked(pieces: tuple[str, ...]) -> None:
    for is_closed in (True, False):
        client = Client(*pieces, is_closed_then=is_closed)
        asked = channel(client, timeout_s=0.02)
        with pytest.raises(UnclearError, match="connection ended" if is_closed else "no answer to `show x` within"):
            asked.ask("show x")
        client.pieces = [f"show x\n{PROMPT}#"]
        with pytest.raises(UnclearError, match="was not sent"):
            asked.ask("show x")
        assert client.written == ["show x\n"]


@pytest.mark.parametrize("before", ["", "show x\n"])
def test_messages_without_end_are_no_answer(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    client = Client(before)
    monkeypatch.setattr(client, "read_channel", lambda: client.pieces.pop(0) if client.pieces else "%LINK-3-UPDOWN\n")
    with pytest.raises(UnclearError, match=r"no answer to `show x` within 0\.02 s"):
        channel(client, timeout_s=0.02).ask("show x")


@pytest.mark.parametrize("line", ["a\nb", "a?", "ä", "a\tb", "a\x16", "a" * 401])
def test_what_is_not_one_line_is_not_typed(line: str) -> None:
    client = Client()
    with pytest.raises(DeliveryError, match="cannot be sent"):
        channel(client).ask(line)
    assert client.written == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Authentication failed.\n\nAuthentication timeout.", "did not answer the login within 5 s"),
        ("Authentication failed.\n\nBad password.", "login of hntes refused"),
    ],
)
def test_a_login_without_an_answer_is_no_refusal(monkeypatch: pytest.MonkeyPatch, words: str, told: str) -> None:
    def connected(*_: object) -> None:
        raise NetmikoAuthenticationException(words)

    monkeypatch.setattr(module, "_connected", connected)
    access = Access(address="192.0.2.1", port=22, user="hntes", host_key=HOST_KEY)
    with pytest.raises(UnreachableError, match=told):
        open_channel(access, 5, "cisco_xe")
