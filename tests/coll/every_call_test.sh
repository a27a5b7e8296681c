#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every collective function of MPI, in all its forms, is called by a test: names from the list of all functions,
# calls from what the test's program imports.
#   every_call_test.sh FUNCTIONS PROGRAM PRIMITIVE...
set -u
functions=$1 program=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for primitive in "$@"; do
    printf '%s\ni%s\n' "$primitive" "$primitive"
done | awk '{ print "MPI_" toupper(substr($0, 1, 1)) substr($0, 2) }' > "$work/names"
# Each name as it is, persistent, and with large counts.
awk -F '[()]' 'NR == FNR { wanted[$1]; next }
    { name = $2; sub(/_c$/, "", name); sub(/_init$/, "", name) }
    name in wanted { print $2 }
' "$work/names" "$functions" > "$work/called"
nm -D --undefined-only "$program" | awk '{ print $2 }' | sort > "$work/imported"
sort "$work/called" | comm -23 - "$work/imported" | sed 's/$/ is called by no test/' > "$work/wrong"
count=$(wc -l < "$work/called")
# Six forms of each, but no large counts where nothing is counted.
expected=$((6 * $# - 3))
[ "$count" -eq "$expected" ] || echo "the table has $count collective functions, not $expected" >> "$work/wrong"
cat "$work/wrong"
[ ! -s "$work/wrong" ] && echo "all $count collective functions are called"
