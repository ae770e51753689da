"""The gate's report for an operator: a Markdown text and a self-contained page with figures."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from base.files import write_changed_text
from gate import runs
from gate.criteria.plan import JudgedPlan
from gate.judge import Judgement
from gate.lab import Lab
from gate.verdict import Verdict
from settings.model import Gate

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
WORDS = {"passed": "passed", "failed": "FAILED", "not_judged": "not judged", "reported": "reported"}
ABOUT = (
    "The configuration's text was read back, and the hosts and flows of the published testbed experiments were sent",
    "through the ports that it describes, at 10 Gb/s: shares, times and loads relative to the link are the port's.",
    "A criterion that was not judged does not count as passed. Nothing here was tried on a router.",
)


@dataclass(frozen=True)
class ReportHeading:
    """What a report is about."""

    router: str
    what: str
    candidate_hash: str


def write_report(folder: Path, heading: ReportHeading, judgement: Judgement, gate: Gate, lab: Lab) -> dict[str, Path]:
    """Writes `gate.md` and `gate.html`; their paths by kind. The same judgement gives the same bytes."""
    files = {"gate": folder / "gate.md", "gate page": folder / "gate.html"}
    figures = [_figures(plan, gate, lab) for plan in judgement.plans]
    write_changed_text(files["gate"], markdown(heading, judgement))
    write_changed_text(files["gate page"], html(heading, judgement, figures))
    return files


def markdown(heading: ReportHeading, judgement: Judgement) -> str:
    """The report as Markdown, without figures."""
    ports = [{"figures": [], **_port(plan)} for plan in judgement.plans]
    return _render("gate.md.j2", heading, judgement, ports)


def html(heading: ReportHeading, judgement: Judgement, figures: list[list[str]]) -> str:
    """The report as one HTML page; `figures` holds SVG for each simulated plan."""
    ports = [
        {"figures": [Markup(svg) for svg in drawn], **_port(plan)}  # noqa: S704 - drawn here, from numbers alone
        for plan, drawn in zip(judgement.plans, figures, strict=True)
    ]
    return _render("gate.html.j2", heading, judgement, ports)


def outcome_word(judgement: Judgement) -> str:
    """`passed`, `FAILED` or `not judged`."""
    return WORDS[_outcome(judgement)]


def value_words(value: float | None, unit: str) -> str:
    """A number with its unit; nothing where nothing was measured."""
    if value is None:
        return ""
    return f"{value:.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}".rstrip()


def _outcome(judgement: Judgement) -> str:
    if judgement.is_passing:
        return "passed"
    failed = any(verdict.outcome == "failed" for verdict in judgement.verdicts)
    return "failed" if failed else "not_judged"


def _render(name: str, heading: ReportHeading, judgement: Judgement, ports: list[dict[str, object]]) -> str:
    escapes = name.endswith(".html.j2")
    rows = [_row(verdict) for verdict in judgement.verdicts]
    if not escapes:
        rows = [{key: _cell(text) for key, text in row.items()} for row in rows]
    view = {
        "heading": heading,
        "word": outcome_word(judgement),
        "outcome": _outcome(judgement),
        "rows": rows,
        "ports": ports,
        "about": " ".join(ABOUT),
    }
    return _environment(escapes).get_template(f"report/{name}").render(view)


def _row(verdict: Verdict) -> dict[str, str]:
    return {
        "criterion": f"{verdict.criterion}: {verdict.measure.replace('_', ' ')}",
        "port": verdict.port,
        "value": value_words(verdict.value, verdict.unit),
        "limit": value_words(verdict.limit, verdict.unit),
        "kind": verdict.outcome,
        "outcome": WORDS[verdict.outcome],
        "sentence": verdict.sentence,
    }


def _port(judged: JudgedPlan) -> dict[str, object]:
    plan, port = judged.port.plan, judged.port
    parts = {plan.beta_queue: "all other packets", plan.alpha_queue: "packets of the pairs"}
    if port.is_single_queue:
        parts = {plan.alpha_queue: "packets of the pairs and all others"}
    if plan.policer is not None and plan.policer.to_queue is not None:
        parts[plan.policer.to_queue] = f"what {port.policer_words} puts there"
    queues = [
        {
            "traffic": parts.get(queue.name, "nothing in the experiments"),
            "words": port.words_of(queue.name),
            "rate": f"{queue.rate_share_pct:g}%",
            "buffer": f"{queue.buffer_share_pct:g}%",
            "rank": str(queue.priority),
        }
        for queue in plan.queues
    ]
    return {"name": port.name, "queues": queues, "notes": port.notes}


def _figures(judged: JudgedPlan, gate: Gate, lab: Lab) -> list[str]:
    """The plan beside the single queue, from runs that the judgement has made already."""
    # late: Matplotlib takes a second to load, and most commands draw nothing
    from gate.figures import ping_figure, throughput_figure

    plan, single, load_pct = judged.port.plan, runs.SINGLE_QUEUE, max(gate.beta_loads_pct)
    own = lab.perform({"delay": runs.delay(plan, gate), "throughput": runs.throughput(plan, gate, load_pct)})
    # Side by side only what is of one engine, and so of one length.
    by_packets = own["delay"].engine == "packet"
    compared = lab.perform(
        {
            "delay": runs.delay(single, gate, needs_packets=by_packets),
            "throughput": runs.throughput(single, gate, load_pct, needs_packets=by_packets),
        }
    )
    return [
        ping_figure(own["delay"], compared["delay"]),
        throughput_figure(own["throughput"], compared["throughput"], load_pct),
    ]


def _cell(text: str) -> str:
    """A text that cannot end a cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


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
