#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# With sm.segment=file ranks that are killed leave files in /dev/shm: the launcher of the job removes them, on every
# host, and no others. files_test.sh CORUNNA PROBE RANK_PROBE MORTAL CARELESS
here=$(cd "$(dirname "$0")" && pwd)
# With a /dev/shm of its own, without files of others.
if [ -z "${FILES_ALONE:-}" ] && unshare --mount true 2>/dev/null; then
    FILES_ALONE=yes exec unshare --mount sh "$0" "$@"
fi
if [ -z "${FILES_ALONE:-}" ]; then
    echo "SKIPPED: a /dev/shm of its own takes root"
    exit 77
fi
mount -t tmpfs shm /dev/shm || exit 1
. "$here/launcher_lib.sh"
mortal=$4 careless=$5
export MORTAL_RANK=0 # the first rank of a host makes the file
export CORUNNA_SM_SEGMENT=file
seed=${CORUNNA_TEST_SEED:-$(date +%s)}
echo "seed $seed"

# Others' files: of no job, of other jobs, and of something else.
others="corunna-none-1-1 corunna-12_0123456789ab-1-1 corunna- other"
for name in $others; do
    echo "$name" >"/dev/shm/$name"
done
kept=$(ls /dev/shm)

is_clean() {
    [ "$(ls /dev/shm)" = "$kept" ]
}

# expect_kept: what the job left is gone, the rest is there.
expect_kept() {
    is_clean || fail "$label: /dev/shm holds $(ls /dev/shm | tr '\n' ' ')"
    for name in $(ls /dev/shm | grep -vxF "$kept"); do
        rm -f "/dev/shm/$name"
    done
}

# killed WORDS...: rank 0 is killed, and the job with it.
killed() {
    run "$corunna" run -n 4 "$@"
    expect_status 137
    expect_kept
}

# Its file is there when it comes to the second and third of these.
for meeting in 1 2 3; do
    killed "$mortal" barrier $meeting
done
# A rank that is not the launcher's own child.
killed sh -c '"$0" barrier 2; exit $?' "$mortal"
CORUNNA_RUN_LAUNCHER='env AT={host}' killed --hosts a:2,b:2 "$mortal" barrier 2
CORUNNA_RUN_LAUNCHER='env AT={host}' killed --hosts a:1,b:1,c:1,d:1 --fan 1 "$mortal" barrier 2

# At any moment of the start, and after it.
for delay in $(awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 40; i++) print int(rand() * 30000) }'); do
    run "$corunna" run -n 4 "$mortal" after "$delay"
    [ "$status" -eq 137 ] || [ "$status" -eq 0 ] || fail "$label: exit status $status: $(head -c 300 err)"
    expect_kept
done

# The launcher itself is killed while ranks start: the file of their host is there, and rank 0 does not come to the
# second meeting.
has_file() {
    [ "$(ls /dev/shm/corunna-*_*-*-* | wc -l)" -eq 2 ] # it and the other job's
}
for victim in front worker; do
    "$corunna" run -n 4 "$mortal" halt 2 >out 2>err &
    job=$!
    label="kill -9 of the $victim"
    wait_until has_file || fail "$label: the ranks have no file: $(ls /dev/shm | tr '\n' ' ')"
    read -r worker rest <"/proc/$job/task/$job/children"
    if [ "$victim" = front ]; then
        kill -9 "$job"
    else
        kill -9 "$worker"
    fi
    wait_for_job
    expect_status 137
    # The other one of the two cleans up, if need be after the one that was waited for has ended.
    wait_until is_clean
    expect_kept
done

# Other launchers do not remove files, so there must not be any. While ranks wait for each other there are
# no files yet; a rank that is killed then, together with all others, leaves none.
if command -v mpiexec.hydra >/dev/null; then
    mark=mark-files-$$
    mpiexec.hydra -n 4 "$mortal" halt 1 $mark >out 2>err &
    job=$!
    label='ranks that wait for rank 0'
    wait_until asleep $mark 5 || fail "$label: they did not start: $(cat err)" # with Hydra itself
    expect_kept
    # shellcheck disable=SC2046
    kill -9 $(grep -laFf mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3) 2>/dev/null
    wait_for_job
    # Nor when a rank cannot start.
    for how in CORUNNA_DEV=nodev CORUNNA_CHECK=yes; do
        run mpiexec.hydra -n 4 "$here/one_rank.sh" 2 $how "$mortal"
        expect_kept
    done
else
    echo "not tried: mpiexec.hydra is not installed (Debian package mpich)"
fi
# If a rank is killed later, with its file made, the other ranks remove the file.
for meeting in 2 3; do
    run "$careless" 4 $hang_s "$mortal" barrier $meeting
    expect_status 0
    expect_kept
done

finish
