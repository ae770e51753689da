"""Alpha flows as one would ask DuckDB for them by hand: the 5-tuples of more than 1 GB in two neighbouring minutes.

Any window of 60 s lies in two minutes, so they hold all alpha flows, and a flow too many where its bytes are in both.
"""

from collections.abc import Sequence
from pathlib import Path

import duckdb

KEY = "ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol"

# from records to minutes, from minutes to flows
_MINUTES = f"""
    spread as (
        select {KEY}, first_ms, last_ms, bytes, unnest(generate_series(first_ms // 60000, last_ms // 60000)) as minute
        from records
    ),
    minutes as (
        select {KEY}, minute, sum(
            case when last_ms = first_ms then bytes else bytes::double
            * (least(last_ms, (minute + 1) * 60000) - greatest(first_ms, minute * 60000)) / (last_ms - first_ms) end
        ) as sent
        from spread
        group by all
    ),
    two_minutes as (
        select {KEY}, sent
            + case when lag(minute) over by_time = minute - 1 then lag(sent) over by_time else 0 end as sent
        from minutes
        window by_time as (partition by {KEY} order by minute)
    )
    select distinct {KEY} from two_minutes where sent > 1e9
"""
QUERIES = {
    # the definition as it is written
    "plain": f"with records as (select * from flows), {_MINUTES}",
    # by somebody who knows that few flows have a gigabyte at all
    "plain, sums first": f"""
        with heavy as (select {KEY} from flows group by all having sum(bytes) > 1e9),
        records as (select flows.* from flows natural join heavy), {_MINUTES}
    """,
}


def flows(kind: str, parts: Sequence[Path], scratch: Path, threads: int, memory_mib: int) -> int:
    """How many flows one of the queries finds."""
    with duckdb.connect(":memory:") as connection:
        for name, value in (("threads", threads), ("memory_limit", f"{memory_mib}MiB"), ("temp_directory", scratch)):
            connection.execute(f"SET {name} = '{value}'")
        connection.execute("SET enable_progress_bar = false")
        connection.read_parquet([str(part) for part in parts]).create_view("flows")
        return len(connection.sql(QUERIES[kind]).fetchall())
