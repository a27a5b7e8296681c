#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory of a connection, as docs/sockets.md states it: memory_test.sh BUILD SCRIPT
set -eu
[ "$(getconf PAGESIZE)" = 4096 ] || { echo "skipped: pages are not of 4096 bytes here"; exit 77; }
build=$1
script=$2
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$script" "$build" 200 64k 256k > "$table"
cat "$table"
awk '
function wrong(text) { print "FAILED: " $0 ": " text; failed = 1 }
NR == 1 { next }
{ rows++; page = 4 }
$1 == "plain" && $6 != 0 { wrong("plain connections have rings") }
# A page of positions, and one of each ring once it is used.
$1 != "plain" && $2 == "open" && $6 > page + 0.5 { wrong("a connection that is not used has more than a page") }
$1 != "plain" && $2 == "asked" && $6 > 3 * page + 0.5 { wrong("more than three pages") }
# Messages of 16 KiB that are answered one by one use the begin of the rings again and again.
$1 != "plain" && $2 == "used" && ($6 < 32 + page || $6 > 64 + page) { wrong("not what such messages need") }
# Two kilobytes of the process, and what its tables need for a mapping of the rings.
$4 > 2 { wrong("more than 2 KiB of private memory") }
$5 > 8 { wrong("more than 8 KiB of tables") }
END {
    if (rows != 18) { print "FAILED: " rows " rows instead of 18"; failed = 1 }
    exit failed
}' "$table"
if "$script" /nowhere 2> "$table"; then exit 1; fi
grep -q '^usage: memory.sh' "$table"
