#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Java benchmark at a few sizes, with every element compared: netpipe_java_test.sh BUILD SCRIPT
set -eu
# shellcheck source=tests/net/own_build_lib.sh
. "$(dirname "$0")/own_build_lib.sh"
"$script" "$dir/build" 1 --check --max 70 --ms 1 > "$dir/table"
cat "$dir/table"
lines() {
    grep -c "$1" "$dir/build/netpipe_java.csv"
}
failed=0
# 1, 2, 4, and three sizes around each of 8, 16, 32 and 64.
for how in plain agent direct; do
    for test in bytes ints doubles objects rmi-doubles; do
        sizes=$(lines "^$how,$test,") || true
        [ "$sizes" -eq 15 ] || { echo "$how $test: $sizes sizes instead of 15" >&2; failed=1; }
    done
    [ "$(lines "^$how,rmi-null,0,")" -eq 1 ] || { echo "$how: no call without an argument" >&2; failed=1; }
done
# Times of six tests and bandwidths of five, three curves each.
curves=$(grep -o 'data-curve=' "$dir/build/netpipe_java.html" | wc -l)
[ "$curves" -eq 33 ] || { echo "$curves curves instead of 33" >&2; failed=1; }
for wrong in "--max 0 bytes" "--ms" "letters" ""; do
    # shellcheck disable=SC2086 # words
    if java -cp "$build/lib/corunna.jar:$build/libexec/corunna/bench.jar" NetPipe $wrong 2> "$dir/error"; then
        echo "NetPipe takes \"$wrong\"" >&2
        failed=1
    fi
    grep -q '^usage: NetPipe' "$dir/error" || { echo "\"$wrong\": $(cat "$dir/error")" >&2; failed=1; }
done
[ "$(ls "$dir/build")" = "$(printf 'bin\nlib\nlibexec\nnetpipe_java.csv\nnetpipe_java.html')" ] ||
    { ls "$dir/build" >&2; failed=1; }
exit $failed
