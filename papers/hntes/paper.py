"""The paper that HNTES is based on, as data for a reproduction."""

from collections.abc import Sequence
from pathlib import Path

from hntes.papers.hntes.assumptions import ASSUMPTIONS
from hntes.papers.hntes.columns import COLUMN_RULES, assess_columns
from hntes.papers.hntes.explained import explain
from hntes.papers.hntes.measures import measure
from hntes.papers.paper import Address, Paper
from hntes.simulator.testbed.experiments import Case, load_experiment
from hntes.simulator.testbed.files import load_experiment_file, load_parameters

_NUMBERS = tuple(range(1, 8))


def _cases(experiment: str) -> list[Case]:
    return load_experiment(int(experiment)).cases()


def _setup(experiment: str) -> Sequence[str]:
    file = load_experiment_file(int(experiment))
    text = f"{file.duration_s:g} s each; queues at port `{'->'.join(file.port)}`."
    return (text, COLUMN_RULES) if experiment == "3" else (text,)


HNTES = Paper(
    name="hntes",
    publication=(
        "Z. Yan, M. Veeraraghavan, C. Tracy, C. Guok: On How to Provision Virtual Circuits for Network-Redirected "
        "Large-Sized, High-Rate Flows. International Journal on Advances in Internet Technology 6 (3 and 4), 2013"
    ),
    address=Address("https://www.iariajournals.org/internet_technology/", "the journal"),
    experiments={str(number): load_experiment_file(number).title for number in _NUMBERS},
    cells_folder=Path(__file__).parent / "cells",
    cases_of=_cases,
    measure=measure,
    explain=explain,
    setup_of=_setup,
    assess_whole=assess_columns,
    stem_prefix="experiment",
    figures="hntes.papers.hntes.figures",
    assumptions=ASSUMPTIONS,
    fluid_parameters=load_parameters,
)
