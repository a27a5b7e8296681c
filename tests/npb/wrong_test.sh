#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wrong_test.sh BUILD KIND: a class, a number of ranks or a graph that does not fit gets one sentence and status 1,
# before any work.
build=$1 kind=$2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/npb_wrong.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0

refused() { # ranks, code, arguments, sentence
    name=$(echo "$2" | tr '[:lower:]' '[:upper:]')
    # shellcheck disable=SC2086
    case $kind in
        c) "$build/bin/corunna" run -n "$1" "$build/libexec/corunna/npb_$2" $3 > "$scratch/out" 2> "$scratch/err" ;;
        threads)
            java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -jar "$build/lib/corunna.jar" -np "$1" \
                -cp "$build/libexec/corunna/apps.jar" "npb.$name" $3 > "$scratch/out" 2> "$scratch/err"
            ;;
    esac
    status=$?
    [ $status = 1 ] && ! [ -s "$scratch/out" ] && [ "$(grep -c "^npb $name: " "$scratch/err")" = 1 ] &&
        grep -qx "npb $name: $4" "$scratch/err" && return
    failures=$((failures + 1))
    echo "FAILED: $2 $3 on $1 ranks: status $status"
    cat "$scratch/out" "$scratch/err"
}

refused 2 cg X "class is 'X'; classes are S, W, A, B and C"
refused 1 ep SS "class is 'SS'; classes are S, W, A, B and C"
refused 3 cg S "the number of ranks is 3; with class S it is a power of two up to 1024"
refused 3 ft W "the number of ranks is 3; with class W it is a power of two up to 32"
refused 5 dt "S XY" "the graph is 'XY'; graphs are BH, WH and SH"
refused 5 dt "S SH" "the number of ranks is 5; graph SH of class S needs at least 12"
refused 2 sp S "the number of ranks is 2; with class S it is a square, 1, 4, 9, up to 16"
refused 3 bt W "the number of ranks is 3; with class W it is a square, 1, 4, 9, up to 64"
refused 3 lu S "the number of ranks is 3; with class S it is a power of two up to 16"
exit $((failures > 0))
