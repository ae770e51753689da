"""The vendor-neutral model of a router's filters and class of service: built, validated, stored as JSON."""
