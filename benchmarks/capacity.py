"""The cost of a night by routers and records: a model fitted to measured nights and checked against one more.

python -m benchmarks.capacity --measure FOLDER     measures the nights, fits, and writes docs/how-to/capacity.md
python -m benchmarks.capacity --routers 1000 --records 50000000 --cores 64

A stage has a fixed cost (the command's start), one per router and one per record; judging adds one per plan that was
not simulated before. The nights that are measured differ in one of these at a time.
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks import night
from benchmarks._process import Used
from hntes.workflow.stages.job_budget import MEMORY_PER_JOB_MIB

# What was measured stands in this page, from which its calculator and this module take it.
PAGE = Path(__file__).resolve().parent.parent / "docs" / "how-to" / "capacity.md"
_BEGIN, _END = "<!-- model -->\n", "<!-- end of model -->\n"
_JSON = re.compile(r'<script type="application/json" id="capacity-model">(.*?)</script>', re.DOTALL)
SHOWN = ((20, 5_000_000, 4), (100, 50_000_000, 16), (1000, 50_000_000, 64), (1000, 50_000_000, 256))
BY_RECORD, BY_PLAN = ("ingest", "detect", "measure"), ("propose", "judge")
STAGES = (*BY_RECORD, *BY_PLAN)


@dataclass(frozen=True)
class Size:
    """A night's size: routers, the records of each, and how many of their plans were never simulated."""

    routers: int
    records: int
    new_plans: int


# `night` takes platforms in turn, and each platform's plan is simulated once.
FITTED = (Size(1, 500_000, 1), Size(3, 500_000, 3), Size(12, 500_000, 3), Size(1, 4_000_000, 1))
CHECKED = Size(4, 2_000_000, 3)
# In nights that are shown.
NEW_PLANS = 5


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a stage: of its command, each router, a million records, a plan not simulated before."""

    start_s: float
    router_s: float
    million_records_s: float
    new_plan_s: float

    def cpu_s(self, size: Size) -> float:
        """CPU seconds of the stage in a night of this size."""
        millions = size.routers * size.records / 1e6
        by_router_s = self.router_s * size.routers + self.new_plan_s * size.new_plans
        return self.start_s + by_router_s + self.million_records_s * millions


@dataclass(frozen=True)
class Model:
    """The costs of the stages, the memory of one router's night, and bytes of a record on disk.

    peak_mb: what the largest night took; job_mib: what must be free for each router, else fewer are at work at once.
    """

    costs: Mapping[str, Cost]
    peak_mb: float
    lake_bytes: float
    flow_file_bytes: float
    job_mib: int = MEMORY_PER_JOB_MIB

    def cpu_s(self, size: Size) -> float:
        """CPU seconds of a whole night."""
        return sum(cost.cpu_s(size) for cost in self.costs.values())

    def hours(self, size: Size, cores: int) -> float:
        """The time of a night on so many cores: all busy, but no router's records by more than one."""
        alone = self.cpu_s(Size(1, size.records, min(size.new_plans, 1)))
        return max(self.cpu_s(size) / cores, alone) / 3600

    def memory_gib(self, size: Size, cores: int) -> int:
        """The memory of as many routers at once as there are cores, in GiB rounded up."""
        return math.ceil(min(cores, size.routers) * self.job_mib / 1024)


def main() -> None:
    """Measures and fits, or calculates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path, metavar="FOLDER", help="nights are kept there; a run goes on with them")
    parser.add_argument("--routers", type=int, default=1000)
    parser.add_argument("--records", type=int, default=50_000_000, help="of each router and day")
    parser.add_argument(
        "--new-plans", type=int, default=NEW_PLANS, help="plans that were not simulated before (default: 5)"
    )
    parser.add_argument("--cores", type=int, default=64)
    asked = parser.parse_args()
    if asked.measure:
        measured = {size: _measured(asked.measure, size) for size in (*FITTED, CHECKED)}
        model = fitted(measured, asked.measure)
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_model(page, model, measured[CHECKED]), encoding="utf-8")
    else:
        print_night(
            stored_model(PAGE.read_text(encoding="utf-8")),
            Size(asked.routers, asked.records, asked.new_plans),
            asked.cores,
        )


def stored_model(page: str) -> Model:
    """The model that the page holds.

    Raises:
        ValueError: it holds none.
    """
    found = _JSON.search(page)
    if found is None:
        raise ValueError(f"{PAGE.name} holds no model: run python -m benchmarks.capacity --measure FOLDER")
    stored = json.loads(found[1])
    return Model(**{**stored, "costs": {name: Cost(**cost) for name, cost in stored["costs"].items()}})


def with_model(page: str, model: Model, checked: Mapping[str, Used]) -> str:
    """The page with the tables and coefficients of a model, and a night that it was not fitted to."""
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    script = f'<script type="application/json" id="capacity-model">{json.dumps(asdict(model))}</script>\n'
    return f"{before}{_BEGIN}{nights_table(model)}\n{_costs_table(model, checked)}\n{script}{_END}{after}"


def nights_table(model: Model) -> str:
    """Nights of some sizes, as a table."""
    rows = ["| routers | records each | cores | CPU s | minutes | memory, GiB | lake, GB a day |", "|" + "---:|" * 7]
    for routers, records, cores in SHOWN:
        size = Size(routers, records, NEW_PLANS)
        figures = (
            routers, records, cores, round(model.cpu_s(size)), math.ceil(60 * model.hours(size, cores)),
            model.memory_gib(size, cores), round(routers * records * model.lake_bytes / 1e9),
        )  # fmt: skip
        rows.append("| " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    return "\n".join(rows) + "\n"


def _costs_table(model: Model, checked: Mapping[str, Used]) -> str:
    head = f"night of {CHECKED.routers} routers of {CHECKED.records:,} records"
    rows = [
        f"| CPU s | command | each router | a million records | a new plan | {head}: model | measured |",
        "|---|" + "---:|" * 6,
    ]
    for name, cost in model.costs.items():
        parts = (cost.start_s, cost.router_s, cost.million_records_s, cost.new_plan_s)
        known = " | ".join(f"{part:.3f}" for part in parts)
        rows.append(f"| {name} | {known} | {cost.cpu_s(CHECKED):.1f} | {checked[name].cpu_s:.1f} |")
    total_s = sum(checked[name].cpu_s for name in STAGES)
    rows.append(f"| night | | | | | {model.cpu_s(CHECKED):.1f} | {total_s:.1f} |")
    return "\n".join(rows) + "\n"


def fitted(measured: Mapping[Size, Mapping[str, Used]], folder: Path) -> Model:
    """The model that the fitted nights give by least squares; no cost is negative."""
    costs = {name: _cost(name, {size: measured[size][name].cpu_s for size in FITTED}) for name in STAGES}
    largest = max(FITTED, key=lambda size: size.records)
    records = largest.routers * largest.records
    peak_mb = max(measured[largest][name].peak_mb for name in STAGES)
    of_largest = _folder(folder, largest)
    lake_bytes, flow_file_bytes = (_bytes_below(of_largest / name) / records for name in ("lake", "flows"))
    return Model(costs, round(peak_mb), round(lake_bytes, 1), round(flow_file_bytes, 1))


def _cost(name: str, cpu_s: Mapping[Size, float]) -> Cost:
    terms = {
        "start_s": [1.0 for _ in cpu_s],
        "router_s": [float(size.routers) for size in cpu_s],
        "million_records_s": [size.routers * size.records / 1e6 for size in cpu_s],
        "new_plan_s": [float(size.new_plans) for size in cpu_s],
    }
    left_out = {"new_plan_s"} if name != "judge" else {"million_records_s"}
    solved = _least_squares(
        {each: column for each, column in terms.items() if each not in left_out}, list(cpu_s.values())
    )
    return Cost(**{each: round(solved.get(each, 0.0), 4) for each in terms})


def _least_squares(columns: dict[str, list[float]], wanted: Sequence[float]) -> dict[str, float]:
    """Coefficients of the columns; the most negative one is left out until none is."""
    while columns:
        found, *_ = np.linalg.lstsq(np.array(list(columns.values())).T, np.array(wanted), rcond=None)
        least = int(np.argmin(found))
        if found[least] >= 0:
            return dict(zip(columns, map(float, found), strict=True))
        del columns[list(columns)[least]]
    return {}


def _measured(folder: Path, size: Size) -> dict[str, Used]:
    print(f"night of {size.routers} routers with {size.records:,} records each", file=sys.stderr)
    return night.run(_folder(folder, size), size.routers, size.records, "ingress", ["make", *STAGES])


def _folder(folder: Path, size: Size) -> Path:
    return (folder / f"{size.routers}x{size.records}").resolve()


def _bytes_below(folder: Path) -> int:
    """Bytes of the first router's files, since the others' flow files are links to them."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def print_night(model: Model, size: Size, cores: int) -> None:
    """Prints what a night of this size needs."""
    print(f"{size.routers:,} routers of {size.records:,} records a day, {size.new_plans} plans not simulated before")
    for name, cost in model.costs.items():
        print(f"{name:10}{cost.cpu_s(size):14,.0f} CPU s")
    print(f"{'night':10}{model.cpu_s(size):14,.0f} CPU s, {model.hours(size, cores) * 60:,.0f} min on {cores} cores")
    print(f"{'memory':10}{model.memory_gib(size, cores):14,} GiB, {min(cores, size.routers)} routers at once")
    total = size.routers * size.records
    print(f"{'lake':10}{total * model.lake_bytes / 1e9:14,.0f} GB a day")
    print(f"{'files':10}{total * model.flow_file_bytes / 1e9:14,.0f} GB a day to be read")


if __name__ == "__main__":
    main()
