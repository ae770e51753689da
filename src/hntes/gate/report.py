"""The gate's report for an operator: a Markdown text and a self-contained page with figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from hntes.files import write_changed_text
from hntes.gate import runs
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.figure_files import GateFigure, write_figures
from hntes.gate.hosts import WORDS_OF_HOSTS
from hntes.gate.judge import Judgement
from hntes.gate.lab import Lab
from hntes.gate.levers import levers_of
from hntes.gate.loosened import loosened
from hntes.gate.ports import single_queue
from hntes.gate.verdict import Verdict, controls_words, value_words
from hntes.gate.verdict_figure import WORDS, figure_of
from hntes.settings.model import Gate

_MARKS = re.compile(r"([\\`*_\[\]|~#!])")
TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
ABOUT = (
    "The configuration was parsed, and the hosts and flows of the published testbed experiments were simulated",
    "through the ports that it configures, at 10 Gb/s: shares, times and loads relative to the link are the port's.",
    "A criterion that was not judged does not count as passed. Nothing here was tested on a router.",
)


@dataclass(frozen=True)
class ReportHeading:
    """The heading of a report.

    Attributes:
        change: The change in a line; "" if it is unknown.
        alone: Why the text was judged without the running configuration; "" if it was not.
    """

    router: str
    what: str
    candidate_hash: str
    change: str = ""
    alone: str = ""


def write_report(folder: Path, heading: ReportHeading, judgement: Judgement, gate: Gate, lab: Lab) -> dict[str, Path]:
    """Writes `gate.md`, `gate.html` and the figures as files; the paths of the first two by kind.

    The same judgement gives the same bytes.
    """
    files = {"gate": folder / "gate.md", "gate page": folder / "gate.html"}
    figures = [_figures(plan, gate, lab) for plan in judgement.plans]
    write_figures(folder, heading.candidate_hash, [each for drawn in figures for each in drawn])
    write_changed_text(files["gate"], markdown(heading, judgement, loosened(gate)))
    write_changed_text(files["gate page"], html(heading, judgement, figures, loosened(gate)))
    return files


def markdown(heading: ReportHeading, judgement: Judgement, looser: Sequence[str] = ()) -> str:
    """The report as Markdown, without figures; `looser` names the limits that are looser than the defaults."""
    ports = [{"figures": [], **_port(plan)} for plan in judgement.plans]
    return _render("gate.md.j2", heading, judgement, ports, looser)


def html(
    heading: ReportHeading, judgement: Judgement, figures: list[list[GateFigure]], looser: Sequence[str] = ()
) -> str:
    """The report as one HTML page; `figures` are those of each simulated plan, `looser` is as for `markdown`."""
    ports = [
        {"figures": [Markup(each.svg) for each in drawn], **_port(plan)}  # noqa: S704 - drawn here, from numbers alone
        for plan, drawn in zip(judgement.plans, figures, strict=True)
    ]
    return _render("gate.html.j2", heading, judgement, ports, looser)


def outcome_word(judgement: Judgement) -> str:
    """`passed`, `FAILED` or `not judged`."""
    return WORDS[_outcome(judgement)]


def _outcome(judgement: Judgement) -> str:
    if judgement.is_passing:
        return "passed"
    failed = any(verdict.outcome == "failed" for verdict in judgement.verdicts)
    return "failed" if failed else "not_judged"


def _render(
    name: str, heading: ReportHeading, judgement: Judgement, ports: list[dict[str, object]], looser: Sequence[str]
) -> str:
    escapes = name.endswith(".html.j2")
    rows = [_row(verdict) for verdict in judgement.verdicts]
    if not escapes:
        rows = [{key: _cell(text) for key, text in row.items()} for row in rows]
        heading = ReportHeading(
            _inline(heading.router),
            _inline(heading.what),
            heading.candidate_hash,
            _inline(heading.change),
            heading.alone,
        )
        ports = [_cells(port) for port in ports]
    view = {
        "heading": heading,
        "loosened": ", ".join(looser),
        "levers": levers_of(judgement.verdicts),
        "word": outcome_word(judgement),
        "outcome": _outcome(judgement),
        "rows": rows,
        "figure": figure_of(each.entry("", "") for each in judgement.verdicts),
        "ports": ports,
        "about": " ".join(ABOUT),
    }
    return _environment(escapes).get_template(f"report/{name}").render(view)


def _row(verdict: Verdict) -> dict[str, str]:
    return {
        "criterion": f"{verdict.criterion}: {verdict.measure.replace('_', ' ')}",
        "port": verdict.port,
        "value": value_words(verdict.value, verdict.unit, verdict.limit),
        "limit": value_words(verdict.limit, verdict.unit),
        "kind": verdict.outcome,
        "outcome": WORDS[verdict.outcome],
        "controls": controls_words(" ".join(verdict.controls)),
        "sentence": verdict.sentence,
    }


def _port(judged: JudgedPlan) -> dict[str, object]:
    plan, port = judged.port.plan, judged.port
    parts = {plan.beta_queue: "all other packets", plan.alpha_queue: "packets of the pairs"}
    if port.is_single_queue:
        parts = {plan.alpha_queue: "packets of the pairs and all others"}
    if plan.policer is not None and plan.policer.to_queue is not None:
        parts[plan.policer.to_queue] = f"what {port.policer_words} puts there"
    for each in port.premium.reserved if port.premium is not None else ():
        parts.setdefault(each.queue, "packets of reservations")
    queues = [
        {
            "traffic": parts.get(queue.name, "none in the experiments"),
            "words": port.words_of(queue.name),
            "rate": f"{queue.rate_share_pct:g}%",
            "buffer": f"{port.length_ms(queue.name):g} ms",
            "rank": str(queue.priority),
        }
        for queue in plan.queues
    ]
    return {"name": port.name, "queues": queues, "notes": port.notes}


def _figures(judged: JudgedPlan, gate: Gate, lab: Lab) -> list[GateFigure]:
    """Figures of the plan and the single queue, from the runs of the judgement."""
    # late: Matplotlib takes a second to load, and most commands draw nothing
    from hntes.gate.figures import ping_figure, throughput_figure

    plan, single, load_pct = judged.port.plan, single_queue(judged.port.buffer_ms), max(judged.loads_pct)
    hosts = gate.tcp_profiles[0]
    own = lab.perform(
        {"delay": runs.delay(plan, gate, hosts), "throughput": runs.throughput(plan, gate, hosts, load_pct)}
    )
    # Compare only runs of one engine, which have one length.
    by_packets = own["delay"].engine == "packet"
    compared = lab.perform(
        {
            "delay": runs.delay(single, gate, hosts, needs_packets=by_packets),
            "throughput": runs.throughput(single, gate, hosts, load_pct, needs_packets=by_packets),
        }
    )
    ping = ping_figure(own["delay"], compared["delay"], WORDS_OF_HOSTS[hosts])
    throughput = throughput_figure(own["throughput"], compared["throughput"], load_pct, WORDS_OF_HOSTS[hosts])
    port = judged.port.name
    return [GateFigure(port, "ping", ping), GateFigure(port, "throughput", throughput)]


def _cells(port: dict[str, object]) -> dict[str, object]:
    """A port's names, queues and notes as Markdown."""
    queues, notes = port["queues"], port["notes"]
    assert isinstance(queues, list)  # noqa: S101 - for the type checker: `_port` made it
    assert isinstance(notes, tuple)  # noqa: S101 - as above
    rows = [{key: _cell(text) for key, text in row.items()} for row in queues]
    return port | {"name": _inline(str(port["name"])), "queues": rows, "notes": [_cell(note) for note in notes]}


def _cell(text: str) -> str:
    """A text escaped for a cell of a Markdown table, without HTML."""
    plain = escape(text, quote=False)
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("\r", " ")


def _inline(text: str) -> str:
    """A text escaped from Markdown: a file's name may have any character.

    Example:
        >>> _inline("<b>[x](y)_1_.conf")
        '&lt;b&gt;\\\\[x\\\\](y)\\\\_1\\\\_.conf'
    """
    printable = "".join(each if each.isprintable() else " " for each in text)
    return _MARKS.sub(r"\\\1", escape(printable, quote=False))


@cache
def _environment(escapes: bool) -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # HTML is escaped; the Markdown's cells are by `_cell`.
        autoescape=escapes,  # noqa: S701
    )
