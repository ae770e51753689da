"""Secrets and connections of each container: the table that docker-compose.yml is held to, as written and as run."""

_LAKE_KEY = "object_store_credentials"
_AIRFLOW = {"airflow_database_url", "airflow_fernet_key", "airflow_jwt_secret"}
# Secrets and networks of each service: whoever adds one here says why in docs/decisions.
NEEDS: dict[str, tuple[set[str], set[str]]] = {
    "postgres": ({"postgres_password", "hntes_database_password", "airflow_database_password"}, {"database"}),
    "hntes-migrate": ({"hntes_database_password"}, {"database"}),
    "airflow-migrate": ({"airflow_database_url"}, {"database"}),
    "nfcapd": (set(), {"exporters"}),
    "spark-master": ({"spark_secret"}, {"spark"}),
    "spark-worker": ({"spark_secret", _LAKE_KEY}, {"spark", "objects"}),
    "airflow-api": (
        _AIRFLOW | {"airflow_api_secret_key", "airflow_operator_password"},
        {"operators", "airflow", "database"},
    ),
    "airflow-scheduler": (
        _AIRFLOW | {"hntes_database_password", "spark_secret", _LAKE_KEY},
        {"airflow", "database", "spark", "objects"},
    ),
    "airflow-dag-processor": ({"airflow_database_url"}, {"database"}),
    "airflow-triggerer": (_AIRFLOW | {"hntes_database_password"}, {"airflow", "database"}),
    "web": ({"hntes_database_password"}, {"operators", "database"}),
    "object-store": ({"object_store_root_password"}, {"objects"}),
    "object-store-bucket": ({"object_store_root_password", "object_store_password"}, {"objects"}),
    "hntes": ({"hntes_database_password", "spark_secret", _LAKE_KEY}, {"database", "spark", "objects"}),
}
