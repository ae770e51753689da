-- Grain: one row a source and destination host between which something was sent that is no alpha flow, within the day.
--
-- Input: the view flows (etl/schema.py), of one router, and two relations of etl/measure/beta_between.py: alpha_pairs,
-- the prefix pairs whose hosts are asked about, and alpha_flows, the alpha flows of the day (ports and protocol -1: all
-- traffic between the two hosts is one). Parameters: from_ms, to_ms (the day: (from, to], as in detection),
-- with_exporters (1: each exporter is a metering point; 0: exporters see different traffic, and only ingress and egress
-- are compared).
--
-- 1. alpha_hosts: pairs of hosts that some prefix pair matches, once however many do; as in interface_load.sql.
-- 2. moved, clipped: as there, records of one flow that all claim the same start count from the end of the one before,
--    and a record's bytes are spread evenly over its time.
-- 3. readings, ranked: a flow counts once, at the metering point that read most of it; as in interface_load.sql.
--
-- Sums are whole numbers of 38 digits: of the largest counters they pass 2^63.
with

{alpha_hosts},

asked_records as (
    select flows.*
    from flows
    inner join alpha_hosts
        on flows.ip_version = alpha_hosts.ip_version
        and flows.src_hi = alpha_hosts.src_hi
        and flows.src_lo = alpha_hosts.src_lo
        and flows.dst_hi = alpha_hosts.dst_hi
        and flows.dst_lo = alpha_hosts.dst_lo
),

timed as (
    select
        *,
        {previous_last_ms} as previous_last_ms
    from asked_records
),

moved as (
    select
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol,
        exporter_hi * {with_exporters} as point_hi,
        exporter_lo * {with_exporters} as point_lo,
        direction, output_interface,
        coalesce(previous_last_ms, first_ms) as start_ms,
        last_ms, bytes
    from timed
),

clipped as (
    select
        *,
        last_ms - start_ms as duration_ms,
        least(greatest({from_ms} - start_ms, 0), last_ms - start_ms) as from_offset_ms,
        least({to_ms} - start_ms, last_ms - start_ms) as to_offset_ms
    from moved
    where last_ms > {from_ms} and start_ms <= {to_ms}
),

apportioned as (
    select
        *,
        {bytes_between} as day_bytes
    from clipped
),

readings as (
    select
        ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol, point_hi, point_lo, direction,
        sum(cast(case when output_interface > 0 then bytes else 0 end as decimal(38, 0))) as known_bytes,
        sum(cast(bytes as decimal(38, 0))) as read_bytes,
        sum(cast(day_bytes as decimal(38, 0))) as day_bytes
    from apportioned
    group by ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol, point_hi, point_lo, direction
),

{ranked}

select
    ranked.ip_version, ranked.src_hi, ranked.src_lo, ranked.dst_hi, ranked.dst_lo,
    sum(ranked.day_bytes) as bytes
from ranked
left join alpha_flows
    on ranked.ip_version = alpha_flows.ip_version
    and ranked.src_hi = alpha_flows.src_hi
    and ranked.src_lo = alpha_flows.src_lo
    and ranked.dst_hi = alpha_flows.dst_hi
    and ranked.dst_lo = alpha_flows.dst_lo
    and ranked.src_port = case when alpha_flows.protocol = -1 then ranked.src_port else alpha_flows.src_port end
    and ranked.dst_port = case when alpha_flows.protocol = -1 then ranked.dst_port else alpha_flows.dst_port end
    and ranked.protocol = case when alpha_flows.protocol = -1 then ranked.protocol else alpha_flows.protocol end
where ranked.place = 1 and alpha_flows.ip_version is null
group by ranked.ip_version, ranked.src_hi, ranked.src_lo, ranked.dst_hi, ranked.dst_lo
order by ranked.ip_version, ranked.src_hi, ranked.src_lo, ranked.dst_hi, ranked.dst_lo
