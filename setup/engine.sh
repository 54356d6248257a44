#!/usr/bin/env bash
# Makes sure that a container engine answers; does nothing if one does.
#
# Where none answers on Debian or Ubuntu, docker.io is installed if it has to be and the daemon started: by systemd where
# systemd runs, by ourselves elsewhere (a container, CI, WSL). Elsewhere one line says what to do.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"
PATH=$PATH:/usr/sbin:/sbin # a plain user's PATH lacks dockerd

socket=/var/run/docker.sock
wait_seconds=${KAFKA_HA_ENGINE_WAIT:-60}
said= # what the client answered last

answers() { said=$(docker version 2>&1); }

no_permission() { [[ $said == *"permission denied"* ]]; }

# elsewhere: ends with one line when the client looks for its engine where we could not start one.
elsewhere() {
  [ -z "${DOCKER_HOST-}" ] || [ "$DOCKER_HOST" = "unix://$socket" ] ||
    fail "no engine answers at DOCKER_HOST=$DOCKER_HOST; start that engine or unset DOCKER_HOST"
  [ "$(uname -s)" = Linux ] ||
    fail "no container engine answers; start Docker Desktop (or another engine with a Docker socket) and try again"
  ! no_permission ||
    fail "an engine runs, but $(id -un) may not use $socket; run: sudo usermod -aG docker $(id -un), then log in again"
}

# alive FILE NAME: the process whose id is in FILE lives and is NAME, not another one that got the same id since.
alive() {
  local id
  id=$(cat "$1" 2>/dev/null) && [ "$(cat "/proc/$id/comm" 2>/dev/null)" = "$2" ]
}

# What a killed daemon or a restarted machine leaves in /run makes a new daemon refuse to start, or wait for a containerd
# that is not there.
remove_stale() {
  local file name
  for file in /var/run/docker.pid /var/run/docker/containerd/containerd.pid; do
    name=containerd
    [ "$file" != /var/run/docker.pid ] || name=dockerd
    [ ! -e "$file" ] || alive "$file" "$name" || as_root rm -f "$file"
  done
  for file in /run/containerd/containerd.sock /run/docker/containerd/containerd.sock; do
    [ ! -e "$file" ] || grep -q "$file\$" /proc/net/unix || as_root rm -f "$file"
  done
}

install_engine() {
  apt_install docker.io iptables
  have docker || apt_install docker-cli # a package of its own from Debian 13 on
  have dockerd || fail "docker.io is installed, but has no dockerd; install Docker Engine by hand"
}

# start_engine: sets pid to the daemon that we started; empty if something else starts or has started it.
start_engine() {
  local sudo=()
  pid=
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || fail "the engine is installed but not running, and starting it needs root; run: sudo systemctl start docker"
    sudo=(sudo -n)
  fi
  if [ -d /run/systemd/system ]; then
    say "starting the engine"
    "${sudo[@]}" systemctl start docker >"$log" 2>&1 || fail "systemctl could not start docker: $(last_words "$log"); see: journalctl -u docker"
  elif alive /var/run/docker.pid dockerd; then
    say "waiting for the engine that is starting" # by a package's script or a person
  else
    remove_stale
    say "starting the engine (its log: $log)"
    # A session of its own: Ctrl-C in this terminal is for the tests. 9>&-: the lock is not for the daemon to hold.
    setsid "${sudo[@]}" nohup dockerd >"$log" 2>&1 </dev/null 9>&- &
    pid=$!
  fi
}

# give_access: who has just had the engine installed is not in its group until the next login, but wants to use it now.
give_access() {
  as_root usermod -aG docker "$(id -un)"
  as_root chown "$(id -un)" "$socket"
}

await_engine() {
  local end=$((SECONDS + wait_seconds))
  until answers; do
    if no_permission && [ -n "$installed" ]; then
      give_access
      installed=
      continue
    fi
    elsewhere
    [ -z "$pid" ] || [ -d "/proc/$pid" ] || fail "the engine (dockerd) stopped: $(last_words "$log"); whole log: $log"
    [ "$SECONDS" -lt "$end" ] || fail "the engine did not answer within $wait_seconds s: $said; its log: $log"
    sleep 0.2
  done
}

main() {
  ! answers || return 0
  elsewhere
  lock engine
  ! answers || return 0 # the set-up that we waited for has done it
  log="$(state_dir)/dockerd.log"
  installed=
  if ! have dockerd; then
    install_engine
    installed=yes
  elif ! have docker; then
    apt_install docker-cli
  fi
  ! answers || return 0 # the package may have started it
  start_engine
  await_engine
  say "engine $(docker version -f '{{.Server.Version}}') answers"
}
main
