#!/usr/bin/env bash
# Prints feature paths, a comma between them, from the root of the file system on: absolute.sh PATH[,PATH...]
set -euo pipefail
IFS=, read -r -a paths <<<"$1"
for i in "${!paths[@]}"; do
  case ${paths[i]} in
    /*) ;;
    *) paths[i]=$PWD/${paths[i]} ;;
  esac
done
(
  IFS=,
  echo "${paths[*]}"
)
