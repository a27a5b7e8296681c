#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank that is killed while the job starts or ends: the launcher knows, ends the others at once and says so once.
#   start_death_test.sh CORUNNA PROBE RANK_PROBE MORTAL
. "$(dirname "$0")/launcher_lib.sh"
mortal=$4
# A rank that is not ended waits for ever.
export CORUNNA_PMI_TIMEOUT=$forever
lost='^corunna: rank [0-2] on [^ ]*: MPI_[A-Za-z]*: rank 3 is lost: its process [0-9]* on this host has ended before'

# every HOST WORDS...: rank 3, there, dies before MPI_Init, at each meeting in it and at the one of MPI_Finalize.
every() {
    place=$1
    shift
    for how in first "barrier 1" "barrier 2" "barrier 3" "barrier 4"; do
        # shellcheck disable=SC2086
        run "$corunna" run -n 4 "$@" "$mortal" $how
        expect_status 137
        # Others may have found it out by themselves in the same moment.
        grep -v "$lost" err >rest
        [ "$(cat rest)" = "corunna run: rank 3 on host $place was killed by signal 9 (Killed); ending the job" ] ||
            fail "$label: stderr: $(head -c 600 err)"
        expect_soon
        grep -q done out && fail "$label: a rank has ended well: $(cat out)"
    done
}

every "$host"
CORUNNA_DEV=tcpdev every "$host"
export CORUNNA_RUN_LAUNCHER='env AT={host}'
every b --hosts a:2,b:2
every d --hosts a:1,b:1,c:1,d:1 --fan 1
unset CORUNNA_RUN_LAUNCHER

if command -v mpiexec.hydra >/dev/null; then
    for how in first "barrier 1" "barrier 2" "barrier 3" "barrier 4"; do
        # shellcheck disable=SC2086
        run mpiexec.hydra -n 4 "$mortal" $how
        [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || fail "$label: exit status $status"
        expect_soon
        grep -q done out && fail "$label: a rank has ended well: $(cat out)"
    done
else
    echo "not tried: mpiexec.hydra is not installed (Debian package mpich)"
fi

finish
