#!/usr/bin/env bash
# Builds kafka-ha/kafka:VERSION, a stand-in for apache/kafka:VERSION where no image registry can be reached.
# Usage: build.sh VERSION INPUTS_HASH (the hash becomes the label by which image.sh sees that nothing changed)
#
# Jars from Maven, a runtime cut from the installed JDK by jlink, busybox, bash and glibc's libraries are laid out as the
# official image has them, imported, run once to make the class-data-sharing archives, and committed under the final name.
# Only "docker import", "create", "start" and "commit" are used: they work alike with every engine, with or without BuildKit.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../lib.sh
. "$here/../lib.sh"

version=$1
inputs=$2
image=kafka-ha/kafka:$version
half=kafka-ha/half-built:$(id -u) # the caller holds the lock, so names by user are free of clashes
trainer=kafka-ha-half-built-$(id -u)
root= # the image's file tree, a folder that clean_up removes
step=start
log=

clean_up() {
  docker rm -fv "$trainer" >/dev/null 2>&1 || true
  docker image rm -f "$half" >/dev/null 2>&1 || true
  [ -z "$root" ] || rm -rf "$root" "$root.tar"
}

# stopped: the one line for a failed step, with the causes that people meet named.
stopped() {
  local why
  why=$(grep -m 1 '^\[ERROR\]' "$log") || why=$(last_words "$log") # Maven says it first and explains afterwards
  if grep -qiE 'no space left|tar: .*wrote only' "$log"; then # tar's way of saying it
    fail "building $image, $step: the disk is full ($(dirname "$root") or the engine's own); free 1 GB and try again"
  elif grep -qiE 'was not found in|Could not find artifact' "$log"; then
    fail "building $image, $step: the Maven registry has no Kafka $version; choose another KAFKA_VERSION"
  elif grep -qiE 'could not transfer|unknown host|network is unreachable|connection refused|timed out' "$log"; then
    fail "building $image, $step: the Maven registry cannot be reached; check the network or ~/.m2/settings.xml (log: $log)"
  fi
  fail "building $image, $step: $why (log: $log)"
}

run() { # STEP COMMAND...
  step=$1
  shift
  say "  $step"
  # A subshell under set -e, and no "||" behind it: that would switch set -e off in the whole step.
  set +e
  (set -e && "$@") >"$log" 2>&1
  local code=$?
  set -e
  [ "$code" -eq 0 ] || stopped
}

get_jars() {
  mvn -B -ntp -q -f "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy-dependencies \
    -Dkafka.version="$version" -DincludeScope=runtime -DoutputDirectory="$root/opt/kafka/libs" </dev/null
}

# What kafka_2.13, its tools and log4j (java.desktop, for java.beans) load, JMX for tools, and TLS and SASL for people who
# test their own settings.
modules=java.base,java.desktop,java.instrument,java.logging,java.management,java.management.rmi,java.naming,java.rmi,java.scripting
modules=$modules,java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.crypto.ec,jdk.httpserver,jdk.management
modules=$modules,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.security.jgss,jdk.unsupported,jdk.zipfs

make_runtime() {
  mkdir -p "$root/opt/java"
  "$(jdk)/bin/jlink" --add-modules "$modules" --output "$root/opt/java/openjdk" \
    --strip-java-debug-attributes --no-header-files --no-man-pages
  # Of java.desktop only java.beans is wanted; its native libraries would pull in those of a desktop.
  rm -f "$root"/opt/java/openjdk/lib/lib{awt*,fontmanager,freetype,javajpeg,jsound,lcms,mlib_image,splashscreen}.so
  # The base archive, which the two made in train.sh build upon; jlink leaves it out. Collector and heap as the broker's
  # own, since the objects in it are mapped without further work only then.
  "$root/opt/java/openjdk/bin/java" -XX:+UseG1GC -Xmx1G -Xshare:dump
}

# jdk: the folder of a JDK 17 or later that has jlink and its modules.
jdk() {
  dirname "$(dirname "$(readlink -f "$(command -v jlink)")")"
}

# Copies every library that ldd's output names, to the path where the loader looks for it.
copy_libraries() {
  local file
  grep -oE '/[^ )]+\.so[^ )]*' | sort -u | while read -r file; do
    case $file in "$root"/*) continue ;; esac # the runtime's own
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}

add_system() {
  local applet libc
  mkdir -p "$root"/{bin,usr/bin,usr/logs,etc/kafka/secrets,home/appuser,opt/kafka/logs,root,tmp,var/lib/kafka/data,var/tmp,mnt/shared/config}
  cp -L "$(command -v busybox)" "$root/bin/busybox"
  for applet in $(busybox --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
  done
  cp -L "$(command -v bash)" "$root/bin/bash"
  ln -s ../../bin/env "$root/usr/bin/env"
  find "$root/opt/java/openjdk" \( -name '*.so' -o -path '*/bin/java' \) -print0 | xargs -0 ldd "$root/bin/bash" | copy_libraries
  # Unseen by ldd: what the compressors in the jars unpack and load, and the name services of glibc before 2.34.
  libc=$(dirname "$(ldd "$root/bin/bash" | grep -oE '/[^ ]+/libc\.so\.6')")
  for applet in "$libc"/lib{pthread.so.0,dl.so.2,rt.so.1,resolv.so.2,nss_dns.so.2,nss_files.so.2}; do
    [ ! -e "$applet" ] || cp -L "$applet" "$root$applet"
  done
  printf 'root:x:0:0:root:/root:/bin/bash\nappuser:x:1000:1000::/home/appuser:/bin/bash\n' >"$root/etc/passwd"
  printf 'root:x:0:\nappuser:x:1000:\n' >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  printf 'NAME="kafka-ha broker image"\nID=kafka-ha\nVERSION_ID=%s\n' "$version" >"$root/etc/os-release"
}

add_kafka() {
  local name classes class jar
  mkdir -p "$root"/opt/kafka/{bin,config} "$root/etc/kafka/docker"
  cp "$here"/bin/*.sh "$root/opt/kafka/bin/"
  cp "$here"/docker/* "$root/etc/kafka/docker/"
  cp "$here"/docker/*.properties "$here"/docker/*.yaml "$root/opt/kafka/config/"
  cp "$here/train.sh" "$root/opt/kafka/"
  for jar in "$root"/opt/kafka/libs/kafka*.jar; do busybox unzip -l "$jar"; done >"$root/tmp/classes"
  while read -r name classes; do
    case $name in '#'* | '') continue ;; esac
    for class in $classes; do
      grep -q " ${class//.//}\.class$" "$root/tmp/classes" || continue
      printf '#!/bin/sh\nexec /opt/kafka/bin/kafka-run-class.sh %s "$@"\n' "$class" >"$root/opt/kafka/bin/$name"
      break
    done
    [ -e "$root/opt/kafka/bin/$name" ] || { echo "error: no jar of Kafka $version has any of: $classes"; return 1; }
  done <"$here/tools.txt"
  rm "$root/tmp/classes"
  chmod 755 "$root"/opt/kafka/bin/*.sh "$root/etc/kafka/docker/run" "$root/opt/kafka/train.sh"
}

# unbroken COMMAND...: what the engine makes and the client then names is finished before Ctrl-C counts, since the engine
# would go on without the client and make it after clean_up has looked.
unbroken() { (trap '' INT TERM; "$@"); }

# Owners are set in the archive, so that no root is needed here; 1000 is appuser.
import_tree() {
  local appuser=(./opt/kafka ./etc/kafka ./var/lib/kafka ./mnt/shared ./usr/logs ./home/appuser)
  chmod -R u+rwX,go+rX,go-w "$root"
  chmod 1777 "$root/tmp" "$root/var/tmp"
  chmod -R ug+w "$root"/{etc/kafka,var/lib/kafka,opt/kafka,mnt/shared,usr/logs}
  tar -C "$root" --numeric-owner --owner=0 --group=0 "${appuser[@]/#/--exclude=}" -cf "$root.tar" .
  tar -C "$root" --numeric-owner --owner=1000 --group=1000 -rf "$root.tar" "${appuser[@]}"
  unbroken docker import --change 'ENV JAVA_HOME=/opt/java/openjdk' --change 'ENV LANG=C.UTF-8' \
    --change 'ENV PATH=/opt/java/openjdk/bin:/opt/kafka/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    "$root.tar" "$half"
  rm "$root.tar"
}

make_archives() {
  unbroken docker create --name "$trainer" --network none --hostname localhost --user appuser "$half" /opt/kafka/train.sh
  docker start "$trainer"
  local code
  code=$(docker wait "$trainer") # unlike "run" or "start -a" it can be interrupted
  docker logs "$trainer"
  [ "$code" -eq 0 ]
}

commit() {
  local old
  old=$(docker image inspect -f '{{.Id}}' "$image" 2>/dev/null) || old=
  docker commit --change "LABEL kafka-ha.inputs=$inputs" --change "LABEL kafka-ha.kafka-version=$version" \
    --change 'USER appuser' --change 'EXPOSE 9092' --change 'CMD ["/etc/kafka/docker/run"]' \
    --change 'VOLUME ["/etc/kafka/secrets", "/var/lib/kafka/data", "/mnt/shared/config"]' "$trainer" "$image"
  [ -z "$old" ] || docker image rm "$old" || true # it has lost its name; refused while a container runs on it
}

main() {
  local began=$SECONDS
  log="$(state_dir)/image-build.log"
  trap "trap '' INT TERM; clean_up" EXIT # a second Ctrl-C must not stop the cleaning
  clean_up # what a killed build may have left
  root=$(mktemp -d "${TMPDIR:-/tmp}/kafka-ha-image.XXXXXX") || fail "cannot make a temporary folder in ${TMPDIR:-/tmp}; is the disk full?"
  say "building $image"
  run "getting the jars of Kafka $version from the Maven registry" get_jars
  run "cutting a Java runtime from $(jdk)" make_runtime
  run "adding a small system" add_system
  run "adding launchers" add_kafka
  run "importing" import_tree
  run "making the class-data-sharing archives" make_archives
  run "committing" commit
  say "built $image in $((SECONDS - began)) s"
}
main
