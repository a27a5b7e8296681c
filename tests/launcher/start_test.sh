#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One rank cannot start, or is other than the rest: that is reported, and no rank waits for it.
#   start_test.sh CORUNNA PROBE RANK_PROBE P2P
here=$(cd "$(dirname "$0")" && pwd)
one_rank=$here/one_rank.sh
# With a /dev/shm of its own: a rank that is ended while it starts leaves its segment there, if that is a file.
if [ -z "${START_ALONE:-}" ] && unshare --mount true 2>/dev/null; then
    START_ALONE=yes exec unshare --mount sh "$0" "$@"
fi
[ -z "${START_ALONE:-}" ] || mount -t tmpfs shm /dev/shm || exit 1
. "$here/launcher_lib.sh"
p2p=$4
# A rank that is not ended waits for ever.
export CORUNNA_PMI_TIMEOUT=$forever

# ends SET_UP WHO LAUNCHER... -- HOW SENTENCE: this rank of 4 is set up so; rank WHO says why that cannot be, all the
# others are ended at once and say nothing.
ends() {
    set_up=$1 who=$2 launcher=
    shift 2
    while [ "$1" != -- ]; do
        launcher="$launcher $1"
        shift
    done
    # shellcheck disable=SC2086
    run $launcher -n 4 "$one_rank" "$set_up" "$2" "$p2p" barrier
    [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || fail "$label: exit status $status"
    expect_soon
    [ "$(grep -c '^corunna: ' err)" -eq 1 ] || fail "$label: not one sentence: $(head -c 600 err)"
    grep -q "^corunna: rank $who on .*: MPI_Init_thread: $3" err ||
        fail "$label: stderr lacks \"$3\": $(head -c 600 err)"
}

# It cannot start, or it is other than the rest, which all see.
broken() {
    ends 2 2 "$@"
}
unlike() {
    ends 2 0 "$@"
}
# It cannot make the segment, which is for the first rank of a host to make.
cramped() {
    ends 0 0 "$@"
}

# every LAUNCHER...: all that may go wrong.
every() {
    broken "$@" -- CORUNNA_SM_EAGER_MAX=many 'CORUNNA_SM_EAGER_MAX is "many"'
    broken "$@" -- CORUNNA_DEV=nodev 'CORUNNA_DEV is "nodev"'
    cramped "$@" -- limited 'cannot size the shared segment to [0-9]* bytes: File too large'
    broken "$@" -- CORUNNA_PMI=pmix 'the setting pmi is pmix, but PMIX_RANK is not set'
    export CORUNNA_DEV=tcpdev
    broken "$@" -- CORUNNA_TCP_INTERFACE=nosuch0 '.*nosuch0'
    unset CORUNNA_DEV
    if [ -n "${START_ALONE:-}" ]; then
        export CORUNNA_SM_SEGMENT=file
        cramped "$@" -- full 'cannot size the shared segment to [0-9]* bytes: No space left on device'
        unset CORUNNA_SM_SEGMENT
    else
        echo "not tried: a full /dev/shm, which takes root"
    fi
}

every "$corunna" run
[ "$status" -eq 1 ] || fail "$label: exit status $status instead of 1"
if command -v mpiexec.hydra >/dev/null; then
    every mpiexec.hydra
else
    echo "not tried: mpiexec.hydra is not installed (Debian package mpich)"
fi

# has_other NAME: the sentence of a setting that is not the same.
has_other() {
    echo "rank 2 on .* has a different $1 than rank 0 on .* (this rank: \".*\"): it must be the same on all ranks"
}

every_unlike() {
    unlike "$@" -- CORUNNA_DEV=tcpdev "$(has_other dev)"
    unlike "$@" -- CORUNNA_CHECK=yes "$(has_other check)"
    unlike "$@" -- "CORUNNA_COLL_BCAST=chain segment=8k" "$(has_other coll.force)"
    unlike "$@" -- CORUNNA_COLL_FORCE=neighbor_alltoallw:nbft "$(has_other coll.force)"
    unlike "$@" -- CORUNNA_COLL_NODE_RANKS=2 "$(has_other coll.node_ranks)"
    unlike "$@" -- CORUNNA_COLL_BOARD=1M "$(has_other coll.board)"
    unlike "$@" -- CORUNNA_SM_SLOTS=64 "$(has_other sm.slots)"
    unlike "$@" -- CORUNNA_TCP_PACKET=256k "$(has_other tcp.packet)"
    unlike "$@" -- CORUNNA_COLL_RULES="$scratch/rules" "$(has_other "rules file (coll.rules)")"
    # Of a file its contents count, not where it lies.
    export CORUNNA_COLL_RULES="$scratch/same"
    unlike "$@" -- CORUNNA_COLL_RULES="$scratch/rules" "$(has_other "rules file (coll.rules)")"
    broken "$@" -- CORUNNA_COLL_RULES="$scratch/none" "cannot open the rules file $scratch/none: No such file"
    run "$@" -n 4 "$one_rank" 2 CORUNNA_COLL_RULES="$scratch/copy" "$p2p" barrier
    expect_status 0
    unset CORUNNA_COLL_RULES
    # The default is the same whether it is said or not; what is a rank's own affair may differ.
    for setting in CORUNNA_CHECK=no CORUNNA_COLL_BOARD=2048k CORUNNA_WAIT_YIELDS=7 CORUNNA_LOG=error; do
        run "$@" -n 4 "$one_rank" 2 $setting "$p2p" barrier
        expect_status 0
    done
}
echo 'bcast bytes<=100 mst' >rules
echo 'bcast bytes<=200 mst' >same
cp same copy
every_unlike "$corunna" run
if command -v mpiexec.hydra >/dev/null; then
    every_unlike mpiexec.hydra
fi
# tcpdev and niodev are two names of one device.
run env CORUNNA_DEV=tcpdev "$corunna" run -n 4 "$one_rank" 2 CORUNNA_DEV=niodev "$p2p" barrier
expect_status 0

# ---- other versions, other machines ---------------------------------------------------------------------------------
version=$("$corunna" --version | sed 's/^Corunna //')
devices="hybdev tcpdev"

# stranger TEXT SENTENCE: rank $strange of 2 tells this of itself, and the other one what it thinks of it.
strange=1
stranger() {
    for device in $devices; do
        # shellcheck disable=SC2016
        run env CORUNNA_DEV=$device "$corunna" run -n 2 \
            sh -c '[ "$PMI_RANK" = "$4" ] && exec "$1" tell "$2"; exec "$3" barrier' \
            sh "$probe" "$1" "$p2p" "$strange"
        expect_status 1
        expect_soon
        grep -q "^corunna: rank $((1 - strange)) on .*: MPI_Init_thread: $2" err ||
            fail "$label: stderr lacks \"$2\": $(head -c 600 err)"
    done
}

stranger 'corunna-9.8.7,l8,elsewhere;what_they_say_then' \
    "rank 1 on elsewhere uses Corunna 9.8.7, rank 0 on $host Corunna $version: all ranks of a job need the same"
stranger "corunna-9.8.7,l8,elsewhere,77:00000000;sm3,x" "rank 1 on elsewhere uses Corunna 9.8.7, rank 0 on"
stranger "corunna-$version,b8,elsewhere;sm3,x" 'rank 1 on elsewhere is a 64-bit big-endian program, rank 0 on'
stranger "corunna-$version,l4,elsewhere;sm3,x" 'rank 1 on elsewhere is a 32-bit little-endian program, rank 0 on'
stranger 'sm3,what,an,older,one,says' "rank 1 does not give its version of Corunna, this rank uses $version"
stranger "corunna-$version,l8,elsewhere" 'rank 1 does not give its version of Corunna'
devices=hybdev
stranger "corunna-$version,l8,elsewhere,fffe:00000000;sm3,x" 'rank 1 on elsewhere has a different setting than rank 0'
stranger "corunna-$version,l8,elsewhere,ffff:0000001a;sm3,x" \
    'rank 1 on elsewhere has a different long double than rank 0'
stranger "corunna-$version,l8,elsewhere;sm999,x" 'rank 1 uses protocol sm999, rank 0 sm[0-9]*: all ranks of a job need'

# Rank 0 speaks for all; if it does not, nothing is lost.
strange=0
stranger 'corunna-9.8.7,l8,elsewhere;sm3,x' \
    "rank 1 on $host uses Corunna $version, rank 0 on elsewhere Corunna 9.8.7"

# All of them are wrong: the same sentence of each that came so far, and nothing else.
run "$corunna" run -n 4 env CORUNNA_SM_EAGER_MAX=many "$p2p" barrier
expect_status 1
expect_soon
grep -v '^corunna: rank [0-3] on .*: MPI_Init_thread: CORUNNA_SM_EAGER_MAX is "many"' err && fail "$label: $(cat err)"
[ -s err ] || fail "$label: nobody says anything"
# A job of one rank has no others to end.
run env CORUNNA_SM_EAGER_MAX=many "$p2p" barrier
[ "$status" -ne 0 ] || fail "$label: exit status 0"
expect_err '^corunna: MPI_Init_thread: CORUNNA_SM_EAGER_MAX is "many"'

finish
