#!/usr/bin/env bash
# Everything that "make ha" and "make test" need on this machine: setup.sh KAFKA_VERSION
# Asks no question; a second run finds everything there and takes well under two seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
cd "$here/.."

# Go 1.21 is the oldest that fetches the toolchain named in go.mod by itself.
oldest_go=21

install_go() {
  local offered
  may_install golang-go
  refresh_packages
  offered=$(apt-cache policy golang-go | sed -n 's/.*Candidate: \([0-9]*:\)\{0,1\}1\.\([0-9]*\).*/\2/p')
  [ "${offered:-0}" -ge "$oldest_go" ] ||
    fail "Go is missing and this system's package has Go 1.${offered:-?}, but 1.$oldest_go or later is needed; install Go from go.dev/dl and try again"
  apt_install golang-go
}

check_go() {
  local minor
  have go || PATH=$PATH:/usr/local/go/bin # where Go's own archive puts it
  have go || install_go
  # Outside the module: inside it, a Go that is too old says only that it cannot read go.mod.
  minor=$(cd / && GOTOOLCHAIN=local go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  [ "${minor:-99}" -ge "$oldest_go" ] ||
    fail "$(command -v go) is Go 1.$minor, but 1.$oldest_go or later is needed; install Go from go.dev/dl and try again"
}

get_modules() {
  local log
  log="$(state_dir)/go-mod.log"
  go mod download >"$log" 2>&1 || fail "the Go modules could not be fetched: $(last_words "$log"); whole log: $log"
}

check_go
get_modules
bash "$here/engine.sh"
bash "$here/image.sh" "$@"
