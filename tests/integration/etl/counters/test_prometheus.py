"""Interface counters from Prometheus: what is asked, and answers that are none."""

import pytest

from hntes.etl.counters.prometheus import SOURCE, TOKEN_VARIABLE
from hntes.etl.counters.source import CounterSourceError
from hntes.settings.counters import Counters
from tests.support.prometheus_api import PrometheusServer, Series, prometheus

START_S = 1_795_478_400
DAY_MS = 86_400_000


def read(server: PrometheusServer, router: str = "r1", **section: object) -> list[tuple[str, str, int]]:
    settings = {"source": "prometheus", "prometheus": {"url": server.url, "timeout_s": 2, **section}}
    source = SOURCE.configured(Counters.model_validate(settings))
    found = source.read(router, START_S * 1000, START_S * 1000 + DAY_MS)
    return [(one.interface, one.direction, one.octets) for one in found]


def series(metric: str, router: str, samples: list[tuple[float, str]], **labels: str) -> Series:
    return {(("__name__", metric), ("instance", router), *labels.items()): samples}


def test_samples_of_a_whole_day_are_asked_for_in_spans_of_three_hours() -> None:
    samples = [(START_S + 60.0 * n, str(n)) for n in range(1440)]
    with prometheus(series("ifHCInOctets", "r1", samples, ifIndex="1")) as server:
        assert read(server) == [("1", "in", 1)] * 1439
        assert len(server.queries) == 8
        assert server.queries[0] == '{__name__=~"ifHCInOctets|ifHCOutOctets",instance="r1"}[10801s]'


def test_metrics_and_labels_of_gnmic() -> None:
    named = series("interface_in", "x", [(START_S + 1.0, "5"), (START_S + 61.5, "8")], source="sunn", name="et-0/0/0")
    with prometheus(named) as server:
        options = {"in_metric": "interface_in", "router_label": "source", "interface_label": "name"}
        assert read(server, **options, routers={"r1": "sunn"}) == [("et-0/0/0", "in", 3)]


def test_a_quotation_mark_in_a_name_ends_no_label() -> None:
    name = 'a"} or {x="\\'
    with prometheus(series("ifHCInOctets", name, [(START_S + 1.0, "5"), (START_S + 2.0, "8")], ifIndex="1")) as server:
        assert read(server, routers={"r1": name}) == [("1", "in", 3)]


def test_samples_that_are_no_counters_are_left_out() -> None:
    samples = [(START_S + n, value) for n, value in enumerate(("5", "NaN", "+Inf", "-1", "8"), start=1)]
    with prometheus(series("ifHCInOctets", "r1", samples, ifIndex="1")) as server:
        assert read(server) == [("1", "in", 3)]


def test_a_token_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with prometheus({}) as server:
        read(server)
        monkeypatch.setenv(TOKEN_VARIABLE, "s3cret")
        read(server)
        assert (server.tokens[0], server.tokens[-1]) == (None, "Bearer s3cret")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (503, b"", "answered 503"),
        (302, b"", "answered 302"),
        (200, b"<html>", "the answer is not JSON"),
        (200, b"[" * 100_000, "the answer is not JSON"),
        (200, b"{}", "no result"),
        (200, b'{"status": "error", "error": "query timed out"}', "query timed out"),
        (200, b'{"status": "success", "data": {"resultType": "vector", "result": []}}', "not a matrix"),
        (200, b'{"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {}}]}}', "ifIndex"),
        (200, b'{"status": "success", "data": {"resultType": "matrix", "result": 7}}', "TypeError"),
        (200, b" " * (2 << 20), "larger than 1 MiB"),
    ],
)
def test_an_answer_without_samples_is_an_error_that_names_the_server(status: int, body: bytes, said: str) -> None:
    with prometheus({}) as server:
        server.answer = lambda: (status, body)
        with pytest.raises(CounterSourceError, match=said) as caught:
            read(server, max_answer_mib=1)
    assert f"Prometheus at {server.url}, counters of r1" in str(caught.value)


def test_a_url_with_a_password_is_refused() -> None:
    with pytest.raises(ValueError, match="HNTES_PROMETHEUS_TOKEN"):
        Counters.model_validate({"source": "prometheus", "prometheus": {"url": "http://user:pw@host:9090"}})
