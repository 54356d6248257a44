#!/bin/sh
# Runs once inside the half-built image and leaves the two class-data-sharing archives where the official image has them.
# An archive holds the classes that a real run loaded, so the run here is what the suite does: format, start, topic, records, SIGTERM.
# zstd, because its native library would be the first to miss something in this small system.
set -eu
export CLUSTER_ID=zJ2pVfTaQyKhx5cB1nW8gA
work=/tmp/train
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

fail() {
  tail -n 40 "$work/log" >&2
  echo "error: $1 (its last lines are above)" >&2
  exit 1
}

# The set-up class is a superset of "kafka-storage.sh format", so its archive serves both.
KAFKA_JVM_PERFORMANCE_OPTS="-Xlog:disable -XX:ArchiveClassesAtExit=/opt/kafka/storage.jsa" kafka-run-class.sh \
  kafka.docker.KafkaDockerWrapper setup --default-configs-dir /etc/kafka/docker \
  --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config >"$work/log" 2>&1 || fail "the storage could not be formatted"

KAFKA_JVM_PERFORMANCE_OPTS="-Xlog:disable -XX:ArchiveClassesAtExit=/opt/kafka/kafka.jsa" \
  kafka-server-start.sh /opt/kafka/config/server.properties >"$work/log" 2>&1 &
broker=$!
at=localhost:9092
{
  kafka-topics.sh --bootstrap-server "$at" --create --topic train --partitions 3 &&
    kafka-producer-perf-test.sh --topic train --num-records 1000 --record-size 100 --throughput -1 \
      --producer-props bootstrap.servers="$at" acks=all compression.type=zstd &&
    kafka-console-consumer.sh --bootstrap-server "$at" --topic train --from-beginning --max-messages 1000 --timeout-ms 30000 &&
    kafka-topics.sh --bootstrap-server "$at" --describe --topic train
} >"$work/use" 2>&1 || {
  tail -n 5 "$work/use" >&2
  fail "the broker could not be used"
}
kill -TERM "$broker"
wait "$broker" || true # 143: ended by SIGTERM, as meant
for archive in kafka storage; do
  [ -s "/opt/kafka/$archive.jsa" ] || fail "no /opt/kafka/$archive.jsa was written"
done
# Nothing of this run may end in the image.
rm -rf "$0" /tmp/kraft-combined-logs /tmp/hsperfdata_* /opt/kafka/logs/*
cp /etc/kafka/docker/*.properties /etc/kafka/docker/*.yaml /opt/kafka/config/
