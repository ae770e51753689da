"""The stages of a night over the rooms below: what the command line and the scheduler both call."""
