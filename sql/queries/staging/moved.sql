-- Grain: one row per flow record, with start_ms: when its counters began.
--
-- Records of one flow that all claim the same start count from the end of the one before. Nearly all starts are of one
-- record: only records whose start and cell (a hash of the 5-tuple) occur twice are sorted. marked is as large as the day
-- and read three times: `not materialized` streams it each time.
marked as not materialized (
    select
        *,
        (
            (src_lo & 65535) * 40503
            + (dst_lo & 65535) * 30011
            + ((src_lo // 65536) & 65535) * 7919
            + ((dst_lo // 65536) & 65535) * 10007
            + (src_hi & 65535) * 50021
            + (dst_hi & 65535) * 60013
            + cast(src_port as bigint) * 20011
            + cast(dst_port as bigint) * 20021
            + protocol
        ) & 1048575 as cell
    from flows
),

shared_starts as materialized (
    select first_ms, cell
    from marked
    group by first_ms, cell
    having count(*) > 1
),

repeated_starts as (
    select marked.*
    from marked
    inner join shared_starts on marked.first_ms = shared_starts.first_ms and marked.cell = shared_starts.cell
),

timed as (
    select
        *,
        {previous_last_ms} as previous_last_ms
    from repeated_starts
    union all
    select marked.*, cast(null as bigint) as previous_last_ms
    from marked
    left join shared_starts on marked.first_ms = shared_starts.first_ms and marked.cell = shared_starts.cell
    where shared_starts.cell is null
),

moved as (
    select
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol,
        exporter_hi, exporter_lo, direction, input_interface, output_interface, sampling_factor,
        coalesce(previous_last_ms, first_ms) as start_ms,
        last_ms, bytes, packets
    from timed
)
