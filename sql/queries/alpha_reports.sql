-- Grain: one row per flow record that by itself makes its flow an alpha flow (the published heuristic: one NetFlow report
-- of at most one window that holds more than the threshold), within the day.
--
-- Input: the view flows (etl/schema.py), of one router. Parameters: from_ms, to_ms (the day), window_ms,
-- threshold_bytes, with_ports, with_exporters (as in alpha_candidates.sql). The columns are those of alpha_candidates.sql.
with

{keyed}

select
    ip_version, src_hi, src_lo, dst_hi, dst_lo,
    key_src_port, key_dst_port, key_protocol, key_exporter_hi, key_exporter_lo,
    direction, exporter_hi, exporter_lo, src_port, dst_port, protocol,
    exporter_domain, input_interface, output_interface,
    first_ms, first_ms as start_ms, last_ms, bytes, packets, sampling_factor, record_flags,
    0 as start_moved,
    known_tos as tos
from keyed
where
    bytes > {threshold_bytes}
    and last_ms - first_ms <= {window_ms}
    and last_ms > {from_ms}
    and last_ms <= {to_ms}
order by
    ip_version, src_hi, src_lo, dst_hi, dst_lo, key_src_port, key_dst_port, key_protocol,
    key_exporter_hi, key_exporter_lo, direction, exporter_hi, exporter_lo, src_port, dst_port, protocol,
    exporter_domain, input_interface, output_interface,
    first_ms, last_ms, bytes, packets, sampling_factor, record_flags, tos
