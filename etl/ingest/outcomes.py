"""Outcomes of records that more than one place counts."""

# Kept records that ended more than a day before they were received; those moved to the collector's clock.
DAYS_OLD, CLOCK_SHIFTED = "noted:days_old", "repaired:clock_shift"

# Rows that could not be read.
MALFORMED_ROW = "set_aside:malformed_row"
# Kept records whose times are not those of their own flow: of a sum over a period, or assumed.
PERIOD_TIMES, ASSUMED_TIMES = "noted:period_times", "noted:assumed_times"
# All records of a file whose collector does not tell how many exports it missed.
LOSSES_UNTOLD = "noted:losses_untold"
