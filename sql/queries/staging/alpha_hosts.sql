-- Grain: one row per pair of hosts that some prefix pair of alpha_pairs matches, once however many do; in_rules and
-- in_force are 1 if one of these pairs is.
--
-- Pairs have few combinations of lengths (shapes), and each is an equality of masked addresses.
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
    select
        masked.ip_version, masked.src_hi, masked.src_lo, masked.dst_hi, masked.dst_lo,
        max(alpha_pairs.in_rules) as in_rules,
        max(alpha_pairs.in_force) as in_force
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
    group by masked.ip_version, masked.src_hi, masked.src_lo, masked.dst_hi, masked.dst_lo
)
