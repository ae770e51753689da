"""Messages are handed over whole, in whatever pieces they come, and one without an end is not kept for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from ncclient.transport.errors import SessionError

from hntes.platforms.netconf import messages as netconf_messages
from hntes.platforms.netconf.messages import WholeMessages

END = "]]>]]>"


class Session:
    """Keeps what is handed to it."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._dispatch_message = self.messages.append


def given_in_pieces(octets: bytes, lengths: list[int]) -> list[str]:
    session = Session()
    reader = WholeMessages(session)
    for length in [*lengths, len(octets)]:
        reader.parse(octets[:length])
        octets = octets[length:]
    return session.messages


@given(st.lists(st.sampled_from(["<a/>", "é", "]]>", "東京", "]]>]"]), max_size=4), st.lists(st.integers(1, 9)))
def test_messages_are_the_same_in_all_pieces(messages: list[str], lengths: list[int]) -> None:
    octets = "".join(f"<{each}>{END}\n" for each in messages).encode()
    assert given_in_pieces(octets, lengths) == [f"<{each}>" for each in messages]


@pytest.mark.parametrize("control", [b"\x08", b"\x00", b"\x1f", b"&#8;", b"&#x1F;", b"&#011;"])
def test_a_control_character_in_a_description_does_not_make_an_answer_unreadable(control: bytes) -> None:
    """XML 1.0, section 2.2: a parser refuses it, as such and as a reference."""
    (message,) = given_in_pieces(b"<a>to\tthe" + control + b"core\n&#9;</a>" + END.encode(), [5])
    assert etree.fromstring(message).text == "to\tthe\N{REPLACEMENT CHARACTER}core\n\t"


def test_a_message_without_end_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(netconf_messages, "LARGEST_BYTES", 100)
    with pytest.raises(SessionError, match="more than 100 bytes"):
        given_in_pieces(b"x" * 1000, [50] * 20)


def test_a_description_in_latin_1_does_not_end_the_session() -> None:
    assert given_in_pieces("<caf\u00e9>]]>]]>".encode("latin-1"), [3, 2]) == ["<caf\u00e9>"]
