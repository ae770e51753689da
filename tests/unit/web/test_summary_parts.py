"""A summary is taken apart for the page, and nothing of it is lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hntes.rules.pairs import PrefixPair
from hntes.web.summary_parts import ShownPair, summary_parts

IPV4, IPV6 = "198.18.10.0/24 > 203.0.113.0/24", "2001:db8:1::/64 > 2001:db8:2::/64"


def test_the_lines_of_a_waiting_change() -> None:
    parts = summary_parts(
        "r1, flows of 2026-11-20: of 412 GB of alpha traffic: much\n  change: 1 pair added, 1 pair removed, 2 kept\n"
        f"  note: the day's flow data is incomplete (gap): none ages out\n  added    {IPV6}: seen 3 times: today\n"
        f"  removed  {IPV4}: aged out\n  changed  queue: 40 -> 45\n  remark: look: here"
    )
    assert parts.headline == "of 412 GB of alpha traffic: much"
    assert parts.pairs == (
        ShownPair("+", PrefixPair.parse(IPV6), "seen 3 times: today"),
        ShownPair("-", PrefixPair.parse(IPV4), "aged out"),
    )
    assert parts.notes == (
        "1 pair added, 1 pair removed, 2 kept", "note: the day's flow data is incomplete (gap): none ages out",
        "changed  queue: 40 -> 45", "remark: look: here",
    )  # fmt: skip


def test_the_lines_of_a_decided_change() -> None:
    parts = summary_parts(f"r1, flows of 2026-11-20: 1 pair added\n  + {IPV4}\n  - {IPV6}")
    assert [(one.sign, str(one.pair), one.reason) for one in parts.pairs] == [("+", IPV4, ""), ("-", IPV6, "")]


def test_what_only_looks_like_a_pair_is_a_note() -> None:
    assert summary_parts("r1: x\n  added    nothing: here").notes == ("added    nothing: here",)
    assert summary_parts("").headline == ""


LINE = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=12)


@settings(max_examples=20)
@given(st.lists(LINE, max_size=4))
def test_no_line_is_lost(lines: list[str]) -> None:
    text = "\n".join(["r1, flows of 2026-11-20: x", *lines])
    parts = summary_parts(text)
    assert len(parts.pairs) + len(parts.notes) == sum(bool(line.strip()) for line in lines)
