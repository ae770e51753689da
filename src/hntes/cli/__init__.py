"""The command line and its reports."""
