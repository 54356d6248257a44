#!/bin/sh
# Runs one class of Kafka: kafka-run-class.sh [-name NAME] [-loggc] [-daemon] CLASS [ARGUMENT...]
# The one place where JVM options are put together; every other launcher ends here.
# Honoured: JAVA_HOME, CLASSPATH, LOG_DIR, JMX_PORT, KAFKA_HEAP_OPTS, KAFKA_JVM_PERFORMANCE_OPTS, KAFKA_GC_LOG_OPTS,
# KAFKA_JMX_OPTS, KAFKA_LOG4J_OPTS, KAFKA_OPTS.
kafka=/opt/kafka
name=kafka
daemon=
gc_log=
while [ $# -gt 0 ]; do
  case $1 in
    -name) name=$2; shift 2 ;;
    -loggc) gc_log=yes; shift ;;
    -daemon) daemon=yes; shift ;;
    *) break ;;
  esac
done
if [ $# -eq 0 ]; then
  echo "kafka-run-class.sh: no class named; usage: kafka-run-class.sh [-name NAME] [-loggc] [-daemon] CLASS [ARGUMENT...]" >&2
  exit 1
fi

# A class-data-sharing archive is mapped only when the class path is, string for string, the one it was made with:
# hence absolute names, in the shell's sorted order, in every locale.
LC_ALL=C
libs=
for jar in "$kafka"/libs/*.jar; do libs=$libs:$jar; done
class_path=${CLASSPATH:+$CLASSPATH:}${libs#:}
unset LC_ALL

logs=${LOG_DIR:-$kafka/logs}
mkdir -p "$logs" 2>/dev/null
heap=${KAFKA_HEAP_OPTS:--Xmx256M}
tuning=${KAFKA_JVM_PERFORMANCE_OPTS:--server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35 -XX:+ExplicitGCInvokesConcurrent -Djava.awt.headless=true}
log4j=${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=$kafka/config/tools-log4j2.yaml}
gc=${KAFKA_GC_LOG_OPTS-}
if [ -n "$gc_log" ] && [ -z "$gc" ]; then
  gc="-Xlog:gc*:file=$logs/$name-gc.log:time,tags:filecount=10,filesize=100M"
fi
jmx=${KAFKA_JMX_OPTS-}
if [ -n "${JMX_PORT-}" ]; then
  jmx="${jmx:--Dcom.sun.management.jmxremote.authenticate=false -Dcom.sun.management.jmxremote.ssl=false} -Dcom.sun.management.jmxremote.port=$JMX_PORT"
fi

# Each variable holds a list of options, so they are split on purpose.
# shellcheck disable=SC2086
set -- "${JAVA_HOME:-/opt/java/openjdk}/bin/java" $heap $tuning $gc $jmx -Dkafka.logs.dir="$logs" $log4j \
  -cp "$class_path" ${KAFKA_OPTS-} "$@"
if [ -n "$daemon" ]; then
  nohup "$@" >"$logs/$name.out" 2>&1 </dev/null &
  exit 0
fi
# exec: the JVM takes over this process, so a SIGTERM from the engine reaches it and a broker leaves by controlled shutdown.
exec "$@"
