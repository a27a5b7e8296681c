#!/usr/bin/env bash
# elapsed.sh NAME SIZE command...: runs the command BENCH_BATCHES times and prints the wall-clock time of the fastest
# as the benchmarks print theirs. A run that fails ends it.
name=$1 size=$2
shift 2
best=0
for ((i = 0; i < ${BENCH_BATCHES:-1}; i++)); do
    start=${EPOCHREALTIME//[^0-9]/}
    "$@" || exit
    took=$((${EPOCHREALTIME//[^0-9]/} - start))
    [ "$best" = 0 ] || [ "$took" -lt "$best" ] && best=$took
done
printf '%s\t%s\t%d.%03d\tms\n' "$name" "$size" $((best / 1000)) $((best % 1000))
