-- Grain: one row per interface, side (0: records name it as their input, 1: as their output), metering point, direction of
-- metering, first and last slot of the records (of slot_ms), and sampling factor.
--
-- Input: the view flows (etl/schema.py), of one router. Parameters: from_ms, to_ms (records that touch [from, to)),
-- slot_ms, longest_ms, with_exporters (1: each exporter is a metering point; 0: exporters see different traffic).
--
-- 1. moved: as in interface_load.sql, so that a record that claims an early start is where its counters are. One that is
--    longer than exporters let records become (longest_ms, at least slot_ms) has its octets in that time before its end.
-- 2. grouped: what both sides are made of; few rows beside the records, as most are short.
--
-- Sums are whole numbers of 38 digits: of the largest counters they pass 2^63.
with

{moved},

sized as (
    select
        input_interface, output_interface, direction, sampling_factor,
        exporter_hi * {with_exporters} as point_hi,
        exporter_lo * {with_exporters} as point_lo,
        greatest(start_ms, last_ms - {longest_ms}) // {slot_ms} as first_slot,
        -- a record that ends with a slot has no bytes in the next
        greatest(last_ms - 1, start_ms) // {slot_ms} as last_slot,
        bytes, packets,
        cast(((bytes + 63) // 64) as decimal(19, 0)) * cast(least(bytes // greatest(packets, 1), 65535) as decimal(19, 0))
            as square_bytes_64,
        cast(bytes // 4096 as decimal(19, 0)) * cast(bytes // 4096 as decimal(19, 0)) as square_pages
    from moved
    where last_ms >= {from_ms} and start_ms < {to_ms}
),

grouped as materialized (
    select
        input_interface, output_interface, direction, point_hi, point_lo, first_slot, last_slot, sampling_factor,
        sum(cast(bytes as decimal(38, 0))) as bytes,
        sum(cast(packets as decimal(38, 0))) as packets,
        -- sum of bytes times the record's mean packet, in units of 64 bytes x 1 byte, rounded up
        sum(square_bytes_64) as square_bytes_64,
        -- sum of squares of the records' bytes, in units of 4096 bytes, rounded down
        sum(square_pages) as square_pages
    from sized
    group by
        input_interface, output_interface, direction, point_hi, point_lo, first_slot, last_slot, sampling_factor
),

sides as (
    select
        input_interface as interface_index, 0 as side,
        direction, point_hi, point_lo, first_slot, last_slot, sampling_factor,
        bytes, packets, square_bytes_64, square_pages
    from grouped
    union all
    select
        output_interface as interface_index, 1 as side,
        direction, point_hi, point_lo, first_slot, last_slot, sampling_factor,
        bytes, packets, square_bytes_64, square_pages
    from grouped
)

select
    interface_index, side, direction, point_hi, point_lo, first_slot, last_slot, sampling_factor,
    cast(sum(bytes) as double) as bytes,
    cast(sum(packets) as double) as packets,
    cast(sum(square_bytes_64) as double) as square_bytes_64,
    cast(sum(square_pages) as double) as square_pages
from sides
group by interface_index, side, direction, point_hi, point_lo, first_slot, last_slot, sampling_factor
order by interface_index, side, direction, point_hi, point_lo, first_slot, last_slot, sampling_factor
