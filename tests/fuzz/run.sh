#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM SECONDS           one fuzz target for so long
# run.sh --all FOLDER MINUTES      all targets that were built in FOLDER, for their share of the time, one on each CPU
#
# A target begins with the inputs of the tree and with those that runs before this one have found worth keeping. What
# it adds, and what breaks it (crash-*, timeout-*, oom-*, leak-*), goes to found/TARGET beside the program.
corpus=$(cd "$(dirname "$0")" && pwd)/corpus

fuzz_one() {
    name=$(basename "$1" .run)
    found=$(dirname "$1")/found/$name
    mkdir -p "$found" || exit 1
    set -- "$1" "$2" "$found"
    [ ! -d "$corpus/$name" ] || set -- "$@" "$corpus/$name"
    program=$1
    seconds=$2
    shift 2
    # The time of one input is by the clock of the wall: it ends what hangs, and leaves what is slow on a busy machine.
    # libFuzzer looks for leaks behind every input that frees less than it allocates; once more at the end takes seconds
    # on some machines.
    ASAN_OPTIONS=leak_check_at_exit=0 "$program" -max_total_time="$seconds" -timeout=1500 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/" "$@"
}

if [ "$1" != --all ]; then
    fuzz_one "$1" "$2"
    exit
fi
set -- "$2" "$3" "$2"/*.run
[ -e "$3" ] || {
    echo "make fuzz: no fuzz targets were built; they need clang with libFuzzer" >&2
    exit 1
}
folder=$1
minutes=$2
shift 2
cpus=$(getconf _NPROCESSORS_ONLN)
rounds=$((($# + cpus - 1) / cpus))
seconds=$((minutes * 60 / rounds))
echo "$# targets, $seconds s each, $cpus at a time"
failures=0
while [ $# -gt 0 ]; do
    batch=
    for cpu in $(seq "$cpus"); do
        [ $# -gt 0 ] || break
        name=$(basename "$1" .run)
        fuzz_one "$1" "$seconds" >"$folder/$name.log" 2>&1 &
        batch="$batch $!:$name"
        shift
    done
    for each in $batch; do
        if wait "${each%%:*}"; then
            inputs=$(grep -o 'executed_units: *[0-9]*' "$folder/${each#*:}.log" | tr -dc 0-9)
            echo "${each#*:}: nothing found ($inputs inputs)"
        else
            failures=$((failures + 1))
            echo "${each#*:}: broken; $folder/${each#*:}.log tells how, found/${each#*:} has the input"
        fi
    done
done
exit $((failures > 0))
