"""A world from one seed: sites, routers, exporters, operators and months of nights, and what goes wrong in them.

`history` draws what happens, `run` lets it happen and asks after each event what must hold (`invariants`), `campaign`
runs many, and shortens the history of one that breaks. Everything follows from the seed.
"""
