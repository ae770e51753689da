"""HNTES: alpha flows found in NetFlow, isolated on routers by configuration that was simulated first."""
