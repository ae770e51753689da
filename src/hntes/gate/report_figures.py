"""The figures of a report that was written, read back: for whoever shows them beside something else."""

import re
from dataclasses import dataclass
from html import unescape

# As `html` of gate/report.py draws them for each port, in this order.
WORDS = (
    "round-trip times of other traffic beside four alpha flows: this plan and a single queue",
    "goodput of an alpha flow beside the beta load: this plan and a single queue",
)
_PORT = re.compile(r"<h2>(?P<port>[^<]*)</h2>(?P<rest>.*?)(?=<h2>|\Z)", re.DOTALL)
_FIGURE = re.compile(r"<figure>(<svg.*?</svg>)\s*</figure>", re.DOTALL)


@dataclass(frozen=True)
class ReportFigure:
    """One figure: the port that it is about, what it shows, and its SVG text."""

    port: str
    words: str
    svg: str


def figures_of(page: str, candidate_hash: str) -> tuple[ReportFigure, ...]:
    """The figures of a report's page; none if the report is about another candidate."""
    if f"<p>Candidate <code>{candidate_hash}</code>:" not in page:
        return ()
    return tuple(
        ReportFigure(unescape(port["port"]), words, svg)
        for port in _PORT.finditer(page)
        for words, svg in zip(WORDS, _FIGURE.findall(port["rest"]), strict=False)
    )
