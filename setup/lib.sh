# shellcheck shell=bash
# Shared by the set-up scripts; sourced, never run. Works with the bash 3.2 that macOS has.

# Without these, Ctrl-C ends only the command of the moment where that command (docker, say) exits by itself on SIGINT.
trap 'exit 130' INT
trap 'exit 143' TERM

say() { echo "setup: $*" >&2; }

# One line that says what stopped, where, and what to do; then the end.
fail() {
  echo "setup: $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# A folder of this user's own for locks and logs; not in the clone, since two clones share one engine.
state_dir() {
  local dir="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kafka-ha"
  mkdir -p "$dir" 2>/dev/null || fail "cannot make the folder $dir for locks and logs; set XDG_CACHE_HOME to a folder you can write to"
  echo "$dir"
}

# lock NAME: from here to the end of the script only one process of this user does NAME; a second one waits.
# Without flock (macOS) there is no lock: nothing is installed, started or built there.
lock() {
  local file
  have flock || return 0
  file="$(state_dir)/$1.lock"
  exec 9>"$file"
  flock -n 9 && return 0
  say "another set-up is at work on the $1; waiting for it"
  flock -w 900 9 || fail "waited 15 minutes for another set-up holding $file; end it and try again"
}

# as_root COMMAND...: directly or through sudo. 9>&- keeps the lock from passing to a daemon that outlives us.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@" 9>&-
  elif have sudo; then
    sudo -n "$@" 9>&- # -n: set-up asks no question
  else
    return 1
  fi
}

# may_install WHAT: ends with a line that says what is missing unless apt-get can be used here.
may_install() {
  have apt-get || fail "$1 is missing and this is not Debian or Ubuntu, where set-up could install it; install $1 and try again"
  [ "$(id -u)" -eq 0 ] && return 0
  have sudo || fail "$1 is missing, and installing it needs root or sudo; run as root: apt-get install $1"
  sudo -n true 2>/dev/null || fail "$1 is missing and sudo wants a password; run: sudo apt-get install $1"
}

# refresh_packages: a fresh machine has no package lists at all, or old ones.
refresh_packages() {
  local log
  log="$(state_dir)/apt.log"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update >"$log" 2>&1 ||
    fail "apt-get update did not work: $(last_words "$log"); whole log: $log"
}

# apt_install PACKAGE...
apt_install() {
  local log
  may_install "$*"
  say "installing $*"
  refresh_packages
  log="$(state_dir)/apt.log"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" >"$log" 2>&1 ||
    fail "apt-get could not install $*: $(last_words "$log"); whole log: $log"
}

# last_words FILE: its last line that says what went wrong, or its last line.
last_words() {
  local line
  line="$(grep -iE 'error|fail|cannot|unable|denied|no space' "$1" | tail -n 1)" || true
  [ -n "$line" ] || line="$(tail -n 1 "$1")"
  echo "${line:-nothing was printed}"
}
