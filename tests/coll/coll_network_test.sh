#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every algorithm over a network: coll_network_test.sh tcp|hybrid LAUNCHER SUITE CASES PRIMITIVES GROUPS
#
# Ranks are processes of this machine. With `tcp` all messages go by TCP, and the knob coll.node_ranks plays several
# nodes. With `hybrid` they are on several hosts as tests/p2p/apart.sh makes them: shared memory inside, TCP between.
#
# CORUNNA_TEST_COUNT and CORUNNA_TEST_SEED are coll_suite's. In the end every algorithm that is not for one node only
# must have been met.
set -eu
kind=$1 launcher=$2 suite=$3 cases=$4 primitives=$5 groups=$6
apart=$(dirname "$0")/../p2p/apart.sh
seed=${CORUNNA_TEST_SEED:-$(date +%s)}
export CORUNNA_TEST_COUNT="${CORUNNA_TEST_COUNT:-1}"
work=$(mktemp -d "${TMPDIR:-/tmp}/coll_network.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# job SETTINGS RANKS HOSTS COMMAND...: one job. The settings are variables; HOSTS are options of the launcher, or none.
job() {
    settings=$1 ranks=$2 hosts=$3
    shift 3
    if [ -n "$hosts" ]; then
        set -- "APART=$hosts" "$apart" "$launcher" "$ranks" "$@"
    else
        set -- "$launcher" run --timeout 1200 -n "$ranks" "$@"
    fi
    # shellcheck disable=SC2086
    if ! env CORUNNA_TEST_SEED="$seed" $settings "$@" > "$work/out" 2> "$work/err"; then
        cat "$work/out" "$work/err"
        echo "FAILED: $kind: env CORUNNA_TEST_SEED=$seed $settings $*"
        exit 1
    fi
}

tell() {
    echo "$ranks ranks${hosts:+, $hosts}: $(grep '^coll: ' "$work/out")"
}

# As things are, or everything narrow, or asleep whenever there is nothing to do: the seed chooses.
settings_of() {
    case $((seed % 3)) in
    0) echo "CORUNNA_LOG=warn" ;;
    1) echo "CORUNNA_TCP_EAGER_MAX=64 CORUNNA_TCP_PACKET=1k CORUNNA_TCP_RETAIN=16k CORUNNA_SM_EAGER_MAX=64" ;;
    2) echo "CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0" ;;
    esac
}

# suite_job RANKS SETTINGS HOSTS: every algorithm, in one job; the next has another seed.
suite_job() {
    # shellcheck disable=SC2086
    job "$2 $(settings_of)" "$1" "$3" "$suite" --processes --met "$work/met" $primitives
    tell
    seed=$((seed + 1))
}

two='' five=''
if [ "$kind" = tcp ]; then
    export CORUNNA_DEV=tcpdev
    echo "seed $seed"
    for row in 2:0 3:0 3:2 4:0 4:2 5:0 5:3 8:0 8:3; do
        suite_job ${row%:*} "CORUNNA_COLL_NODE_RANKS=${row#*:}" ""
    done
else
    export CORUNNA_DEV=hybdev
    two="--hosts a:1,b:1" five="--hosts a:3,b:2"
    # Without hosts there is nothing to test; with them both wires are in use.
    APART="$five" "$apart" "$launcher" 5 "$launcher" info --routes > "$work/out" || {
        status=$?
        cat "$work/out"
        exit $status
    }
    grep -q '^rank 1 .* to rank 0: wire sm' "$work/out" && grep -q '^rank 4 .* to ranks 0-2: wire tcp' "$work/out" || {
        cat "$work/out"
        echo "FAILED: the hosts are not what they should be"
        exit 1
    }
    echo "seed $seed"
    for row in 2:a:1,b:1 3:a:2,b:1 4:a:2,b:2 5:a:3,b:1,c:1 8:a:3,b:3,c:2; do
        suite_job "${row%%:*}" "" "--hosts ${row#*:}"
    done
    # Neighbours are not on one host.
    suite_job 5 "" "--map node --hosts a:2,b:2,c:1"
    suite_job 8 "" "--map node --hosts a:4,b:4"
fi

# Several under way at once, and ranks that do not agree.
# shellcheck disable=SC2086
job "" 2 "$two" "$cases" $groups
tell
# shellcheck disable=SC2086
job "" 5 "$five" "$cases" $groups
tell

"$suite" --list | grep -v ' near$' | sort > "$work/wanted"
[ -s "$work/wanted" ] || {
    echo "FAILED: the list of algorithms is empty"
    exit 1
}
sort -u "$work/met" > "$work/met_once"
missing=$(comm -23 "$work/wanted" "$work/met_once")
[ -z "$missing" ] || {
    echo "FAILED: never met over $kind:"
    echo "$missing"
    exit 1
}
echo "all $(grep -c . "$work/wanted") algorithms that are not for one node only were met"
