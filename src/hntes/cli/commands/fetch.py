"""Commands that fetch flows from where a collector keeps them, into the files that ingest reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import day_option, json_option, with_settings
from hntes.format import counted

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from hntes.settings.fetch import Kafka
    from hntes.settings.model import Settings


@click.command()
@click.argument("topic", required=False)
@with_settings
def consume(settings: Settings, topic: str | None) -> None:
    """Consumes a topic of Kafka with JSON flows into files, until it is stopped.

    Reads what goflow2 or pmacct send to TOPIC of [kafka] (by default the only one there) and writes a file per
    ingest.rotation_s into its folder. How far it was read is kept there, too: a consumer that is killed loses and
    doubles nothing. Run it as a service. Needs the extra `kafka`; secrets are taken from the environment:
    HNTES_KAFKA_PASSWORD and HNTES_KAFKA_KEY_PASSWORD.

    Exit status 0 after SIGTERM, 130 after Ctrl-C.
    """
    import signal

    from hntes import clock
    from hntes.etl.fetch.consumer import Consumer
    from hntes.etl.fetch.kafka_topic import KafkaTopic
    from hntes.etl.fetch.slot_files import SlotFiles

    options, name, folder = _chosen(settings, topic)
    stopped: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: stopped.append(number))

    def say(words: str) -> None:
        output.note(f"hntes: {words}")

    client = KafkaTopic(options, name, say)
    try:
        with SlotFiles(folder, client.cluster, name, client.incarnation) as files:
            consumer = Consumer(client, files, options, settings.ingest.rotation_s, clock.now_ms, say)
            output.note(f"topic {name} is consumed into {folder}; Ctrl-C ends it")
            consumer.run(lambda: bool(stopped))
    finally:
        client.close()
    raise click.exceptions.Exit(130 if stopped[0] == signal.SIGINT else 0)


@click.command()
@day_option
@json_option
@with_settings
def fetch_flows(settings: Settings, day: date, as_json: bool) -> None:
    """Fetches a day's flows from Akvorado's ClickHouse into Parquet files.

    Reads the table in [clickhouse] and writes a file per ingest.rotation_s into its folder, for each slot of which the
    table has more rows than the folder: run it again for what came late, and before the night. Needs the extra
    `clickhouse`; the password is taken from the environment: HNTES_CLICKHOUSE_PASSWORD.

    Exit status 1 if a slot has more rows than max_rows_per_slot.
    """
    from hntes import clock
    from hntes.etl.days import day_bounds_ms
    from hntes.etl.fetch.clickhouse import Table, fetch
    from hntes.etl.fetch.errors import FetchError

    options = settings.clickhouse
    if options is None:
        raise FetchError("the settings have no section [clickhouse]; it names the server and the folder")
    from_s, to_s = (moment_ms // 1000 for moment_ms in day_bounds_ms(day))
    # flows of the day are exported after it, too
    times_s = from_s, to_s + settings.ingest.max_record_delay_s
    table = Table(options)
    try:
        found = fetch(table, options, times_s, settings.ingest.rotation_s, clock.now_s())
    finally:
        table.close()
    words = f"{counted(found.rows, 'row')} in {counted(len(found.written), 'file')}"
    words = f"{day}: {words}, {counted(found.kept, 'file')} with all rows before"
    output.result(found, words, as_json=as_json)
    for refused in found.too_large:
        output.note(
            f"hntes: {refused.name} is not fetched: the table has {refused.rows} rows of it, more than "
            f"clickhouse.max_rows_per_slot ({options.max_rows_per_slot})"
        )
    if found.too_large:
        raise click.exceptions.Exit(1)


def _chosen(settings: Settings, topic: str | None) -> tuple[Kafka, str, Path]:
    from hntes.etl.fetch.errors import FetchError

    if settings.kafka is None:
        raise FetchError("the settings have no section [kafka]; it names the brokers, topics and folders")
    topics = settings.kafka.topics
    if topic is None and len(topics) > 1:
        raise FetchError(
            f"name one of the topics in kafka.topics: {', '.join(sorted(topics))}; run a consumer for each"
        )
    name = topic or next(iter(topics))
    if name not in topics:
        raise FetchError(f"kafka.topics has no topic {name}; there are: {', '.join(sorted(topics))}")
    return settings.kafka, name, topics[name]
