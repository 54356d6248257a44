#!/bin/sh
# Starts a broker, a controller or both: kafka-server-start.sh [-daemon] FILE [--override KEY=VALUE]...
daemon=
if [ "${1-}" = -daemon ]; then
  daemon=-daemon
  shift
fi
if [ $# -eq 0 ]; then
  echo "kafka-server-start.sh: no properties file named; usage: kafka-server-start.sh [-daemon] FILE [--override KEY=VALUE]..." >&2
  exit 1
fi
: "${KAFKA_LOG4J_OPTS:=-Dlog4j2.configurationFile=/opt/kafka/config/log4j2.yaml}"
: "${KAFKA_HEAP_OPTS:=-Xmx1G -Xms1G}"
export KAFKA_LOG4J_OPTS KAFKA_HEAP_OPTS
# EXTRA_ARGS and -daemon are options of kafka-run-class.sh, split on purpose; set but empty, EXTRA_ARGS switches the GC log off.
# shellcheck disable=SC2086
exec /opt/kafka/bin/kafka-run-class.sh $daemon ${EXTRA_ARGS--name kafkaServer -loggc} kafka.Kafka "$@"
