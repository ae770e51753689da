-- An expression: the bytes of a record between two moments, from_offset_ms and to_offset_ms after its start.
--
-- They are spread evenly over its duration_ms, by cumulative floors: of adjacent spans none is created or lost.
case
            when duration_ms = 0 then bytes
            else
                (bytes // duration_ms) * (to_offset_ms - from_offset_ms)
                + ((bytes % duration_ms) * to_offset_ms) // duration_ms
                - ((bytes % duration_ms) * from_offset_ms) // duration_ms
        end
