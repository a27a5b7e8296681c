#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# suites.sh BUILD short|whole [WORD], inside the guest: the suites for point-to-point, collectives, communicators and
# Java over each way to use RDMA, a row each. Short: once, on few ranks, without the cases of volume, Java over one
# way, and over UCX and libfabric a sample.
# Whole: on several numbers of ranks, all cases. With a word only rows with it in the name.
#
# Left out: cases about time, which means nothing here.
set -u
build=$1 amount=$2 word=${3:-} table=suites
tests=$(cd "$(dirname "$0")/.." && pwd)
. "$tests/rdma_vm/devices.sh"
. "$tests/rdma_vm/rows.sh"
make_devices
p2p=$build/tests/p2p/p2p
primitives=$("$build/tests/coll/coll_suite" --list | cut -d ' ' -f 1 | sort -u)
cases=$("$p2p" --list | cut -d ' ' -f 1 | grep -v '^pending\..*_time$')
volume="-e ^random -e ^flood -e ^pending -e ^comm.cycles -e ^sizes.huge -e ^threads.own"
truncated=truncate # with its cases about memory that ranks of a node share
# A sample of the Java suite: arrays, objects and direct buffers, in messages and collectives.
sample="basics probes sharedObjects openPlaces"

# `by_verbs COMMAND...`: the command ends well, and its messages went over Soft-RoCE.
cat > /tmp/by_verbs << 'END'
#!/bin/sh
sends() { cat /sys/class/infiniband/rxe0/ports/1/hw_counters/rdma_sends; }
before=$(sends)
"$@" || exit
echo "$(($(sends) - before)) sends of the device"
[ $(($(sends) - before)) -gt 100 ]
END
chmod +x /tmp/by_verbs

# Memory that was freed is overwritten, so that a use of it is noticed.
strict="MALLOC_PERTURB_=165 GLIBC_TUNABLES=glibc.malloc.tcache_count=0"

# The rows of a wire: its name, settings, what shows that it was used, and what starts the ranks.
suites() # name, settings, around, start
{
    wire=$1 settings="CORUNNA_TEST_SLOW=1 $2" around=$3
    run="$around ${4:-$build/bin/corunna run --timeout $((limit * crowd)) -n}"
    # shellcheck disable=SC2086
    for ranks in $p2p_ranks; do
        row "$wire, point-to-point on $ranks ranks" "$limit" "$strict $settings" $run "$ranks" "$p2p" $cases
    done
    # shellcheck disable=SC2086
    for ranks in $coll_ranks; do
        row "$wire, collectives on $ranks ranks" "$limit" "$strict $settings CORUNNA_TEST_COUNT=1" $run "$ranks" \
            "$build/tests/coll/coll_suite" --processes $primitives
    done
    # shellcheck disable=SC2086
    for group in $coll_groups; do
        names=$group
        [ "$group" != truncate ] || names=$truncated
        row "$wire, collectives, $group, on 3 ranks" "$limit" "$strict $settings" $run 3 \
            "$build/tests/coll/coll_cases" $names
    done
    # shellcheck disable=SC2086
    for ranks in $comm_ranks; do
        row "$wire, communicators on $ranks ranks" "$limit" "$strict $settings CORUNNA_TEST_COUNT=50" $run "$ranks" \
            "$build/tests/comm/comm_suite" $comm_groups
    done
    [ -f "$build/lib/corunna.jar" ] || return 0
    # shellcheck disable=SC2086
    for ranks in $java_ranks; do
        row "$wire, Java on $ranks ranks" "$limit" "$settings" $run "$ranks" \
            java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
            -Dtest.messages=2000 -Dtest.object.bytes=2000000 -cp "$build/lib/corunna.jar:$build/tests/java/classes" \
            conform.Suite $java_cases
    done
}

case $amount in
    short)
        # shellcheck disable=SC2086
        cases=$(echo "$cases" | grep -v $volume)
        limit=900 p2p_ranks=2 coll_ranks=2 coll_groups="" comm_ranks=2 java_ranks=2 java_cases=$sample
        comm_groups="group create idup inter attribute cart graph request buffer" # the others make thousands
        ;;
    whole)
        limit=1800 p2p_ranks="2 3 4" coll_ranks="2 3 5" coll_groups="flight check truncate" comm_ranks="2 3 4" \
            java_ranks=2
        java_cases="" comm_groups=""
        ;;
esac

rxe="CORUNNA_DEV=ibvdev CORUNNA_IBV_DEVICE=rxe0"
suites "Soft-RoCE, RDMA CM" "$rxe CORUNNA_IBV_SETUP=cm" /tmp/by_verbs
[ "$amount" = whole ] || java_ranks="" # Java does not see how connections are made
suites "Soft-RoCE, exchange" "$rxe CORUNNA_IBV_SETUP=exchange" /tmp/by_verbs
[ ! -d /sys/module/siw ] || suites "soft-iWARP" "CORUNNA_DEV=ibvdev CORUNNA_IBV_DEVICE=siw0" ""

# Collectives go by messages: each rank counts as a node. UCX's endpoints of RC are connected over TCP: its UD does not
# come to an end on Soft-RoCE. With blocking connections, the default, UCX 1.13 crashes where both ranks connect at
# once.
apart="CORUNNA_COLL_NODE_RANKS=1" strict=""
truncated=$(sed -n 's/^COLL_CASE(truncate, \([a-z]*\),.*/truncate.\1/p' "$tests/coll/coll_cases.def")
export LD_LIBRARY_PATH="$build/lib"
if [ "$amount" = short ]; then # their own suites, over other transports, are in tests/ways.def
    cases="order sync truncate.posted" primitives=allreduce coll_ranks=3 comm_ranks="" java_ranks=""
fi
by_ucx="CORUNNA_UCX_TRANSPORTS=rc_verbs,tcp,self CORUNNA_UCX_INTERFACE=rxe0:1,lo UCX_IB_GID_INDEX=1 UCX_TCP_CONN_NB=y"
by_libfabric="CORUNNA_OFI_PROVIDER=verbs;ofi_rxm CORUNNA_OFI_DOMAIN=rxe0"
suites "UCX" "CORUNNA_DEV=ucxdev $apart $by_ucx" /tmp/by_verbs
suites "libfabric" "CORUNNA_DEV=ofidev $apart $by_libfabric" /tmp/by_verbs
# Two ranks on one host, the others on their own.
[ -z "$p2p_ranks" ] || p2p_ranks=3
[ -z "$coll_ranks" ] || coll_ranks=3
[ -z "$comm_ranks" ] || comm_ranks=3
[ -z "$java_ranks" ] || java_ranks=3
coll_groups="" start="$tests/p2p/apart.sh $build/bin/corunna"
export APART_TIMEOUT=$((limit * crowd))
suites "hybdev over UCX" "CORUNNA_DEV=hybdev CORUNNA_HYB_LIBRARY=ucx $by_ucx" /tmp/by_verbs "$start"
suites "hybdev over libfabric" "CORUNNA_DEV=hybdev CORUNNA_HYB_LIBRARY=ofi $by_libfabric" /tmp/by_verbs "$start"
exit $failed
