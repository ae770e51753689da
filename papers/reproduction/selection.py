"""Selection of a paper's experiments, configurations and variants: `3`, `3/2-queues`, `3/2-queues/udp-1`."""

from collections.abc import Sequence
from dataclasses import dataclass

from hntes.papers.errors import SelectionError
from hntes.papers.paper import Case, Paper
from hntes.papers.reproduction.catalogue import PAPERS

ALL = "all"


@dataclass(frozen=True)
class CaseSelection:
    """Cases of one experiment of a paper; `whole` says that these are all it has."""

    paper: Paper
    experiment: str
    cases: tuple[Case, ...]
    whole: bool


def parse_selections(texts: Sequence[str], paper: str = "hntes") -> list[CaseSelection]:
    """Selections in the order of the paper's experiments; all of them for no text. Of all papers for `all`.

    Raises:
        SelectionError: A text names nothing there is.
    """
    if paper == ALL:
        if texts:
            raise SelectionError(f"{texts[0]!r}: name the paper whose experiment it is, not all")
        return [one for name in PAPERS for one in parse_selections([], name)]
    if paper not in PAPERS:
        raise SelectionError(f"there is no paper {paper!r}; there are: {', '.join(PAPERS)}")
    chosen = PAPERS[paper]
    wanted: dict[str, Case] = {}
    for text in texts or list(chosen.experiments):
        wanted |= {case.name: case for case in _cases(chosen, text)}
    found = []
    for experiment in chosen.experiments:
        every = chosen.cases_of(experiment)
        cases = tuple(case for case in every if case.name in wanted)
        if cases:
            found.append(CaseSelection(chosen, experiment, cases, len(cases) == len(every)))
    return found


def _cases(paper: Paper, text: str) -> list[Case]:
    head, *names = text.removeprefix("experiment").split("/")
    if head not in paper.experiments:
        there = ", ".join(paper.experiments)
        raise SelectionError(f"{text!r}: {paper.name} has no experiment {head!r}; there are: {there}")
    cases = list(paper.cases_of(head))
    for kind, name in zip(("configuration", "variant"), names, strict=False):
        listed = list(dict.fromkeys(str(getattr(case, kind)) for case in cases))
        if name not in listed:
            raise SelectionError(f"{text!r}: experiment {head} has no {kind} {name!r}; there are: {', '.join(listed)}")
        cases = [case for case in cases if getattr(case, kind) == name]
    if len(names) > 2:
        raise SelectionError(f"{text!r}: write EXPERIMENT/CONFIGURATION/VARIANT")
    return cases
