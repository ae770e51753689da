"""Outcomes of records that say what the source of a file cannot know."""

# Rows that could not be read.
MALFORMED_ROW = "set_aside:malformed_row"
# Kept records whose times are not those of their own flow: of a sum over a period, or assumed.
PERIOD_TIMES, ASSUMED_TIMES = "noted:period_times", "noted:assumed_times"
# All records of a file whose collector does not tell how many exports it missed.
LOSSES_UNTOLD = "noted:losses_untold"
