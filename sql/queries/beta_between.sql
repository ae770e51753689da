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
-- Sums are whole numbers of 38 digits: of the largest counters they pass 2^63, where Spark stops the query.
with

shapes as (
    select distinct ip_version, src_mask_hi, src_mask_lo, dst_mask_hi, dst_mask_lo
    from alpha_pairs
),

masked as (
    select
        flows.ip_version, flows.src_hi, flows.src_lo, flows.dst_hi, flows.dst_lo,
        shapes.src_mask_hi, shapes.src_mask_lo, shapes.dst_mask_hi, shapes.dst_mask_lo,
        flows.src_hi & shapes.src_mask_hi as src_net_hi,
        flows.src_lo & shapes.src_mask_lo as src_net_lo,
        flows.dst_hi & shapes.dst_mask_hi as dst_net_hi,
        flows.dst_lo & shapes.dst_mask_lo as dst_net_lo
    from flows
    inner join shapes on flows.ip_version = shapes.ip_version
),

alpha_hosts as materialized (
    select distinct masked.ip_version, masked.src_hi, masked.src_lo, masked.dst_hi, masked.dst_lo
    from masked
    inner join alpha_pairs
        on masked.ip_version = alpha_pairs.ip_version
        and masked.src_mask_hi = alpha_pairs.src_mask_hi
        and masked.src_mask_lo = alpha_pairs.src_mask_lo
        and masked.dst_mask_hi = alpha_pairs.dst_mask_hi
        and masked.dst_mask_lo = alpha_pairs.dst_mask_lo
        and masked.src_net_hi = alpha_pairs.src_hi
        and masked.src_net_lo = alpha_pairs.src_lo
        and masked.dst_net_hi = alpha_pairs.dst_hi
        and masked.dst_net_lo = alpha_pairs.dst_lo
),

timed as (
    select
        flows.*,
        max(flows.last_ms) over (
            partition by
                flows.exporter_hi, flows.exporter_lo, flows.exporter_domain, flows.direction,
                flows.ip_version, flows.src_hi, flows.src_lo, flows.dst_hi, flows.dst_lo,
                flows.src_port, flows.dst_port, flows.protocol,
                flows.input_interface, flows.output_interface, flows.first_ms
            order by flows.last_ms
            range between unbounded preceding and 1 preceding
        ) as previous_last_ms
    from flows
    inner join alpha_hosts
        on flows.ip_version = alpha_hosts.ip_version
        and flows.src_hi = alpha_hosts.src_hi
        and flows.src_lo = alpha_hosts.src_lo
        and flows.dst_hi = alpha_hosts.dst_hi
        and flows.dst_lo = alpha_hosts.dst_lo
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
        case
            when duration_ms = 0 then bytes
            else
                (bytes // duration_ms) * (to_offset_ms - from_offset_ms)
                + ((bytes % duration_ms) * to_offset_ms) // duration_ms
                - ((bytes % duration_ms) * from_offset_ms) // duration_ms
        end as day_bytes
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

ranked as (
    select
        *,
        row_number() over (
            partition by ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol
            order by known_bytes desc, read_bytes desc, direction desc, point_hi, point_lo
        ) as place
    from readings
)

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
