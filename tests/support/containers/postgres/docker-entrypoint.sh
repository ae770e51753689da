#!/bin/bash
# What the published image's entry point does with the parts of it that docker-compose.yml uses.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # the volume's own folder is the image's; initdb wants it for itself
  chmod 700 "$PGDATA" 2>/dev/null || true
  # shellcheck disable=SC2086  # options, separated by blanks
  initdb --username=postgres --pwfile="${POSTGRES_PASSWORD_FILE:?}" --auth-local=trust ${POSTGRES_INITDB_ARGS:-}
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    "$script"
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
