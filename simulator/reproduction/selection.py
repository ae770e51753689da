"""Which experiments, configurations and variants are meant: `3`, `3/2-queues`, `3/2-queues/udp-1`."""

from collections.abc import Sequence
from dataclasses import dataclass

from base.errors import HntesError
from simulator.testbed.experiments import Case, load_experiment

NUMBERS = range(1, 8)


class SelectionError(HntesError):
    """There is no such experiment, configuration or variant; the message lists those there are."""


@dataclass(frozen=True)
class CaseSelection:
    """Cases of one experiment; `whole` says that these are all it has."""

    number: int
    cases: tuple[Case, ...]
    whole: bool


def parse_selections(texts: Sequence[str]) -> list[CaseSelection]:
    """Selections in the order of the experiments; all seven for no text.

    Raises:
        SelectionError: A text names nothing there is.
    """
    wanted: dict[str, Case] = {}
    for text in texts or [str(number) for number in NUMBERS]:
        wanted |= {case.name: case for case in _cases(text)}
    found = []
    for number in NUMBERS:
        every = load_experiment(number).cases()
        cases = tuple(case for case in every if case.name in wanted)
        if cases:
            found.append(CaseSelection(number, cases, len(cases) == len(every)))
    return found


def _cases(text: str) -> list[Case]:
    head, *names = text.removeprefix("experiment").split("/")
    if not (head.isdecimal() and int(head) in NUMBERS):
        raise SelectionError(f"{text!r}: there is no experiment {head!r}; there are 1 to 7")
    cases = load_experiment(int(head)).cases()
    for kind, name in zip(("configuration", "variant"), names, strict=False):
        there = list(dict.fromkeys(str(getattr(case, kind)) for case in cases))
        if name not in there:
            raise SelectionError(f"{text!r}: experiment {head} has no {kind} {name!r}; there are: {', '.join(there)}")
        cases = [case for case in cases if getattr(case, kind) == name]
    if len(names) > 2:
        raise SelectionError(f"{text!r}: write EXPERIMENT/CONFIGURATION/VARIANT")
    return cases
