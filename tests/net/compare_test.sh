#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/sock/compare.sh: a figure for each way of a test, and words for wrong tests. compare_test.sh BUILD SCRIPT
set -eu
# shellcheck source=tests/net/own_build_lib.sh
. "$(dirname "$0")/own_build_lib.sh"
fail()
{
    echo "FAILED: $*" >&2
    cat "$dir"/*.out >&2
    exit 1
}

# 1: a figure is missed, which a busy machine may do.
"$script" "$dir/build" 1 c-64 pairs-16 > "$dir/table.out" 2> "$dir/errors.out" || [ $? -eq 1 ] || fail "the script"
for test in c-64 pairs-16; do
    for way in plain sock; do
        grep -q "^$test,$way,[0-9.]*\$" "$dir/build/compare.csv" || fail "no figure of $test, $way"
    done
    grep -q "^$test  *sock  *plain " "$dir/table.out" || fail "no line of $test"
done
[ "$(wc -l < "$dir/table.out")" -eq 3 ] || fail "lines of tests that were not asked for"

if "$script" "$dir/build" 1 c-65 2> "$dir/errors.out"; then fail "a wrong test is no error"; fi
grep -q 'there is no test c-65; the tests are c-64 ' "$dir/errors.out" || fail "a wrong test is not told"
if "$script" "$dir" 2> "$dir/errors.out"; then fail "a wrong folder is no error"; fi
grep -q '^usage: compare.sh' "$dir/errors.out" || fail "a wrong folder is not told"

# Connections of netpipe, each kind, plain and fast.
for options in "--echo 5" "--echo 2 --idle 20" "--pairs 3" "--only 1000"; do
    for prefix in "" "$build/bin/corunna sock"; do
        # shellcheck disable=SC2086 # words
        $prefix "$build/libexec/corunna/netpipe" $options --ms 20 > "$dir/netpipe.out" || fail "netpipe $options"
        awk '$NF > 0 { good = 1 } END { exit !good }' "$dir/netpipe.out" || fail "netpipe $options measures nothing"
    done
done
if "$build/libexec/corunna/netpipe" --idle 3 2> "$dir/netpipe.out"; then fail "idle connections without others"; fi
echo "figures are compared"
