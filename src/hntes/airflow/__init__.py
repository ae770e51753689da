"""HNTES' extensions of Airflow, in a package since triggerer and executor import them, too."""
