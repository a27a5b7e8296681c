#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The figures and the picture of docs/sockets.md, at a few sizes: netpipe_picture_test.sh BUILD SCRIPT
set -eu
# shellcheck source=tests/net/own_build_lib.sh
. "$(dirname "$0")/own_build_lib.sh"
fail()
{
    echo "FAILED: $*" >&2
    cat "$dir/build/netpipe_picture.csv" >&2
    exit 1
}
"$script" "$dir/build" 2 --max 2048 --ms 1
csv=$dir/build/netpipe_picture.csv svg=$dir/build/netpipe_picture.svg
for curve in plain,c sock,c plain,java agent,java; do
    # Powers of two from 1 to 2048, once each, whatever the number of rounds.
    [ "$(grep -c "^$curve,[0-9]*,[0-9.]*\$" "$csv")" -eq 12 ] || fail "$curve has not 12 sizes"
    grep -q "^$curve,2048," "$csv" || fail "$curve has no figure of 2048 bytes"
done
grep -q '^# machine: .* CPUs' "$csv" && grep -q '^# measured: 20..-' "$csv" || fail "the head of the figures"
# Four curves in each panel, and four in the legend.
[ "$(grep -o 'class="curve ' "$svg" | wc -l)" -eq 12 ] ||
    fail "$(grep -o 'class="curve ' "$svg" | wc -l) curves instead of 12"
grep -v '^agent' "$csv" > "$dir/part"
here=$(dirname "$script")
if awk -f "$here/../picture_curves.awk" -f "$here/picture.awk" "$dir/part" > /dev/null 2> "$dir/error"; then
    fail "a missing curve is no error"
fi
grep -q 'no figure of agent,java' "$dir/error" || fail "a missing curve is not told"
if "$script" /nowhere 2> "$dir/error"; then fail "a folder without a build is no error"; fi
grep -q '^usage: netpipe_picture.sh' "$dir/error" || fail "no usage"
echo "the picture shows what was measured"
