#!/usr/bin/env bash
# Makes sure that the image of the brokers is on the engine: image.sh [--build] VERSION
#
# The order of choice is the suite's own (README): KAFKA_HA_IMAGE if set; else apache/kafka:VERSION, local or pulled; else
# kafka-ha/kafka:VERSION, built here from Maven jars. --build builds that one in any case (make image).
# Prints one line when there is nothing to do. Once an image is built, no registry is asked any more; "docker pull
# apache/kafka:VERSION" by hand makes the official one the choice again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

on_engine() { docker image inspect "$1" >/dev/null 2>&1; }

# pull IMAGE: true when it arrived. A registry that answers may take ten minutes for the layers; one that does not
# answer (a firewall that drops packets) is given up after 20 seconds, since the built image is a good second choice.
pull() {
  local out pid waited=0 answered=
  out=$(mktemp)
  docker pull "$1" >"$out" 2>&1 &
  pid=$!
  # shellcheck disable=SC2064 # the values of now are meant
  trap "kill $pid 2>/dev/null || true; rm -f '$out'" EXIT
  while kill -0 "$pid" 2>/dev/null; do
    [ -n "$answered" ] || ! grep -q 'Pulling from' "$out" || answered=yes
    if [ "$waited" -ge 1200 ] || { [ -z "$answered" ] && [ "$waited" -ge 40 ]; }; then
      kill "$pid" 2>/dev/null || true
      break
    fi
    sleep 0.5
    waited=$((waited + 1))
  done
  wait "$pid" 2>/dev/null || {
    why=$(last_words "$out")
    grep -qi 'no space left' "$out" && fail "pulling $1: the disk of the engine is full; free 2 GB and try again"
    return 1
  }
}

# inputs: a hash of all that goes into a built image, kept as its label; another hash means build again.
inputs() {
  (cd "$here/image" && find . -type f | LC_ALL=C sort | xargs cat && echo "$version") | sha256sum | cut -c 1-32
}

is_current() {
  [ "$(docker image inspect -f '{{index .Config.Labels "kafka-ha.inputs"}}' "$1" 2>/dev/null)" = "$(inputs)" ]
}

install_build_tools() {
  local missing=()
  have jlink || missing+=(default-jdk-headless)
  have mvn || missing+=(maven)
  have busybox || missing+=(busybox-static)
  [ ${#missing[@]} -eq 0 ] || apt_install "${missing[@]}"
  # ldd and static busybox: the image holds only the libraries that bash and Java ask for.
  ! ldd "$(command -v busybox)" >/dev/null 2>&1 || apt_install busybox-static
}

build() {
  [ "$(uname -s)" = Linux ] || fail "building $built needs Linux; pull apache/kafka:$version or set KAFKA_HA_IMAGE"
  lock image
  if is_current "$built"; then # perhaps built by the set-up that we waited for
    say "image $built is there"
    return
  fi
  install_build_tools
  bash "$here/image/build.sh" "$version" "$(inputs)"
}

main() {
  local force=
  if [ "${1-}" = --build ]; then
    force=yes
    shift
  fi
  version=${1-}
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "KAFKA_VERSION is '$version'; want three numbers, such as 4.3.1"
  built=kafka-ha/kafka:$version
  official=apache/kafka:$version
  why=
  docker version >/dev/null 2>&1 || fail "no container engine answers; run make engine"

  if [ -n "$force" ]; then
    build
  elif [ -n "${KAFKA_HA_IMAGE-}" ]; then
    on_engine "$KAFKA_HA_IMAGE" || pull "$KAFKA_HA_IMAGE" ||
      fail "KAFKA_HA_IMAGE is $KAFKA_HA_IMAGE, which is not on the engine and cannot be pulled: ${why:-no answer}"
    say "image $KAFKA_HA_IMAGE is there (KAFKA_HA_IMAGE)"
  elif on_engine "$official"; then
    say "image $official is there"
  elif is_current "$built"; then
    say "image $built is there"
  elif say "pulling $official" && pull "$official"; then
    say "pulled $official"
  else
    say "$official cannot be pulled: ${why:-no answer}"
    build
  fi
}
main "$@"
