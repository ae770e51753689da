"""Records of a sampling exporter whose file announces no factor for them keep the one that is known."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.records import record_batch
from hntes.etl.sources.source import Exporter, Promise
from tests.support.judged import Judged, judge
from tests.support.raw_records import outcomes, raw

ADDRESS = "192.0.2.1"
FORMER = ExporterBaseline({ADDRESS: frozenset({1000})})
SILENT, TRANSIT = Exporter(1, ADDRESS, None, False), {"export_sysid": 1}
ANNOUNCING = Exporter(2, ADDRESS, 1000, True)


def found(
    exporters: list[Exporter], baseline: ExporterBaseline, claim: RouterExporters | None = None, **change: Any
) -> Judged:
    return judge([raw(TRANSIT | change)], [claim or RouterExporters("r1")], exporters, 300_000, baseline=baseline)


def counted(result: Judged) -> tuple[int, int, int]:
    (row,) = result.rows.to_pylist()
    return row["bytes"], row["packets"], row["sampling_factor"]


@pytest.mark.parametrize(
    ("exporters", "baseline", "source"),
    [
        ([SILENT], FORMER, "former"),
        ([], FORMER, "former"),
        ([SILENT, ANNOUNCING], ExporterBaseline(), "other_domain"),
        ([SILENT, ANNOUNCING], ExporterBaseline({ADDRESS: frozenset({1000, 10})}), "other_domain"),
    ],
)
def test_the_known_factor_counts_as_doubtful_and_is_told(
    exporters: list[Exporter], baseline: ExporterBaseline, source: str
) -> None:
    result = found(exporters, baseline)
    assert counted(result) == (15_000_000, 10_000, 1000)
    assert outcomes(result) == {"kept": 1, f"noted:{source}_factor": 1}
    assert result.exporters == {("r1", ADDRESS, f"noted:{source}_factor"): (1, 15_000)}
    assert [(one.factor, one.source, one.bytes) for one in result.evidence] == [(1000, source, 15_000)]
    (warning,) = result.warnings
    assert f'[[routers.sampling]] exporter = "{ADDRESS}" factor = 1000' in warning
    assert "factor = 1 allowed_factors = [1000]" in warning


@pytest.mark.parametrize(
    ("exporters", "baseline"),
    [
        ([SILENT], ExporterBaseline()),
        ([SILENT], ExporterBaseline({"192.0.2.9": frozenset({1000})})),
        # announced by another exporter, for some of the traffic, or as two factors
        ([SILENT, Exporter(2, "192.0.2.9", 1000, True)], ExporterBaseline()),
        ([SILENT, Exporter(2, ADDRESS, 1000, False)], ExporterBaseline()),
        ([SILENT, ANNOUNCING, Exporter(3, ADDRESS, 10, True)], ExporterBaseline()),
        # the domain itself says that it does not sample
        ([Exporter(1, ADDRESS, 1, True), ANNOUNCING], FORMER),
    ],
)
def test_records_that_may_be_unsampled_are_taken_as_they_are(
    exporters: list[Exporter], baseline: ExporterBaseline
) -> None:
    result = found(exporters, baseline)
    assert (counted(result), result.warnings) == ((15_000, 10, 1), [])


@pytest.mark.parametrize(("factor", "taken"), [(1, (15_000, 10, 1)), (7, (105_000, 70, 7))])
def test_the_settings_go_before_both(factor: int, taken: tuple[int, int, int]) -> None:
    claim = RouterExporters("r1", sampling={ADDRESS: factor}, allowed_factors={ADDRESS: (1000,)})
    result = found([SILENT, ANNOUNCING], FORMER, claim)
    assert (counted(result), result.warnings, outcomes(result)) == (taken, [], {"kept": 1})


@pytest.mark.parametrize(
    "baseline",
    [
        ExporterBaseline({}, frozenset({ADDRESS})),
        ExporterBaseline({ADDRESS: frozenset({10})}, mixed=frozenset({ADDRESS})),
        ExporterBaseline({ADDRESS: frozenset({1000})}, mixed=frozenset({ADDRESS})),
    ],
)
def test_an_announcement_for_another_domain_of_an_unsampled_exporter_changes_nothing(
    baseline: ExporterBaseline,
) -> None:
    """Who can send one option record in an exporter's name must neither enlarge its traffic nor doubt it."""
    result = found([SILENT, ANNOUNCING], baseline)
    assert (counted(result), outcomes(result)) == ((15_000, 10, 1), {"kept": 1})
    assert "announces 1:1000 for another observation domain" in result.warnings[0]
    assert f'[[routers.sampling]] exporter = "{ADDRESS}" factor = 1000' in result.warnings[0]


SELECTED = Exporter(1, ADDRESS, 1000, False)


def test_a_sampler_that_no_record_names_leaves_unsampled_records_in_doubt() -> None:
    result = found([SELECTED], ExporterBaseline())
    assert counted(result) == (15_000, 10, 1)
    assert outcomes(result) == {"kept": 1, "noted:unused_sampler": 1}
    assert result.exporters == {("r1", ADDRESS, "noted:unused_sampler"): (1, 15_000)}
    (warning,) = result.warnings
    assert "announces 1:1000 for a sampler that none of its 1 records names" in warning
    assert f'[[routers.sampling]] exporter = "{ADDRESS}" factor = 1000' in warning


def test_beside_records_of_the_sampler_others_are_of_ports_without_one() -> None:
    records = [raw(TRANSIT), raw(TRANSIT | {"sampled": 1, "in_packets": 10_000, "in_bytes": 15_000_000})]
    result = judge(records, [RouterExporters("r1")], [SELECTED], 300_000)
    assert outcomes(result) == {"kept": 2}
    assert result.warnings == []


@pytest.mark.parametrize("factor", [1, 1000])
def test_the_settings_end_the_doubt(factor: int) -> None:
    result = found([SELECTED], ExporterBaseline(), RouterExporters("r1", sampling={ADDRESS: factor}))
    assert (outcomes(result), result.warnings) == ({"kept": 1}, [])


class GrowingFile:
    """A file whose exporters are named in the midst of its records."""

    promise, marks_are_lost = Promise(2, None, 0), False

    def __init__(self) -> None:
        self.readings = 0

    def exporters(self) -> Sequence[Exporter]:
        return self._named

    def blocks(self) -> Iterator[pa.RecordBatch]:
        self.readings += 1
        self._named: list[Exporter] = [SILENT]
        yield record_batch(raw(TRANSIT))
        self._named = [SILENT, ANNOUNCING]
        yield record_batch(raw(TRANSIT))

    def warnings(self) -> Sequence[str]:
        return ()


class NoRows:
    def begin(self) -> None:
        pass

    def take(self, number: int, rows: object) -> None:
        pass


def test_an_announcement_after_the_records_counts_for_them_all() -> None:
    file = GrowingFile()
    result: Outcome = judge_file(file, [RouterExporters("r1")], 300_000, ExporterBaseline(), NoRows())
    assert file.readings == 2
    assert [(one.factor, one.source, one.records) for one in result.evidence] == [(1000, "other_domain", 2)]
