-- An expression: the end of the record before, of those of one flow that all claim the same start; null for the first.
--
-- Such records count from the end of the one before (rule start_never_moves): some routers never move the start, and their
-- counters are since the last export all the same.
max(last_ms) over (
            partition by
                exporter_hi, exporter_lo, exporter_domain, direction,
                ip_version, src_hi, src_lo, dst_hi, dst_lo,
                src_port, dst_port, protocol,
                input_interface, output_interface, first_ms
            order by last_ms
            range between unbounded preceding and 1 preceding
        )
