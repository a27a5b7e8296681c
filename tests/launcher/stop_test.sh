#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-Z: the launcher stops, and its ranks with it, on all hosts; then both go on.
# $4 is tests/dynamic/spawning, $5 slow_send, or nothing.
. "$(dirname "$0")/launcher_lib.sh"
spawning=${4:-}
slow_send=${5:-}

# began MARK RANKS OPTION...: ranks that count.
began() {
    mark=$1
    label=$1
    ranks=$2
    shift 2
    # shellcheck disable=SC2016
    setsid "$corunna" run "$@" sh -c 'while :; do echo "$PMI_RANK" >>"$1.$PMI_RANK"; sleep 0.02; done' sh "$mark" \
        >out 2>err &
    job=$!
    await "$mark" "$((ranks + ${processes:-2}))" || fail "$label: the job did not start"
}

# are_stopped COUNT: so many processes with the mark, the launcher's front among them; perhaps children of theirs, too.
how_many_are_stopped() {
    echo "$mark" >mark_pattern
    grep -laFf mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | sed 's,cmdline$,status,' |
        xargs grep -l "^State:.T" 2>/dev/null | wc -l
}
are_stopped() {
    [ "$(how_many_are_stopped)" -ge "$1" ]
}
none_is_stopped() {
    [ "$(how_many_are_stopped)" -eq 0 ]
}
is_stopped() {
    grep -q '^State:.T' "/proc/$job/status"
}
# counted: what the ranks have written.
counted() {
    cat "$mark".* 2>/dev/null | wc -l
}
has_counted() {
    [ "$(counted)" -gt "$1" ]
}

# stopped: all ranks and the front, and nothing is counted any more.
stopped() {
    kill -TSTP "$job"
    wait_until are_stopped $((ranks + 1)) || fail "$label: the ranks are not stopped"
    wait_until is_stopped || fail "$label: the launcher is not stopped"
    before=$(counted)
}
continued() {
    [ "$(counted)" -eq "$before" ] || fail "$label: stopped ranks count"
    kill -CONT "$job"
    wait_until none_is_stopped || fail "$label: the ranks do not go on"
    wait_until has_counted "$before" || fail "$label: the ranks do not count on"
}
ended() {
    wait_for_job
    expect_status "$1"
    expect_soon
    expect_quiet
    await "$mark" 0 || fail "$label: $(alive "$mark") processes are left"
}

began "stop-here-$$" 3 -n 3
stopped
continued
stopped
continued
kill -TERM "$job"
ended 143

# The agents of two hosts, each a front and a worker, do not stop.
processes=2
began "stop-there-$$" 4 --launcher "env AT={host}" --hosts a:2,b:2
stopped
continued
kill -INT "$job"
ended 130

# A stopped job is ended as a running one is: a shell's kill sends SIGCONT after the signal.
began "stop-end-$$" 2 -n 2
stopped
kill -TERM "$job"
kill -CONT "$job"
ended 143
began "stop-kill-$$" 2 -n 2
stopped
kill -KILL "$job"
await "$mark" 0 || fail "$label: $(alive "$mark") processes are left"

# A job that ends is not stopped any more: its ranks would be killed before they have obeyed.
mark="stop-ending-$$"
label=$mark
ranks=2
# shellcheck disable=SC2016
setsid "$corunna" run -n 2 sh -c 'trap "echo asked" INT; echo trapped; while :; do sleep 0.02; done' "$mark" \
    >out 2>err &
job=$!
await_lines out trapped 2 || fail "$label: the job did not start"
kill -INT "$job"
await_lines out asked 2 || fail "$label: the ranks are not asked to end"
kill -TSTP "$job"
wait_until is_stopped || fail "$label: the launcher is not stopped"
sleep 0.2
are_stopped 2 && fail "$label: the ranks are stopped"
kill -CONT "$job"
ended 130

# A continue that follows a stop at once, before the launcher has obeyed that, is not lost.
are_taken() { # neither SIGTSTP nor SIGCONT is pending
    grep -q '^ShdPnd:.*[0145]....$' "/proc/$job/status"
}
if [ -n "$slow_send" ]; then
    LD_PRELOAD=$slow_send
    export LD_PRELOAD
    began "stop-soon-$$" 2 -n 2
    unset LD_PRELOAD
    kill -TSTP "$job"
    wait_until are_taken || fail "$label: the launcher does not take it"
    kill -CONT "$job"
    wait_until are_taken || fail "$label: the launcher does not take SIGCONT"
    wait_until none_is_stopped || { fail "$label: the job does not go on" && kill -CONT "$job"; }
    before=$(counted)
    wait_until has_counted "$before" || fail "$label: the ranks do not count on"
    kill -TERM "$job"
    wait_for_job
    expect_status 143
fi

# The time of a stopped job stands still.
seconds=$(($(patience_ms 3000) / 1000))
began "stop-time-$$" 2 -n 2 --timeout $seconds
stopped
sleep $((seconds + 1))
[ ! -s err ] || fail "$label: $(cat err)"
are_stopped 3 || fail "$label: the ranks go on"
continued
wait_for_job
expect_status 124
expect_sentence "corunna run: the job has run for $seconds s (--timeout); ending the job"

# shellcheck disable=SC2016
printf '%s\n' 'while :; do echo "$PMI_RANK" >>"$1.$PMI_RANK"; sleep 0.02; done' >count.sh

# Jobs that ranks have started, by MPI_Comm_spawn and by the launcher's command, stop and go on, too. All are of one
# session, of which the workers alone stay awake.
session() {
    awk -v session="$job" '{ sub(/.*\) /, "") } $4 == session' /proc/[0-9]*/stat 2>/dev/null
}
# is_session STOPPED AWAKE: no more than so many are awake, and so many or more are stopped; ranks may have children.
is_session() {
    [ "$(session | awk '$1 == "T"' | wc -l)" -ge "$1" ] && [ "$(session | awk '$1 != "T"' | wc -l)" -le "$2" ]
}
none_of_session_is_stopped() {
    [ "$(session | awk '$1 == "T"' | wc -l)" -eq 0 ]
}
below() {
    label=$1
    job=$2
    kill -TSTP "$job"
    wait_until is_session "$3" 2 || fail "$label: not all are stopped: $(session | cut -c 1-60)"
    kill -CONT "$job"
    wait_until none_of_session_is_stopped || fail "$label: not all go on: $(session | cut -c 1-60)"
    kill -TERM "$job"
    wait_for_job
    expect_status 143
    wait_until is_session 0 0 || fail "$label: processes are left: $(session | cut -c 1-60)"
}
if [ -n "$spawning" ]; then
    setsid "$corunna" run -n 1 "$spawning" stay 2 >out 2>err &
    job=$!
    await_lines err started || fail "MPI_Comm_spawn does not start: $(cat err)"
    below "spawned ranks" $job 5
fi
mark="stop-below-$$"
# shellcheck disable=SC2016
setsid "$corunna" run -n 1 sh -c '"$1" run -n 2 sh count.sh "$2"; :' sh "$corunna" $mark >out 2>err &
job=$!
wait_until has_counted 10 || fail "a job below a rank does not start: $(cat err)"
below "a job below a rank" $job 5

# On a terminal, the launcher's own stdin, under a shell with jobs: Ctrl-Z, fg, Ctrl-C.
if command -v script >/dev/null && command -v bash >/dev/null; then
    mark="stop-terminal-$$"
    label=$mark
    mkfifo keys
    timeout $hang_s script -qec "bash --norc --noprofile -i" /dev/null <keys >out 2>err &
    job=$!
    exec 3>keys
    echo "'$corunna' run -n 2 sh count.sh $mark; echo ended with \$?" >&3
    wait_until has_counted 10 || fail "$label: the job did not start: $(head -c 400 out)"
    printf '\032' >&3
    wait_until are_stopped 3 || fail "$label: Ctrl-Z does not stop the job: $(head -c 400 out)"
    await_lines out 'Stopped' || fail "$label: the shell does not see it: $(head -c 400 out)"
    before=$(counted)
    echo fg >&3
    wait_until none_is_stopped || fail "$label: fg does not wake the job"
    wait_until has_counted "$before" || fail "$label: the ranks do not count on"
    printf '\003' >&3
    await "$mark" 0 || fail "$label: Ctrl-C does not end the job"
    echo exit >&3
    exec 3>&-
    wait_for_job
else
    echo "not tried: a terminal, for which script and bash are needed (Debian packages bsdutils, bash)"
fi

# On a terminal where no process could continue the launcher, Ctrl-Z stops nothing: its process group is orphaned, the
# launcher being the first process of the session or the child of a shell without jobs, or it is the first process of a
# container.
deaf() {
    mark=$1
    label=$1
    rm -f keys
    mkfifo keys
    timeout $hang_s script -qec "$2" /dev/null <keys >out 2>err &
    job=$!
    exec 3>keys
    wait_until has_counted 10 || fail "$label: the job did not start: $(head -c 400 out)"
    echo "$mark" >mark_pattern
    front=$(grep -laFf mark_pattern /proc/[0-9]*/cmdline 2>/dev/null | tr -dc '0-9\n' | sort -n |
        while read -r pid; do grep -qx corunna "/proc/$pid/comm" && echo "$pid"; done | head -n 1)
    printf '\032' >&3
    await_lines out '\^Z' || fail "$label: the terminal does not show Ctrl-Z"
    wait_until took_key || fail "$label: the launcher does not look at Ctrl-Z"
    before=$(counted)
    wait_until has_counted $((before + 10)) || fail "$label: Ctrl-Z stops the ranks"
    none_is_stopped || fail "$label: Ctrl-Z stops the launcher"
    printf '\003' >&3
    await "$mark" 0 || { fail "$label: Ctrl-C does not end the job" && kill -KILL "$front"; }
    exec 3>&-
    wait_for_job
    expect_status 130
}
# Ctrl-Z is no longer pending.
took_key() {
    grep -q '^ShdPnd:.*[0-7]....$' "/proc/$front/status"
}
if command -v script >/dev/null; then
    deaf "stop-first-$$" "exec '$corunna' run -n 2 sh count.sh stop-first-$$"
    deaf "stop-script-$$" "'$corunna' run -n 2 sh count.sh stop-script-$$; exit \$?"
    if unshare -pf true 2>/dev/null; then
        deaf "stop-container-$$" "exec unshare -pf '$corunna' run -n 2 sh count.sh stop-container-$$"
    else
        echo "not tried: the first process of a container, which takes root and unshare (Debian package util-linux)"
    fi
fi

finish
