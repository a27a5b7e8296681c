#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The launcher is killed, and what it has started would live on: the ranks notice and end, each with a sentence about
# the launcher, or about another rank that was sooner. They are not its children but those of a shell, so that what a
# launcher does for its children does not help. Only ours finds them all the same, and kills them.
#
#     orphan_test.sh CORUNNA CARELESS ORPHAN WAY      WAY: careless, corunna, hydra or openmpi. 77: it is not here.
set -eu
corunna=$1 careless=$2 orphan=$3 way=$4
. "$(dirname "$0")/../wait_lib.sh"
work=$(mktemp -d)
ranks=2
launcher=

pids()
{
    cat "$work"/begun.* 2> /dev/null || :
}

# What is left of a failed test: only what it has started itself, whose ids are in its own folder.
clean()
{
    for pid in $launcher $(pids); do
        kill -9 "$pid" 2> /dev/null || :
    done
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

fail()
{
    echo "FAILED: $way: $*" >&2
    cat "$work"/out "$work"/err.* >&2 || :
    exit 1
}

all_have_begun()
{
    [ "$(pids | wc -l)" -eq "$ranks" ] || ! kill -0 "$launcher" 2> /dev/null
}

all_have_ended()
{
    for pid in $(pids); do
        ! kill -0 "$pid" 2> /dev/null || return 1
    done
}

# The process that talks with the ranks.
daemon_of()
{
    case $way in
    hydra) cat "/proc/$1/task/$1/children" ;;
    *) echo "$1" ;;
    esac
}

# orphans COMMAND...: this launcher, with the ranks' command behind its own words.
orphans()
{
    rm -f "$work"/begun.* "$work"/err.*
    "$@" sh -c 'setsid "$0" "$1" 2> "$1/err.$$" < /dev/null & wait' "$orphan" "$work" > "$work/out" 2>&1 &
    launcher=$!
    wait_until all_have_begun || fail "the ranks do not begin"
    [ "$(pids | wc -l)" -eq "$ranks" ] || fail "the launcher has ended"
    kill -9 $(daemon_of "$launcher") "$launcher"
    wait "$launcher" 2> /dev/null || :
    wait_until all_have_ended || fail "ranks live on without their launcher"
    [ "$way" != corunna ] || return 0
    grep -q "^corunna: rank [0-9]* on .*: the launcher's process on this host has ended, and so this rank ends$" \
        "$work"/err.* || fail "no rank says why it ends"
    [ "$(grep -l "^corunna: rank [0-9]* on .*: .*ended" "$work"/err.* | wc -l)" -eq "$ranks" ] ||
        fail "not every rank says why it ends"
}

needs()
{
    command -v "$1" > /dev/null && return
    echo "skipped: there is no $1 here"
    exit 77
}

case $way in
careless)
    for dev in hybdev tcpdev; do
        CORUNNA_DEV=$dev orphans "$careless" $ranks 600
        CORUNNA_DEV=$dev CORUNNA_WAIT_SPIN_US=0 CORUNNA_WAIT_YIELDS=0 orphans "$careless" $ranks 600
    done
    ranks=1
    CORUNNA_DEV=smdev orphans "$careless" 1 600
    ;;
corunna) orphans "$corunna" run -n $ranks ;;
hydra)
    needs mpiexec.hydra
    orphans mpiexec.hydra -n $ranks
    ;;
openmpi)
    needs mpirun.openmpi
    unset PMI_FD PMI_RANK PMI_SIZE PMI_PORT PMIX_RANK PMIX_NAMESPACE
    orphans mpirun.openmpi --allow-run-as-root --oversubscribe -n $ranks
    ;;
esac
echo "all checks passed"
