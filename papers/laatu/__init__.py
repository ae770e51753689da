"""Fairness of per-flow and aggregate marking: a testbed of 10 Mb/s links, three-colour markers and GRED."""
