#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many ranks: limits are looked at before the first is started, and while they start, signals and the time limit are
# obeyed. $4 is slow_fork, by which each start takes half a second.
. "$(dirname "$0")/launcher_lib.sh"
slow=$4

# ---- limits
# -----------------------------------------------------------------------------------------------------------

# No kernel numbers so many processes.
run "$corunna" run -n 5000000 true
expect_status 1
misfit='ranks do not fit this host, which has room for'
expect_err "^corunna run: 5000000 $misfit [0-9]*: .* is [0-9]*; raise that, or start fewer\$"
expect_soon

# limited ULIMIT COUNT: so many ranks where this limit is set.
limited() {
    # shellcheck disable=SC2016
    run sh -c 'ulimit $1 && shift && exec "$@"' sh "$1" "$corunna" run -n "$2" true
}
limited "-n 100" 100
expect_status 1
expect_err "^corunna run: 100 $misfit [0-9]*: the limit of open files (ulimit -Hn) is 100; "
limited "-n 100" 8
expect_status 0
expect_quiet

# The limit of processes does not hold for root. One that is met on the way is named with the rank that cannot be
# started.
other="prlimit"
[ "$(id -u)" -ne 0 ] || other="setpriv --reuid=61234 --clear-groups prlimit"
if $other "$corunna" --version >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    run $other --nproc=30 "$corunna" run -n 60 true
    expect_status 1
    user_limit='the limit of processes of a user (ulimit -u)'
    expect_err " 60 $misfit 30: $user_limit is 30; "
    # shellcheck disable=SC2086
    run $other --nproc=1 "$corunna" run -n 1 true
    expect_status 1
    expect_err "cannot start a process: Resource temporarily unavailable (hint: $user_limit is 1; "
    mark=others-$$
    chmod 711 . && mkfifo -m 666 silent # ranks that make no process of their own
    # shellcheck disable=SC2086
    run $other --nproc=12 "$corunna" run -n 11 sh -c 'read -r line <>"$0"' "$PWD/silent" $mark
    expect_status 1
    expect_err "cannot start rank [0-9]* of 11: Resource temporarily unavailable (hint: $user_limit is 12; "
    await $mark 0 || fail "$label: $(alive $mark) processes are left"
else
    echo "not tried: ulimit -u, for which there must be prlimit, and another user for root's sake"
fi

# Nor does it for a process with the capability to pass it.
capable='setpriv --reuid=61234 --clear-groups --inh-caps +sys_admin --ambient-caps +sys_admin prlimit --nproc=30'
if $capable true 2>/dev/null; then
    # shellcheck disable=SC2086
    run $capable "$corunna" run -n 60 true
    expect_status 0
    expect_quiet
else
    echo "not tried: ulimit -u with CAP_SYS_ADMIN, which takes root, setpriv and prlimit"
fi

# with_ids MOST OPTION... -- COMMAND...: where the system says that so many process ids are the most, by a file of ours
# in its place.
with_ids() {
    echo "$1" >pid_max
    shift
    # shellcheck disable=SC2016
    run unshare "$@" sh -c 'mount --bind pid_max /proc/sys/kernel/pid_max && shift && exec "$@"' \
        sh "$corunna" "$corunna" run -n 8 true
}
# What runs now may have ended when the ranks start, and of a namespace of its own it is not known: a doubt, and no
# refusal.
if unshare -m sh -c 'mount --bind /proc/sys/kernel/threads-max /proc/sys/kernel/pid_max' 2>/dev/null; then
    with_ids 7 -m
    expect_status 1
    expect_err " 8 $misfit 7: the limit of process ids (sysctl kernel.pid_max) is 7; "
    with_ids 20 -m
    expect_status 0
    if [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ]; then
        expect_sentence "corunna run: 8 ranks may not fit this host, which now seems to have room for 0: \
the limit of process ids (sysctl kernel.pid_max) is 20"
    fi
    with_ids 20 -mpf --mount-proc
    expect_status 0
    expect_quiet
else
    echo "not tried: limits of the kernel, for which there must be root and unshare (Debian package util-linux)"
fi

# ---- signals and the time limit
# ---------------------------------------------------------------------------------------

# begun MARK OPTION...: ten minutes of starts.
begun() {
    mark=$1
    label=$1
    shift
    LD_PRELOAD=$slow setsid "$corunna" run "$@" -n 1200 sh -c "sleep $forever; :" "$mark" >out 2>err &
    job=$!
}
# The front, its worker, ranks.
have_begun() {
    [ "$(alive "$mark")" -ge 5 ]
}
ended() {
    wait_for_job
    expect_status "$1"
    expect_soon
    await "$mark" 0 || fail "$label: $(alive "$mark") processes are left"
}

for signal in TERM:143 INT:130 HUP:129; do
    begun "begun-${signal%:*}-$$"
    wait_until have_begun || fail "$label: nothing starts"
    kill -s "${signal%:*}" "$job"
    ended "${signal#*:}"
    expect_quiet
done

begun "begun-timeout-$$" --timeout 1
ended 124
expect_sentence "corunna run: the job has run for 1 s (--timeout); ending the job"

# So does an agent on another host obey.
begun "begun-agent-$$" --launcher "env AT={host}" --hosts a:600,b:600
wait_until have_begun || fail "$label: nothing starts"
kill -TERM "$job"
ended 143
expect_quiet

# A SIGTERM for the worker alone, while ranks start, is none for the job, and does not end the worker later, in its
# report.
mark="begun-pending-$$"
label=$mark
# shellcheck disable=SC2016
LD_PRELOAD=$slow "$corunna" run -n 3 sh -c 'until [ -e go ]; do sleep 0.02; done' "$mark" >out 2>err &
job=$!
has_worker() {
    worker=$(cat "/proc/$job/task/$job/children" 2>/dev/null)
    [ -n "$worker" ] && [ "$(alive "$mark")" -ge 3 ] # the front, the worker, a rank
}
is_pending() {
    grep -q '^ShdPnd:.*[4-7c-f]...$' "/proc/${worker% }/status"
}
wait_until has_worker || fail "$label: nothing starts"
kill -TERM "${worker% }"
wait_until is_pending || fail "$label: SIGTERM does not wait"
touch go
wait_for_job
expect_status 0
expect_quiet

# A rank that fails need not wait for the others to start.
label='a rank that fails at once'
run env LD_PRELOAD="$slow" "$corunna" run -n 1 false : -n 1200 sleep $forever
expect_status 1
expect_sentence "corunna run: rank 0 on host $host exited with status 1; ending the job"
expect_soon

# ---- progress
# ---------------------------------------------------------------------------------------------------------

# On a terminal only.
if command -v script >/dev/null; then
    timeout $hang_s script -qec "env LD_PRELOAD=$slow $corunna run --timeout 6 -n 1200 sleep $forever" /dev/null \
        >out 2>err </dev/null
    grep -q 'corunna run: [0-9]* of 1200 ranks have started' out || fail "no progress on a terminal: $(head -c 300 out)"
    timeout $hang_s script -qec "$corunna run -n 4 true" /dev/null >out 2>err </dev/null
    [ ! -s out ] || fail "something is told of a job that starts soon: $(head -c 300 out)"
else
    echo "not tried: progress on a terminal, for which script is needed (Debian package bsdutils)"
fi

finish
