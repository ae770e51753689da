"""Reports as Markdown and HTML: whatever data says stays text."""

from html.parser import HTMLParser

import pytest

from hntes.papers.reproduction.document import (
    Block,
    Bullets,
    Contents,
    Heading,
    Image,
    Link,
    Paragraph,
    Table,
    to_html,
    to_markdown,
)

HOSTILE = "<script>alert(1)</script> & \"quoted\" 'x' | `a<b`"


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _parsed(page: str) -> _Tags:
    tags = _Tags()
    tags.feed(page)
    tags.close()
    return tags


@pytest.mark.parametrize(
    "block",
    [
        Heading(1, HOSTILE),
        Contents(((0, HOSTILE),)),
        Paragraph(HOSTILE),
        Bullets((HOSTILE,)),
        Link(HOSTILE, HOSTILE, "https://doi.org/10.1000/182"),
        Table((HOSTILE,), ((HOSTILE,),)),
        Image("figure", HOSTILE),
    ],
)
def test_no_text_becomes_a_tag(block: Block) -> None:
    page = _parsed(to_html([block], {"figure": b"<svg/>"}))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in "".join(page.text)
    assert "<script" not in to_markdown([block])


def test_an_attribute_cannot_be_left() -> None:
    page = _parsed(to_html([Image("figure", '" onerror="alert(1)')], {"figure": b"<svg/>"}))
    assert [name for name, _ in page.attributes if name.startswith("on")] == []
    assert ("alt", '" onerror="alert(1)') in page.attributes


def test_a_page_needs_no_other_file() -> None:
    page = _parsed(to_html([Heading(1, "t"), Image("figure", "c")], {"figure": b"<svg>1</svg>"}))
    sources = [value for name, value in page.attributes if name in {"src", "href"}]
    assert sources == ["data:image/svg+xml;base64,PHN2Zz4xPC9zdmc+"]
    assert not {"link", "script", "iframe"} & set(page.tags)


def test_a_bar_does_not_break_a_table() -> None:
    text = to_markdown([Table(("a", "b"), (("x | y", "two\nlines"),))])
    assert text.splitlines() == ["| a | b |", "| --- | --- |", r"| x \| y | two lines |"]


def test_a_link_leads_to_its_address_and_to_nothing_else() -> None:
    link = Link("Read", "a [b](c)", "https://doi.org/10.1000/182")
    assert ("href", link.url) in _parsed(to_html([link], {})).attributes
    assert to_markdown([link]) == "Read [a \\[b\\](c)](https://doi.org/10.1000/182)\n"


def test_contents_lead_to_headings() -> None:
    heading = Heading(2, "Experiment 1: Five aggregates, across (three) domains")
    blocks = [Contents(((0, "paper"), (1, heading.text))), heading]
    page = _parsed(to_html(blocks, {}))
    target = "experiment-1-five-aggregates-across-three-domains"
    assert {("id", target), ("href", f"#{target}")} <= set(page.attributes)
    assert to_markdown(blocks).splitlines()[:2] == ["- [paper](#paper)", f"    - [{heading.text}](#{target})"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://a/b", 'https://a/"x', "https://a/b) c", "https://a"])
def test_what_is_no_address_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="no address of a web page"):
        Link("", "text", url)


def test_numbers_and_verdicts_can_be_seen() -> None:
    page = to_html([Table(("n", "v"), (("-1.5e+06", "missed"), ("2-queues", "reproduced")))], {})
    assert '<td class="number">-1.5e+06</td>' in page
    assert '<td class="missed">missed</td>' in page
    assert "<td>2-queues</td>" in page
