"""Texts for the gate: a router with one edge and one core port, rendered, and edited as text."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from hntes.gate import Lab, MeasuredPeak, Subject
from hntes.platforms.expected import effective_of
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.plans import Plan
from hntes.simulator import MemoryRuns, RunFolder, RunResult
from hntes.simulator.runs.engines import Engines
from tests.support.qos_models import PAIRS, interfaces_of, router

ROOT = Path(__file__).resolve().parent.parent.parent
# Kept by content for all tests, and for the demonstration: a scenario runs once.
SIMULATIONS = ROOT / "var" / "simulations"


def small_model(
    platform: str, plan: Plan, pairs: tuple[PrefixPair, ...] = PAIRS, rate_bps: int = 10_000_000_000
) -> RouterModel:
    """The model of a router with one edge unit and one core port of that rate."""
    edge, core, _ = interfaces_of(platform)
    interfaces = [edge, {**core, "rate_bps": rate_bps}]
    return build_model(router(platform, interfaces=interfaces), plan, pairs)


def subject_of(
    model: RouterModel, edit: Callable[[str], str] = lambda text: text, beta_peak_bps: Mapping[str, float] | None = None
) -> Subject:
    """What the gate judges: the model's text, edited as text."""
    text = render(model)
    edited = edit(text)
    found = Subject(
        platform=model.platform,
        text=edited,
        interfaces=model.interfaces,
        pairs=tuple(sorted({t.pair for each in model.filters for t in each.terms}, key=lambda pair: pair.sort_key)),
        alpha_queue=0 if model.plan_kind == "single_queue" else 4,
        is_redirected=False,
        port_buffer_ms=model.port_buffer_ms,
        expected=effective_of(model),
        beta_peaks=None if beta_peak_bps is None else {port: measured(bps) for port, bps in beta_peak_bps.items()},
    )
    # An edited text is an operator's own: nothing says what it ought to be.
    return found if edited == text else replace(found, expected=None)


def measured(bps: float) -> MeasuredPeak:
    """A peak with enough days behind it."""
    return MeasuredPeak(bps, 7 * 1440, 7, 7)


def replaced(old: str, new: str) -> Callable[[str], str]:
    """An edit that must find what it replaces."""

    def edit(text: str) -> str:
        assert old in text, f"the text no longer holds {old!r}"
        return text.replace(old, new)

    return edit


def shared_lab() -> Lab:
    """A lab on the runs that all tests share."""
    return Lab(RunFolder(SIMULATIONS))


def refusing_lab() -> Lab:
    """A lab for texts that must be refused before any run."""

    def refuse(scenario: object, _: object, __: object) -> RunResult:
        raise AssertionError(f"nothing may run for this text: {scenario}")

    return Lab(MemoryRuns(), engines=Engines(refuse, lambda _: False))
