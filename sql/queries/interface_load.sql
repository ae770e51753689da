-- Grain: one row per output interface, clock minute, queue (in_alpha_queue), whether a pair in force matches (in_force),
-- sampling factor and whether the rows repeat what another metering point of the router counted.
--
-- It is asked of all records of a day, or only of those for which the parts' sums cannot speak (etl/measure/from_sums.py).
--
-- Input: the view flows (etl/schema.py), of one router, and the relation alpha_pairs (etl/measure/interface_load.py): one row per prefix
-- pair: in_rules is 1 if the rules put its packets into the alpha queue, in_force if the router's configuration did so on
-- the day. Parameters: from_ms, to_ms (the day: [from, to), whole
-- minutes), minute_ms, with_exporters (1: each exporter is a metering point; 0: exporters see different traffic, and only
-- ingress and egress are compared).
--
-- 1. point_count, readings, repeats: where a router has several metering points (exporters, or ingress and egress), a
--    flow counts once, as in detection: at the point that read most of it. Bytes that name their output interface weigh
--    first, since a point that does not know the interface says less. With one point nothing is compared.
-- 2. alpha_hosts: pairs of hosts that some prefix pair matches. Pairs have few combinations of lengths (shapes), and
--    each is an equality of masked addresses.
-- 3. moved: as in alpha_candidates.sql, records of one flow that all claim the same start count from the end of the one
--    before. Nearly all starts are of one record: only records whose start and cell (a hash of the 5-tuple) occur twice
--    are sorted. marked is as large as the day and read three times: `not materialized` streams it each time.
-- 4. apportioned: a record's bytes and packets go to its minutes by cumulative floors, so that none is created or lost.
--
-- Sums are whole numbers of 38 digits: of the largest counters they pass 2^63.
with

readings as (
    select
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol,
        exporter_hi * {with_exporters} as point_hi,
        exporter_lo * {with_exporters} as point_lo,
        direction,
        sum(cast(case when output_interface > 0 then bytes else 0 end as decimal(38, 0))) as known_bytes,
        sum(cast(bytes as decimal(38, 0))) as read_bytes
    from flows
    cross join (
        select count(*) as points
        from (select distinct exporter_hi * {with_exporters}, exporter_lo * {with_exporters}, direction from flows) as metering_points
    ) as point_count
    where point_count.points > 1 and last_ms >= {from_ms} and first_ms < {to_ms}
    group by
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol,
        exporter_hi * {with_exporters}, exporter_lo * {with_exporters}, direction
),

{ranked},

repeats as materialized (
    select *
    from ranked
    where place > 1
),

{alpha_hosts},

{moved},

in_scope as (
    select
        moved.output_interface,
        moved.sampling_factor,
        moved.start_ms,
        moved.bytes,
        moved.packets,
        moved.last_ms - moved.start_ms as duration_ms,
        -- the last millisecond in which it has bytes: one that ends with a minute has none in the next
        greatest(moved.last_ms - 1, moved.start_ms) as end_ms,
        coalesce(alpha_hosts.in_rules, 0) as in_alpha_queue,
        coalesce(alpha_hosts.in_force, 0) as in_force,
        case when repeats.place is null then 0 else 1 end as repeated
    from moved
    left join alpha_hosts
        on moved.ip_version = alpha_hosts.ip_version
        and moved.src_hi = alpha_hosts.src_hi
        and moved.src_lo = alpha_hosts.src_lo
        and moved.dst_hi = alpha_hosts.dst_hi
        and moved.dst_lo = alpha_hosts.dst_lo
    left join repeats
        on moved.ip_version = repeats.ip_version
        and moved.src_hi = repeats.src_hi
        and moved.src_lo = repeats.src_lo
        and moved.dst_hi = repeats.dst_hi
        and moved.dst_lo = repeats.dst_lo
        and moved.src_port = repeats.src_port
        and moved.dst_port = repeats.dst_port
        and moved.protocol = repeats.protocol
        and moved.exporter_hi * {with_exporters} = repeats.point_hi
        and moved.exporter_lo * {with_exporters} = repeats.point_lo
        and moved.direction = repeats.direction
    where greatest(moved.last_ms - 1, moved.start_ms) >= {from_ms} and moved.start_ms < {to_ms}
),

spread as (
    select
        output_interface, sampling_factor, in_alpha_queue, in_force, repeated,
        start_ms, duration_ms, bytes, packets,
        unnest(generate_series(
            greatest(start_ms, {from_ms}) // {minute_ms},
            least(end_ms, {to_ms} - 1) // {minute_ms}
        )) as minute
    from in_scope
),

clipped as (
    select
        *,
        least(greatest(minute * {minute_ms} - start_ms, 0), duration_ms) as from_offset_ms,
        least((minute + 1) * {minute_ms} - start_ms, duration_ms) as to_offset_ms
    from spread
),

apportioned as (
    select
        output_interface, sampling_factor, in_alpha_queue, in_force, repeated, minute,
        case when minute = greatest(start_ms, {from_ms}) // {minute_ms} then 1 else 0 end as begins,
        {bytes_between} as minute_bytes,
        case
            when duration_ms = 0 then packets
            else
                (packets // duration_ms) * (to_offset_ms - from_offset_ms)
                + ((packets % duration_ms) * to_offset_ms) // duration_ms
                - ((packets % duration_ms) * from_offset_ms) // duration_ms
        end as minute_packets,
        -- no IP packet is longer than 65535 bytes; the bound keeps the products below 2^63
        least(bytes // greatest(packets, 1), 65535) as packet_bytes
    from clipped
)

select
    output_interface,
    minute,
    in_alpha_queue,
    in_force,
    repeated,
    sampling_factor,
    -- a record of several minutes counts in the first
    cast(sum(begins) as bigint) as records,
    sum(cast(minute_bytes as decimal(38, 0))) as bytes,
    sum(cast(minute_packets as decimal(38, 0))) as packets,
    -- sum of bytes times the record's mean packet, in units of 64 bytes x 1 byte, rounded up
    sum(cast(((minute_bytes + 63) // 64) * packet_bytes as decimal(38, 0))) as square_bytes_64
from apportioned
group by output_interface, minute, in_alpha_queue, in_force, repeated, sampling_factor
order by output_interface, minute, in_alpha_queue, in_force, repeated, sampling_factor
