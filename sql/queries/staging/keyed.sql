-- Grain: one row per flow record, with the columns key_* by which records are those of one flow.
--
-- with_ports 1: the flow key is the 5-tuple, 0: the pair of hosts. with_exporters 1: each exporter is a metering point, 0: what
-- several of them saw of a flow is added. known_tos is -1 where the part is of before there was a column tos.
-- It is as large as the day: `not materialized` streams it.
keyed as not materialized (
    select
        *,
        case when {with_exporters} = 1 then exporter_hi else 0 end as key_exporter_hi,
        case when {with_exporters} = 1 then exporter_lo else 0 end as key_exporter_lo,
        case when {with_ports} = 1 then src_port else -1 end as key_src_port,
        case when {with_ports} = 1 then dst_port else -1 end as key_dst_port,
        case when {with_ports} = 1 then protocol else -1 end as key_protocol,
        coalesce(tos, -1) as known_tos
    from flows
)
