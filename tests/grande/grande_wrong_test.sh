#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# grande_wrong_test.sh BUILD: a class, a number of ranks or a transfer that does not fit gets one sentence and status 1.
build=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/grande_wrong.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

refused() { # ranks, code, arguments, sentence
    # shellcheck disable=SC2086
    java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar "$build/lib/corunna.jar" -np "$1" \
        -cp "$build/libexec/corunna/apps.jar" "grande.$2" $3 > "$scratch/out" 2> "$scratch/err"
    status=$?
    [ $status = 1 ] && ! [ -s "$scratch/out" ] && [ "$(grep -c "^grande $2: " "$scratch/err")" = 1 ] &&
        grep -qx "grande $2: $4" "$scratch/err" && return
    failures=$((failures + 1))
    echo "FAILED: $2 $3 on $1 ranks: status $status"
    cat "$scratch/out" "$scratch/err"
}

refused 1 RayTracer S "class is 'S'; classes are A, B and C"
refused 2 RayTracer C "class is 'C'; its classes are A and B"
refused 1 Section1 A "the number of ranks is 1; messages need 2 or more"
refused 2 Section1 "A bcast put" \
    "transfer is 'put'; transfers are pingpong, barrier, bcast, gather, scatter, reduce, alltoall"
exit $((failures > 0))
