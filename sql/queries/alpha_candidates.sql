-- Grain: one row per flow record of a flow that may have carried more than the threshold in one window; a superset.
--
-- Input: the view flows (etl/schema.py), of one router. Parameters: from_ms, to_ms (the day with one window before it),
-- window_ms, threshold_bytes, with_ports (1: the flow key is the 5-tuple, 0: the pair of hosts), with_exporters (1: each
-- exporter is a metering point, 0: what several of them saw of a flow is added), cell_mask (cells of step 1 less one, a power
-- of two less one) and hash_seed, which decide how long the query takes, not its rows.
--
-- tos is -1 where the part is of before there was that column. It comes last in the order: it must not decide which of two
-- records that repeat each other is taken.
--
-- DuckDB is mostly given a table of the few records that step 1 would leave (etl/detect/suspects.py finds them for less).
--
-- Records that repeat others are left in: etl/detect/metering.py takes them out, and a sum with them is no less.
--
-- scoped is read twice and as large as the day: `not materialized` lets the engine stream it both times. What is
-- `materialized` is small: there are at most 2^20 cells (8 MB).
--
-- Sums count a record as at most one byte more than the threshold: what that decides stays the same, and sums of the
-- largest counters stay within 64 bits.
--
-- 1. busy_cells: bytes of all parts summed over a hash of some columns of the key, of which each engine has its own. A cell
--    holds at least what any key in it holds, so nothing is lost, and the exact steps see few rows. The seed is another one
--    each time: whoever forges flows does not know which of them meet in a cell.
-- 2. busy_keys: keys that carried more than the threshold at all, numbered; later steps go by the number.
-- 3. moved: records of one flow that all claim the same start count from the end of the one before (rule
--    start_never_moves: some routers never move the start; their counters are since the last export all the same).
--    A copy by another domain or interface may lack the one before: as metering.py does, the copies count from the latest
--    of their starts, also where that lies beyond the day.
-- 4. in_scope: of records that no window of the day can hold none is left, or they would have a say in which interface
--    counts (etl/detect/metering.py).
-- 5. busy_buckets: a window lies within two neighbouring buckets of its own length. A record's bytes are apportioned by
--    cumulative floors, so that none is created or lost; each record may lose less than 1 byte at each edge, which the
--    count of records makes up for.
with

{keyed},

scoped as not materialized (
    select
        exporter_hi, exporter_lo, direction, ip_version, src_hi, src_lo, dst_hi, dst_lo,
        key_exporter_hi, key_exporter_lo, key_src_port, key_dst_port, key_protocol,
        src_port, dst_port, protocol, input_interface, output_interface, exporter_domain,
        first_ms, last_ms, bytes, packets, sampling_factor, record_flags,
        known_tos as tos,
        cast(hash(src_lo, dst_lo, key_src_port, key_dst_port, {hash_seed}) & {cell_mask} as integer) as cell
    from keyed
),

busy_cells as materialized (
    select cell
    from scoped
    group by cell
    having sum(least(bytes, cast({threshold_bytes} as bigint) + 1)) > {threshold_bytes}
),

suspects as materialized (
    select scoped.*
    from scoped
    inner join busy_cells on scoped.cell = busy_cells.cell
),

busy_keys as (
    select
        key_exporter_hi, key_exporter_lo, direction, ip_version, src_hi, src_lo, dst_hi, dst_lo,
        key_src_port, key_dst_port, key_protocol,
        row_number() over (
            order by
                key_exporter_hi, key_exporter_lo, direction, ip_version, src_hi, src_lo, dst_hi, dst_lo,
                key_src_port, key_dst_port, key_protocol
        ) as key_number
    from suspects
    where last_ms >= {from_ms} and first_ms <= {to_ms}
    group by
        key_exporter_hi, key_exporter_lo, direction, ip_version, src_hi, src_lo, dst_hi, dst_lo,
        key_src_port, key_dst_port, key_protocol
    having sum(least(bytes, cast({threshold_bytes} as bigint) + 1)) > {threshold_bytes}
),

busy_records as (
    select suspects.*, busy_keys.key_number
    from suspects
    inner join busy_keys
        on suspects.key_exporter_hi = busy_keys.key_exporter_hi
        and suspects.key_exporter_lo = busy_keys.key_exporter_lo
        and suspects.direction = busy_keys.direction
        and suspects.ip_version = busy_keys.ip_version
        and suspects.src_hi = busy_keys.src_hi
        and suspects.src_lo = busy_keys.src_lo
        and suspects.dst_hi = busy_keys.dst_hi
        and suspects.dst_lo = busy_keys.dst_lo
        and suspects.key_src_port = busy_keys.key_src_port
        and suspects.key_dst_port = busy_keys.key_dst_port
        and suspects.key_protocol = busy_keys.key_protocol
),

timed as (
    select
        *,
        {previous_last_ms} as previous_last_ms
    from busy_records
),

moved as (
    select
        key_number,
        key_exporter_hi, key_exporter_lo, exporter_hi, exporter_lo, exporter_domain, direction,
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol,
        key_src_port, key_dst_port, key_protocol, input_interface, output_interface,
        first_ms, coalesce(previous_last_ms, first_ms) as start_ms,
        last_ms, bytes, packets, sampling_factor, record_flags, tos,
        case when previous_last_ms is null then 0 else 1 end as start_moved,
        max(coalesce(previous_last_ms, first_ms)) over (
            partition by
                exporter_hi, exporter_lo, direction, ip_version, src_hi, src_lo, dst_hi, dst_lo,
                src_port, dst_port, protocol, first_ms, last_ms, bytes, packets
        ) as copies_start_ms
    from timed
),

in_scope as materialized (
    select *
    from moved
    where last_ms > {from_ms} and copies_start_ms <= {to_ms}
),

spread as (
    select
        key_number,
        start_ms,
        bytes,
        last_ms - start_ms as duration_ms,
        unnest(generate_series(
            greatest(start_ms, {from_ms}) // {window_ms},
            least(last_ms, {to_ms}) // {window_ms}
        )) as bucket
    from in_scope
),

clipped as (
    select
        *,
        least(greatest(bucket * {window_ms} - start_ms, 0), duration_ms) as from_offset_ms,
        least((bucket + 1) * {window_ms} - start_ms, duration_ms) as to_offset_ms
    from spread
),

apportioned as (
    select
        key_number,
        bucket,
        {bytes_between} as bucket_bytes
    from clipped
),

buckets as (
    select
        key_number,
        bucket,
        sum(least(bucket_bytes, cast({threshold_bytes} as bigint) + 1)) + count(*) as bytes_at_most
    from apportioned
    group by key_number, bucket
),

neighbours as (
    select
        *,
        lag(bucket) over key_in_time as previous_bucket,
        lag(bytes_at_most) over key_in_time as previous_bytes
    from buckets
    window key_in_time as (
        partition by key_number
        order by bucket
    )
),

candidates as (
    select distinct key_number
    from neighbours
    where
        bytes_at_most
        + case when previous_bucket = bucket - 1 then previous_bytes else 0 end
        > {threshold_bytes}
)

select
    in_scope.ip_version, in_scope.src_hi, in_scope.src_lo, in_scope.dst_hi, in_scope.dst_lo, in_scope.key_src_port,
    in_scope.key_dst_port, in_scope.key_protocol, in_scope.key_exporter_hi, in_scope.key_exporter_lo,
    in_scope.direction, in_scope.exporter_hi, in_scope.exporter_lo, in_scope.src_port, in_scope.dst_port,
    in_scope.protocol, in_scope.exporter_domain, in_scope.input_interface, in_scope.output_interface,
    in_scope.first_ms, in_scope.start_ms, in_scope.last_ms, in_scope.bytes, in_scope.packets,
    in_scope.sampling_factor, in_scope.record_flags, in_scope.start_moved, in_scope.tos
from in_scope
inner join candidates on in_scope.key_number = candidates.key_number
order by
    in_scope.ip_version, in_scope.src_hi, in_scope.src_lo, in_scope.dst_hi, in_scope.dst_lo, in_scope.key_src_port,
    in_scope.key_dst_port, in_scope.key_protocol, in_scope.key_exporter_hi, in_scope.key_exporter_lo,
    in_scope.direction, in_scope.exporter_hi, in_scope.exporter_lo, in_scope.src_port, in_scope.dst_port,
    in_scope.protocol, in_scope.exporter_domain, in_scope.input_interface, in_scope.output_interface,
    in_scope.first_ms, in_scope.start_ms, in_scope.last_ms, in_scope.bytes, in_scope.packets,
    in_scope.sampling_factor, in_scope.record_flags, in_scope.start_moved, in_scope.tos
