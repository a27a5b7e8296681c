#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our PMI-1 server and client, with each other and with those of others. $4 is hello_other_mpi.c.
. "$(dirname "$0")/launcher_lib.sh"
hello_source=$4

# booted COUNT SIZE: out holds COUNT greetings of ranks of a job of SIZE.
booted() {
    [ "$(grep -c "^rank [0-9]* of $2 booted by pmi1\$" out)" -eq "$1" ] || fail "$label: $(head -c 300 out)"
}

run "$probe"
expect_status 0
expect_out 'rank 0 of 1 booted by alone'

run "$corunna" run -n 4 "$probe"
expect_status 0
booted 4 4

run "$corunna" run -n 3 "$probe" twice
expect_status 0
booted 6 3

run "$corunna" run -n 64 "$probe" many 4
expect_status 0
booted 64 64
expect_soon

# Values longer than a line of the launcher.
run "$corunna" run -n 5 "$probe" long
expect_status 0
booted 5 5

run "$corunna" run -n 1 sh -c "\"$probe\" && \"$probe\""
expect_status 0
booted 2 1

# What is no PMI-1.
run "$corunna" run -n 2 "$rank_probe" garbage 'GET / HTTP/1.1'
expect_status 1
expect_err 'sent invalid PMI-1: a PMI line without cmd'
run "$corunna" run -n 2 "$rank_probe" garbage "$(printf 'cmd=get \001')"
expect_status 1
expect_err 'control character'
run "$corunna" run -n 2 "$rank_probe" flood
expect_status 1
expect_err 'a PMI line is longer than'
run "$corunna" run -n 1 "$rank_probe" ask 'cmd=make_coffee'
expect_status 0
expect_out 'cmd=error rc=-1 msg=unknown_command info=failed'
run "$corunna" run -n 1 "$rank_probe" ask 'key=x cmd=get kvsname=nowhere'
expect_out 'cmd=get_result rc=-1 msg=key_not_found value=unknown'
run "$corunna" run -n 1 "$rank_probe" ask "$(printf 'mcmd=spawn\nnprocs=1\nendcmd')"
expect_out 'cmd=spawn_result rc=-1 msg=spawn_is_not_supported'

# One that puts without end is told where that is.
limit='rank 1 puts more than 1024 KiB by PMI, the limit of a rank'
run "$corunna" run -n 3 sh -c "test \$PMI_RANK != 1 || exec \"$rank_probe\" hoard; sleep $forever"
expect_status 1
expect_sentence "corunna run: on host $host $limit; ending the job"
expect_out "cmd=put_result rc=-1 msg=$(echo "$limit" | tr ' ' _)"

# Half an environment.
run env PMI_RANK=0 "$probe"
expect_status 1
expect_err 'PMI_RANK is set but PMI_FD is not'
run env PMI_FD=0 PMI_RANK=1 PMI_SIZE=1 "$probe"
expect_err 'PMI_RANK is 1 and PMI_SIZE is 1'
run env PMI_FD=99 PMI_RANK=0 PMI_SIZE=1 "$probe"
expect_err 'PMI_FD is 99, which is not an open socket'
run env PMI_FD=nine PMI_RANK=0 PMI_SIZE=1 "$probe"
expect_err 'PMI_FD is "nine"'

# MPICH's launcher starts our ranks.
if command -v mpiexec.hydra >/dev/null; then
    run mpiexec.hydra -n 4 "$probe"
    expect_status 0
    booted 4 4
    run mpiexec.hydra -n 16 "$probe" many 3
    expect_status 0
    booted 16 16
    run mpiexec.hydra -n 5 "$probe" long
    expect_status 0
    booted 5 5
    run mpiexec.hydra -n 2 "$probe" abort 1 7
    expect_status 7
    # Hydra serves a process once; a second boot must fail and not hang.
    run mpiexec.hydra -n 1 "$probe" twice
    expect_status 1
    grep -q 'the launcher .*closed the connection' err || fail "$label: $(cat err)"
else
    echo "SKIPPED: mpiexec.hydra is not installed, our client was not tried under it"
fi

# Our launcher starts MPICH's ranks.
if command -v mpicc.mpich >/dev/null; then
    mpicc.mpich -o hello "$hello_source" || fail "mpicc.mpich does not compile hello_other_mpi.c"
    run "$corunna" run -n 3 ./hello
    expect_status 0
    [ "$(grep -c 'of 3, the ranks sum up to 3$' out)" -eq 3 ] || fail "$label: $(cat out) $(cat err)"
else
    echo "SKIPPED: mpicc.mpich is not installed, our server was not tried with its ranks"
fi

finish
