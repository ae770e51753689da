"""Lines belong to sections, and a banner's lines to none."""

import pytest

from hntes.platforms.cisco.parser.tree import read_sections
from hntes.platforms.parse import ParseError

TEXT = """24 hours a day
permit nobody
interface Gi1
 shutdown
end
end-policy-map
! no comment"""
BANNERS = [
    f"banner motd ^C\n{TEXT}\n^C",
    f"banner login ^C{TEXT}^C",
    f"banner exec #\n{TEXT}\n#",
    "banner motd ^C All in one line ^C",
    "banner incoming $text$",
]


@pytest.mark.parametrize("banner", BANNERS)
def test_the_text_of_a_banner_is_no_statement(banner: str) -> None:
    root = read_sections(f"hostname r1\n{banner}\ninterface Gi2\n no shutdown\nend\n")
    hostname, read, interface = root
    assert (hostname.text, interface.text) == ("hostname r1", "interface Gi2")
    assert interface.line == banner.count("\n") + 3
    assert read.words == tuple(banner.split())
    assert not read.children
    assert len(root.closings) == 1


def test_what_a_banner_says_counts() -> None:
    one, other = (read_sections(f"banner motd ^C\n{words}\n^C\n") for words in ("stay out", "come in"))
    assert [each.words for each in one] != [each.words for each in other]


@pytest.mark.parametrize("mark", ["^C", "x"])
def test_a_banner_that_does_not_end_is_refused_with_its_line(mark: str) -> None:
    with pytest.raises(ParseError, match=r"line 2: `banner motd .*does not end"):
        read_sections(f"hostname r1\nbanner motd {mark}\ninterface Gi1\n shutdown\n")


@pytest.mark.parametrize("line", ["no banner motd", "banner", "banner motd"])
def test_what_begins_no_text_is_a_line(line: str) -> None:
    assert [each.text for each in read_sections(f"{line}\nhostname r1\n")] == [line, "hostname r1"]


def test_an_interface_without_lines_takes_none_behind_its_mark() -> None:
    """As a router lists it once its last line was removed; typed without indentation and without `!` it takes them."""
    listed = read_sections("interface TenGigE0/0/1/0\n!\ndomain name example.net\n")
    assert [each.text for each in listed] == ["interface TenGigE0/0/1/0", "domain name example.net"]
    typed = read_sections("interface TenGigE0/0/1/0\nmtu 9000\n")
    assert [[line.text for line in each] for each in typed] == [["mtu 9000"]]
