#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Of a rank that has died its own sentence is told, first and alone: the ranks that notice leave that to the launcher,
# unless it does not see the death, is not ours, or CORUNNA_LOG asks for more.
. "$(dirname "$0")/launcher_lib.sh"
follower=$4

# died WAY: what becomes of rank 1, and of the job.
died() {
    case $1 in
    kill) code=137 how='was killed by signal 9 (Killed)' ;;
    abort) code=134 how='was killed by signal 6 (Aborted)' ;;
    exit) code=3 how='exited with status 3 after MPI_Init but before MPI_Finalize' ;;
    esac
}
ulimit -c 0

for device in smdev tcpdev; do
    export CORUNNA_DEV=$device
    for way in kill abort exit; do
        died $way
        for call in recv ring barrier finalize own; do
            for ranks in 2 3 8; do
                run "$corunna" run -n $ranks "$follower" $way $call 1
                expect_status $code
                expect_sentence "corunna run: rank 1 on host $host $how; ending the job"
                expect_within 2000
            done
        done
    done
    # The others notice before the launcher does. Over TCP it takes them half a second.
    case $device in smdev) stall=400 ;; *) stall=600 ;; esac
    for way in kill exit; do
        died $way
        for call in recv ring barrier finalize own; do
            run env STALL_MS=$stall "$corunna" run -n 3 "$follower" $way $call 1
            expect_status $code
            expect_sentence "corunna run: rank 1 on host $host $how; ending the job"
        done
    done
    # Repeatedly: which rank notices first is random.
    round=0
    while [ $round -lt 20 ]; do
        run "$corunna" run -n 4 "$follower" kill recv $((round % 4))
        expect_status 137
        expect_sentence "corunna run: rank $((round % 4)) on host $host was killed by signal 9 (Killed); ending the job"
        round=$((round + 1))
    done
done

# Several hosts: the rank's end has a way to go.
for way in kill exit; do
    died $way
    for call in recv barrier finalize; do
        run env CORUNNA_RUN_LAUNCHER='env AT={host}' "$corunna" run -n 6 --hosts a:2,b:2,c:2 "$follower" $way $call 1
        expect_status $code
        expect_sentence "corunna run: rank 1 on host a $how; ending the job"
        run env STALL_MS=600 CORUNNA_RUN_LAUNCHER='env AT={host}' "$corunna" run -n 6 --hosts a:2,b:2,c:2 "$follower" \
            $way $call 1
        expect_status $code
        expect_sentence "corunna run: rank 1 on host a $how; ending the job"
    done
done

# A higher log level prints more.
run env CORUNNA_LOG=info STALL_MS=1500 "$corunna" run -n 3 "$follower" kill recv 1
grep -q 'corunna: rank 0 on .*MPI_Recv: .*rank 1 ' err || fail "$label: $(cat err)"
grep -q 'corunna: rank 2 on .*MPI_Recv: .*rank 1 ' err || fail "$label: $(cat err)"
# A loss that the launcher does not see is told by the ranks; nothing is silent.
run "$corunna" run -n 2 "$follower" none recv 1
grep -q "^corunna: rank 0 on $host: MPI_Recv: .*rank 1" err || fail "$label: $(cat err)"
[ "$status" -ne 0 ] || fail "$label: status 0"
expect_within 5000
run "$corunna" run -n 2 "$follower" none own 1
expect_status 5
grep -q "^corunna: rank 0 on $host: MPI_Abort: called with error code 5" err || fail "$label: $(cat err)"

# Other launchers: the ranks tell, at once.
if command -v mpiexec.hydra >/dev/null; then
    run mpiexec.hydra -n 2 "$follower" none recv 1
    grep -q "^corunna: rank 0 on $host: MPI_Recv: .*rank 1" err || fail "$label: $(cat err)"
    expect_within 2000
fi

finish
