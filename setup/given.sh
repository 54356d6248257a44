#!/usr/bin/env bash
# Ends with one line if a variable that make was given makes no sense. Whether the image can be had, and whether there is
# such a Kafka, image.sh finds out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=lib.sh
. "$here/lib.sh"

# check NAME PATTERN WANT: a variable that is empty or not set is right where the pattern takes it.
check() {
  local value=${!1-}
  [[ $value =~ ^($2)$ ]] || fail "$1 is '${value//$'\n'/ }'; want $3"
}

check KAFKA_VERSION '([4-9]|[1-9][0-9]+)\.[0-9]+\.[0-9]+' 'three numbers, from 4.0.0 on, such as 4.3.1'
check TAGS '(.*[A-Za-z0-9].*)?' 'tags, such as @A7, or nothing'
check KAFKA_HA_REPORT_DIR '(.*[^[:space:]].*)?' 'a folder, or nothing'
check KAFKA_HA_IMAGE '([A-Za-z0-9][A-Za-z0-9._:/@-]*)?' 'the name of an image, such as apache/kafka:4.3.1'
check RANDOM_ORDER '[0-9]{0,18}' '1 for a random order, or the seed that an earlier run printed'
check TIMEOUT '0|([0-9]{1,6}(\.[0-9]{1,6})?(ms|s|m|h))+' 'a time such as 20m or 1h30m, or 0 for no end'
