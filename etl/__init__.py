"""Flow files in, alpha observations out: reading, sampling, time repair, the lake, completeness, detection."""
