"""The REST API: JSON for programs, beside the pages for people (docs/decisions/0083-rest-api.md)."""
