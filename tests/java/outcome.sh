#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command and looks at how it ended.
# usage: outcome.sh STATUS SECONDS [PATTERN | !PATTERN]... -- command
#   STATUS   the exit status it must have, or `nonzero`
#   SECONDS  how long it may take; less than OUTCOME_LEAST_S (1200) counts as that, because it is there to end what
#            hangs
#   PATTERN  (grep -E) a line it must print; with ! in front one it must not
# A command that ends with 77, which means skipped, is passed on as that, unless it is the status wanted.
# A line `now MILLISECONDS` (since 1970) in the output starts a clock: the command must end soon after it.
. "$(dirname "$0")/../wait_lib.sh"
status=$1
limit=$2
shift 2
[ "$limit" -ge "${OUTCOME_LEAST_S:-1200}" ] || limit=${OUTCOME_LEAST_S:-1200}

# The patterns are the arguments up to --, kept one a line.
patterns=
while [ "$1" != "--" ]; do
    patterns="$patterns$1
"
    shift
done
shift

output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
begin=$(date +%s%N)
timeout -k 1 $((limit + 30)) "$@" > "$output" 2>&1 < /dev/null
got=$?
end=$(date +%s%N)
took=$(((end - begin) / 1000000))

fail() {
    echo "outcome: $1"
    echo "--- $got after $took ms, output:"
    cat "$output"
    exit 1
}

# What it needs is not here, which it says: the test is skipped, where ctest knows that it may be.
[ $got -ne 77 ] || [ "$status" = 77 ] || {
    cat "$output"
    exit 77
}
case $status in
nonzero) [ $got -ne 0 ] || fail "the status is 0" ;;
*) [ $got -eq "$status" ] || fail "the status is $got, not $status" ;;
esac
[ $took -le $((limit * 1000)) ] || fail "it took $took ms, more than $limit s"
moment=$(sed -n "s/^now //p" "$output" | tail -n 1)
if [ -n "$moment" ]; then
    late=$((end / 1000000 - moment))
    soon=$(patience_ms 10000)
    [ $late -le "$soon" ] || fail "it ended $late ms after the fact, more than $soon ms"
fi
printf "%s" "$patterns" | while read -r pattern; do
    case $pattern in
    '') ;;
    !*) ! grep -E -e "${pattern#!}" "$output" || exit 1 ;;
    *) grep -E -q -e "$pattern" "$output" || { echo "missing: $pattern"; exit 1; } ;;
    esac
done || fail "the output is not as expected"
cat "$output"
