"""Campaigns that need more than this machine alone has: `make test-long` runs them, or says what is missing."""
