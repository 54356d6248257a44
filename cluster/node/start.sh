#!/bin/sh
# What a node does when its container starts: format the volume if it is new, then become the broker or controller.
# It keeps to what apache/kafka images have (launchers in /opt/kafka/bin, archives beside them) and never asks which
# image it runs in. exec matters: SIGTERM has to reach the JVM, or a clean shutdown becomes a kill.
set -eu
settings=/kafka-ha/server.properties
checkpoint=/kafka-ha/bootstrap.checkpoint
if [ -f "$KAFKA_HA_DATA/meta.properties" ]; then
  : # formatted in an earlier life
elif [ -f "$checkpoint" ]; then # an earlier start of this image has formatted: see format.go
  cp "$checkpoint" "$KAFKA_HA_DATA/"
  printf 'version=1\ncluster.id=%s\nnode.id=%s\ndirectory.id=%s\n' \
    "$CLUSTER_ID" "$KAFKA_HA_NODE_ID" "$KAFKA_HA_DIRECTORY_ID" >"$KAFKA_HA_DATA/meta.properties"
else
  # shellcheck disable=SC2086 # the arguments are several words
  KAFKA_JVM_PERFORMANCE_OPTS="$KAFKA_HA_FORMAT_OPTS" \
    /opt/kafka/bin/kafka-storage.sh format --cluster-id "$CLUSTER_ID" --config "$settings" $KAFKA_HA_FORMAT_ARGS
fi
exec /opt/kafka/bin/kafka-server-start.sh "$settings"
