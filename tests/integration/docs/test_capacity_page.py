"""The capacity page: the model that it holds is the one that its tables and the calculator use."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from benchmarks import capacity
from benchmarks._process import Used
from benchmarks.capacity import CHECKED, FITTED, STAGES, Cost, Model, Size
from hntes.settings import Settings
from hntes.workflow.reports.lake_retention import kept_lake_days
from hntes.workflow.stages.job_budget import Machine, jobs_within

KNOWN = {
    "ingest": Cost(0.5, 0.25, 0.4, 0.0),
    "detect": Cost(1.0, 0.125, 0.2, 0.0),
    "measure": Cost(1.5, 0.0, 0.3, 0.0),
    "propose": Cost(1.0, 0.125, 0.0, 0.0),
    "judge": Cost(0.75, 0.5, 0.0, 12.0),
}


def test_the_tables_are_those_of_the_model() -> None:
    page = capacity.PAGE.read_text(encoding="utf-8")
    assert capacity.nights_table(capacity.stored_model(page)) in page


def test_a_thousand_routers_cost_the_sum_of_the_table() -> None:
    """The row of 1,000 routers of 50 million, added up from the page's own table of costs."""
    page = capacity.PAGE.read_text(encoding="utf-8")
    rows = re.findall(rf"^\| ({'|'.join(STAGES)}) \|((?: [\d.,]+ \|){{6}})$", page, re.MULTILINE)
    assert [name for name, _ in rows] == list(STAGES)
    costs = [[float(cell.replace(",", "")) for cell in cells.split("|")[:4]] for _, cells in rows]
    total_s = sum(start + 1000 * router + 50_000 * million + 5 * plan for start, router, million, plan in costs)
    (shown,) = re.findall(r"^\| 1,000 \| 50,000,000 \| 64 \| ([\d,]+) \|", page, re.MULTILINE)
    # The table of costs has three decimals: half a thousandth of a second for each of 50,000 million records.
    assert float(shown.replace(",", "")) == pytest.approx(total_s, abs=len(STAGES) * 0.0005 * 51_000)


def test_a_fit_finds_the_costs_that_nights_were_made_with(tmp_path: Path) -> None:
    nights = {size: {name: Used(cost.cpu_s(size), 1.0, 300.0) for name, cost in KNOWN.items()} for size in FITTED}
    largest = tmp_path / f"{FITTED[3].routers}x{FITTED[3].records}"
    for name, size in (("lake", 40_000_000), ("flows", 120_000_000)):
        (largest / name).mkdir(parents=True)
        with (largest / name / "file").open("wb") as file:
            file.truncate(size)
    model = capacity.fitted(nights, tmp_path)
    assert (model.lake_bytes, model.flow_file_bytes, model.peak_mb) == (10.0, 30.0, 300)
    for name, cost in KNOWN.items():
        assert model.costs[name].cpu_s(CHECKED) == pytest.approx(cost.cpu_s(CHECKED), rel=1e-3), name


def test_no_cost_is_negative_where_noise_would_make_one_so(tmp_path: Path) -> None:
    (tmp_path / f"{FITTED[3].routers}x{FITTED[3].records}").mkdir()
    nights = {size: {name: Used(5.0 - size.routers / 2, 1.0, 1.0) for name in STAGES} for size in FITTED}
    model = capacity.fitted(nights, tmp_path)
    assert all(part >= 0 for cost in model.costs.values() for part in vars(cost).values())


def test_a_night_is_no_shorter_than_its_largest_router() -> None:
    model = Model(KNOWN, 512, 10.0, 30.0)
    one = Size(1, 50_000_000, 0)
    # 4.75 s of starts, 1 s of the router, 0.9 s for each million records.
    assert model.hours(one, 64) * 3600 == pytest.approx(4.75 + 1.0 + 45.0)
    assert model.hours(Size(100, 50_000_000, 0), 10) * 3600 == pytest.approx((4.75 + 100 + 4500) / 10)
    assert model.memory_gib(Size(100, 1, 0), 10) == 5


def test_the_page_counts_the_days_that_pruning_leaves() -> None:
    settings = SimpleNamespace(retention=SimpleNamespace(lake_days=400), ageing=SimpleNamespace(days=30))
    kept = kept_lake_days(cast(Settings, settings))
    assert kept is not None
    assert f"{kept - 400} more than `[retention] lake_days`" in capacity.PAGE.read_text(encoding="utf-8")


def test_on_a_machine_of_the_page_as_many_routers_are_at_work_as_it_says() -> None:
    model = capacity.stored_model(capacity.PAGE.read_text(encoding="utf-8"))
    for routers, records, cores in capacity.SHOWN:
        free_mib = 1024 * model.memory_gib(Size(routers, records, 0), cores)
        assert jobs_within(Machine(cores, free_mib), routers) == min(cores, routers)
    assert model.peak_mb <= model.job_mib


def test_a_page_without_a_model_is_told() -> None:
    with pytest.raises(ValueError, match="holds no model"):
        capacity.stored_model("# How large a machine\n")
