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

# told HOST RANK COMMAND...: the job ends with $code, and the only line is that of rank RANK, which has died there. A
# rank that notices leaves the launcher half a second for it; a launcher that waits longer for a CPU is second, or too
# late, and then the job is run again.
told() {
    place=$1 dead=$2
    shift 2
    sentence="corunna run: rank $dead on host $place $how; ending the job"
    for try in 1 2 3 4 5; do
        run "$@"
        grep -q '^corunna: rank ' err && [ "$(wait_crowd)" -gt 2 ] || break
    done
    expect_status $code
    expect_sentence "$sentence"
}

for device in smdev tcpdev; do
    export CORUNNA_DEV=$device
    for way in kill abort exit; do
        died $way
        for call in recv ring barrier finalize own; do
            for ranks in 2 3 8; do
                told "$host" 1 "$corunna" run -n $ranks "$follower" $way $call 1
                expect_soon
            done
        done
    done
    # The others notice before the launcher does. Over TCP it takes them half a second.
    case $device in smdev) stall=400 ;; *) stall=600 ;; esac
    for way in kill exit; do
        died $way
        for call in recv ring barrier finalize own; do
            told "$host" 1 env STALL_MS=$stall "$corunna" run -n 3 "$follower" $way $call 1
        done
    done
    # Repeatedly: which rank notices first is random.
    round=0
    died kill
    while [ $round -lt 20 ]; do
        told "$host" $((round % 4)) "$corunna" run -n 4 "$follower" kill recv $((round % 4))
        round=$((round + 1))
    done
done

# Several hosts: the rank's end has a way to go.
for way in kill exit; do
    died $way
    for call in recv barrier finalize; do
        told a 1 env CORUNNA_RUN_LAUNCHER='env AT={host}' \
            "$corunna" run -n 6 --hosts a:2,b:2,c:2 "$follower" $way $call 1
        told a 1 env STALL_MS=600 CORUNNA_RUN_LAUNCHER='env AT={host}' \
            "$corunna" run -n 6 --hosts a:2,b:2,c:2 "$follower" $way $call 1
    done
done

# A higher log level prints more; here the launcher sees nothing before the others have ended.
run env CORUNNA_LOG=info STALL_MS=0 "$corunna" run -n 3 "$follower" kill recv 1
grep -q 'corunna: rank 0 on .*MPI_Recv: .*rank 1 ' err || fail "$label: $(cat err)"
grep -q 'corunna: rank 2 on .*MPI_Recv: .*rank 1 ' err || fail "$label: $(cat err)"
# A loss that the launcher does not see is told by the ranks; nothing is silent.
run "$corunna" run -n 2 "$follower" none recv 1
grep -q "^corunna: rank 0 on $host: MPI_Recv: .*rank 1" err || fail "$label: $(cat err)"
[ "$status" -ne 0 ] || fail "$label: status 0"
expect_soon
run "$corunna" run -n 2 "$follower" none own 1
expect_status 5
grep -q "^corunna: rank 0 on $host: MPI_Abort: called with error code 5" err || fail "$label: $(cat err)"

# Other launchers: the ranks tell, at once.
if command -v mpiexec.hydra >/dev/null; then
    run mpiexec.hydra -n 2 "$follower" none recv 1
    grep -q "^corunna: rank 0 on $host: MPI_Recv: .*rank 1" err || fail "$label: $(cat err)"
    expect_soon
fi

finish
