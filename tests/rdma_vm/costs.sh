#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# costs.sh BUILD, inside the guest, after the devices were made: what a transfer costs, by the counters that the wire
# logs when it closes. A row is a job of some messages; the sum over both ranks, beyond that of a job without messages,
# must be as it says.
set -u
build=$1 messages=20
crowd=${GUEST_CROWD:-1} # as in rows.sh
failed=0

# The counters of both ranks, summed: "name value" lines.
counters() # kind, messages, settings
{
    # shellcheck disable=SC2086
    env $3 CORUNNA_LOG=debug timeout $((600 * crowd)) "$build/bin/corunna" run --timeout $((590 * crowd)) -n 2 \
        "$build/tests/rdma_vm/transfers" "$1" "$2" > /tmp/costs 2>&1 || { tail -n 5 /tmp/costs >&2; return 1; }
    awk '/ibv: packets/ {
            sub(/.*ibv: /, ""); gsub(/[(),]/, " ")
            for (i = 1; i < NF; i += 2) sum[$i == "bytes" ? "bytes" i : $i] += $(i + 1)
        }
        END { for (name in sum) print name, sum[name] }' /tmp/costs
}

row() # name, kind, settings, then counter=NUMBER, for each message, or counter=NUMBER+ONCE
{
    name=$1 kind=$2 settings=$3
    shift 3
    counters "$kind" $messages "$settings" > /tmp/found || { failed=1; return; }
    for expected; do
        counter=${expected%%=*} numbers=${expected#*=}
        each=${numbers%%+*} once=0
        case $numbers in *+*) once=${numbers#*+} ;; esac
        none=$(sed -n "s/^$counter //p" /tmp/none) found=$(sed -n "s/^$counter //p" /tmp/found)
        if [ $((found - none)) = $((messages * each + once)) ]; then
            echo "costs: $name: $counter $numbers"
        else
            echo "costs: $name: $counter: $((found - none)) for $messages messages, not $numbers"
            failed=1
        fi
    done
}

counters eager 0 "" > /tmp/none || exit 1
row "eager" eager "" packets=1 reads=0 writes=0 registrations=0
# Request, read, word that it is done. Registrations are made once, and found from then on.
row "read rendezvous" long "" packets=2 reads=1 writes=0 registrations=0+2
# Request, clearance, write; its immediate data is the word that it is done.
row "write rendezvous" long CORUNNA_IBV_GET_MAX=10k packets=2 reads=0 writes=1 registrations=0+2
row "no cache" long CORUNNA_IBV_CACHE=off packets=2 reads=1 registrations=2 hits=0
# Constant data lie in a file, which cannot be watched: registered anew each time, but not copied.
row "constant data" constant "" packets=2 reads=1 registrations=1+1
# 200000 bytes in frames of 8160: 25 packets, of which 24 continue a message, all copied while others are on the way.
row "packed in pieces" packed "" packets=27 pieces=24 overlapped=24 reads=0 writes=0
# A message and its answer.
counters answered 0 CORUNNA_IBV_MAILBOX=512 > /tmp/none || exit 1
row "mailbox" answered CORUNNA_IBV_MAILBOX=512 packets=2 mails=2 reads=0 writes=0 registrations=0
counters eager 0 "" > /tmp/none || exit 1
if [ -d /sys/module/siw ]; then
    # No immediate data over iWARP: a packet says that it is done.
    row "iWARP, write rendezvous" long "CORUNNA_IBV_DEVICE=siw0 CORUNNA_IBV_GET_MAX=10k" packets=3 reads=0 writes=1
fi
exit $failed
