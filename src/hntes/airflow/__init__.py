"""What HNTES adds to Airflow: installed as a package, for the triggerer and the executor import it, too."""
