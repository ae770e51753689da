"""What a person touches: the command line and its reports."""
