-- Grain: one row per flow and metering point, in the order in which they count: a flow counts once, at the point that read
-- most of it (place 1). Bytes that name their output interface weigh first, since a point that does not know the interface
-- says less.
ranked as (
    select
        *,
        row_number() over (
            partition by ip_version, src_hi, src_lo, dst_hi, dst_lo, src_port, dst_port, protocol
            order by known_bytes desc, read_bytes desc, direction desc, point_hi, point_lo
        ) as place
    from readings
)
