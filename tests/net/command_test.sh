#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `corunna sock`: statistics of a process, words for wrong ones, and nothing left behind.
#
#   command_test.sh CORUNNA SOCK_CALLS NETPIPE
set -eu
. "$(dirname "$0")/../wait_lib.sh"
corunna=$1
calls=$2
netpipe=$3
fail()
{
    echo "FAILED: $*" >&2
    exit 1
}
ours()
{
    ls /dev/shm | grep -c '^corunna-sock-' || true
}

# ---- words ----
"$corunna" sock --help | grep -q -- --stats || fail "no help"
if "$corunna" sock 2> /dev/null; then fail "no program is no error"; fi
"$corunna" sock --ring 3x true 2>&1 | grep -q 'CORUNNA_NET_RING is "3x"' || fail "a wrong size is not told"
"$corunna" sock --stats nobody 2>&1 | grep -q 'number of a process' || fail "a wrong process is not told"
"$corunna" sock --stats $$ 2>&1 | grep -q 'has no fast sockets' || fail "a plain process is not told"
"$corunna" sock /nowhere/program 2> /dev/null && fail "a missing program is no error"
[ "$("$corunna" sock sh -c 'exit 3' || echo $?)" = 3 ] || fail "the status of the program is lost"
CORUNNA_NET_RING=junk LD_PRELOAD=$("$corunna" sock printenv LD_PRELOAD) "$calls" peek 2>&1 |
    grep -q 'fast sockets are off' || fail "a wrong setting is not told"

# is_fast PROCESS: have bytes of it gone through shared memory? Its statistics are printed into $stats.
is_fast()
{
    "$corunna" sock --stats "$1" > "$stats" 2>&1 &&
        awk '$1 == "ring_in" && $2 > 0 { good = 1 } END { exit !good }' "$stats"
}
no_more_than()
{
    [ "$(ours)" -le "$1" ]
}

# ---- statistics of a process that runs; killed, it leaves nothing ----
before=$(ours)
stats=$(mktemp)
job=
trap 'rm -f "$stats" "$stats.port"; [ -z "$job" ] || kill -9 "$job" 2> /dev/null || true' EXIT
"$corunna" sock "$netpipe" --max 64 --ms $((forever * 1000)) > /dev/null &
job=$!
wait_until is_fast $job || fail "no byte goes through shared memory: $(cat "$stats")"
kill -9 $job
wait $job 2> /dev/null || true
job=
wait_until no_more_than "$before" || fail "names are left in /dev/shm: $(ls /dev/shm)"

# ---- why a connection stays on TCP ----
# A server below the library takes connections from clients without it.
sed_counts='s/^\(client\) *\([0-9]*\) .*on TCP:.*/\1 \2/p'
"$corunna" sock "$calls" --serve-on "$stats.port" > /dev/null &
job=$!
has_port()
{
    [ -s "$stats.port" ]
}
wait_until has_port || fail "no server"
"$calls" --ask "$(cat "$stats.port")"
"$corunna" sock --stats $job > "$stats"
[ "$(sed -n "$sed_counts" "$stats")" = "client 1" ] || fail "the reason for TCP is not told: $(cat "$stats")"
rm -f "$stats.port"
kill -9 $job
wait $job 2> /dev/null || true
job=

# ---- plain at both ends ----
CORUNNA_NET_ON=no "$corunna" sock "$calls" sizes > /dev/null || fail "switched off"

# ---- no /dev/shm: the connection stays on TCP, and that is told once ----
. "$(dirname "$0")/../spaces_lib.sh"
if spaces_command --mount; then
    said=$($spaces sh -c "mount -t tmpfs -o ro none /dev/shm &&
        CORUNNA_LOG=warn '$corunna' sock '$calls' sizes 2>&1") ||
        fail "without /dev/shm: $said"
    [ "$(echo "$said" | grep -c 'stays on TCP')" = 1 ] || fail "without /dev/shm the reason is not told once: $said"
fi
echo "the command does what it says"
